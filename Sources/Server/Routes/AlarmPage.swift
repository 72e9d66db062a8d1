import Foundation
import Model
import Service

/// What a person sees who opens the link of an emergency: one page without scripts, for any phone.
struct AlarmPage {
    private let event: Event
    private let words: any AlarmPageWords

    init(_ event: Event, in language: Language) {
        self.event = event
        words =
            switch language {
            case .english: EnglishAlarmPage()
            case .turkish: TurkishAlarmPage()
            }
    }

    var response: Response {
        Response(200, "text/html; charset=utf-8", .text(html))
            .with("Cache-Control", "no-store")
            // Nothing is loaded from anywhere, and the key in the address goes nowhere else.
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
            )
            .with("Referrer-Policy", "same-origin")
    }

    private var html: String {
        guard let alarm = event.alarm else { return "" }
        let title = Self.escaped("\(words.title): \(event.deviceId) (\(alarm.kind))")
        var lines = [words.raised(Wording.time(event.occurredAt))]
        if alarm.hasPosition {
            let place = event.fix.coordinate
            let at = "\(JSONValue(place.latitude)), \(JSONValue(place.longitude))"
            let names = alarm.inside.map(\.geofenceName).joined(separator: ", ")
            lines.append(words.position(at, Wording.time(event.fix.time), names))
        } else {
            lines.append(words.noPosition)
        }
        let end: String
        if let acknowledgement = alarm.acknowledgement {
            let person = acknowledgement.by.map { " (\($0))" } ?? ""
            end = "<p><strong>\(Self.escaped(words.seen(Wording.time(acknowledgement.at)) + person))</strong></p>"
        } else {
            end =
                "<form method=\"post\"><button>\(Self.escaped(words.button))</button></form>\n<p>\(Self.escaped(words.repeated))</p>"
        }
        return """
            <!doctype html>
            <html lang="\(words.tag)">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>
            body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem }
            body { color: #1b1b1b; background: #fff }
            h1 { font-size: 1.5rem; color: #a40000 }
            button { font: inherit; font-weight: 600; padding: .8rem 1.2rem; border: 0; border-radius: .5rem }
            button { color: #fff; background: #a40000 }
            button:focus-visible { outline: 3px solid #1b1b1b; outline-offset: 2px }
            </style>
            <h1>\(title)</h1>
            \(lines.map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n"))
            <p>\(Self.escaped(words.call)) \(Self.numbers(alarm.emergencyNumber))</p>
            \(end)
            </html>

            """
    }

    /// Numbers that a tap calls.
    private static func numbers(_ text: String) -> String {
        text.replacing(" or ", with: ", ").components(separatedBy: ", ").map { number in
            "<a href=\"tel:\(number.filter { $0.isNumber || $0 == "+" })\">\(escaped(number))</a>"
        }.joined(separator: ", ")
    }

    /// Text as HTML shows it. A device may be called anything.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

private protocol AlarmPageWords {
    var tag: String { get }
    var title: String { get }
    var noPosition: String { get }
    var button: String { get }
    var repeated: String { get }
    func raised(_ time: String) -> String
    func position(_ place: String, _ time: String, _ geofences: String) -> String
    var call: String { get }
    func seen(_ time: String) -> String
}

private struct EnglishAlarmPage: AlarmPageWords {
    let tag = "en"
    let title = "EMERGENCY"
    let noPosition = "No position is known."
    let button = "I have seen it"
    let repeated = "The message is sent again every five minutes until somebody has seen it."
    func raised(_ time: String) -> String { "Raised \(time)." }
    func position(_ place: String, _ time: String, _ geofences: String) -> String {
        "Last position: \(place), \(time)" + (geofences.isEmpty ? ", in no geofence." : ", in \(geofences).")
    }
    let call = "Emergency number there:"
    func seen(_ time: String) -> String { "Seen \(time)" }
}

private struct TurkishAlarmPage: AlarmPageWords {
    let tag = "tr"
    let title = "ACİL DURUM"
    let noPosition = "Konumu bilinmiyor."
    let button = "Gördüm"
    let repeated = "Biri görene dek ileti her beş dakikada bir yeniden gönderilir."
    func raised(_ time: String) -> String { "Zaman: \(time)." }
    func position(_ place: String, _ time: String, _ geofences: String) -> String {
        "Son konum: \(place), \(time)" + (geofences.isEmpty ? ", hiçbir bölgede değil." : ", bölge: \(geofences).")
    }
    let call = "Oradaki acil durum numarası:"
    func seen(_ time: String) -> String { "Görüldü: \(time)" }
}
