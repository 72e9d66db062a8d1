import Core
import Delivery
import Foundation
import Model
import Routing

/// The page behind the link of an emergency: HTML without scripts, for any phone.
struct AlarmPage {
    private let event: Event
    private let language: Language
    private let zone: LocalTimeZone

    /// - Parameter zone: The zone of its times.
    init(_ event: Event, in language: Language, zone: LocalTimeZone) {
        self.event = event
        self.language = language
        self.zone = zone
    }

    var response: Response {
        Response(status: 200, contentType: "text/html; charset=utf-8", body: .text(html))
            .with("Cache-Control", "no-store")
            // The page loads nothing, and the key in the address is not sent anywhere else.
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
            )
            .with("Referrer-Policy", "same-origin")
    }

    private var html: String {
        guard let alarm = event.alarm else { return "" }
        func text(_ phrase: Phrase) -> String { HTMLText.escaped(phrase.text(in: language)) }
        let title = text(Phrase("\(AlarmText.emergency): \(event.deviceId) (\(AlarmText.kind(alarm.kind)))"))
        var lines = [Phrase("Raised \(Format.time(event.occurredAt, in: zone))")]
        if alarm.hasPosition {
            let place = event.fix.coordinate
            let position = "\(JSONValue(place.latitude)), \(JSONValue(place.longitude)), \(Format.time(event.fix.time, in: zone))"
            lines.append(AlarmText.lastPosition(position, in: alarm.inside.map(\.geofenceName)))
        } else {
            lines.append(AlarmText.noPosition)
        }
        let end: String
        if let acknowledgement = alarm.acknowledgement {
            let person = acknowledgement.by.map { " (\($0))" } ?? ""
            let time = Format.time(acknowledgement.at, in: zone)
            end = "<p><strong>\(text(Phrase("Acknowledged \(time)\(person)")))</strong></p>"
        } else {
            end =
                "<form method=\"post\"><button>\(text(AlarmText.acknowledge))</button></form>\n"
                + "<p>\(text(Phrase("The message is sent again every five minutes until the alarm is acknowledged"))).</p>"
        }
        let texts = lines.map { "<p>\(text($0)).</p>" }
        let call = "<p>\(text(AlarmText.emergencyNumber)): \(Self.numbers(alarm.emergencyNumber))</p>"
        return HTMLText.page(
            language, title: title, style: Self.style, body: (texts + [call, end]).joined(separator: "\n"))
    }

    private static let style = """
        body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem }
        body { color: #1b1b1b; background: #fff }
        h1 { font-size: 1.5rem; color: #a40000 }
        button { font: inherit; font-weight: 600; padding: .8rem 1.2rem; border: 0; border-radius: .5rem }
        button { color: #fff; background: #a40000 }
        button:focus-visible { outline: 3px solid #1b1b1b; outline-offset: 2px }
        """

    /// The phone numbers in a text, as links that call them.
    private static func numbers(_ text: String) -> String {
        text.components(separatedBy: ", ").map { number in
            "<a href=\"tel:\(number.filter { $0.isNumber || $0 == "+" })\">\(HTMLText.escaped(number))</a>"
        }.joined(separator: ", ")
    }
}
