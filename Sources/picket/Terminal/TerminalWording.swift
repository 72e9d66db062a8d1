import Core
import Model
import Presence
import ToolSupport

extension Format {
    /// The state of a connection, with the number of the current attempt to reconnect; see `ConnectionStatus.json`.
    static func state(ofConnection connection: JSONValue) -> Phrase {
        let state = connection["state"]?.string
        let name: Phrase =
            switch state {
            case "connected": Phrase("connected")
            case "connecting": Phrase("connecting")
            case "reconnecting": Phrase("reconnecting")
            case "degraded": Phrase("degraded")
            case "paused": Phrase("paused")
            default: .verbatim(state ?? Table.noValue)
            }
        guard let attempt = connection["attempt"]?.double.flatMap({ Int(exactly: $0) }) else { return name }
        guard let most = connection["maxAttempts"]?.double.flatMap({ Int(exactly: $0) }) else {
            return Phrase("\(name) (attempt \(plain: attempt))")
        }
        return Phrase("\(name) (attempt \(plain: attempt) of \(plain: most))")
    }

    /// A remark after the name of a device with a simulated phone; empty for other devices.
    static func simulated(_ registry: Device.Registry?, in language: Language) -> String {
        registry == .simulated ? Phrase(" (simulated)").text(in: language) : ""
    }

    /// The totals as text, such as "1 device, 2 geofences, 1,301 positions, 8 events".
    static func contents(_ totals: Queries.Totals) -> Phrase {
        Phrase(
            """
            \(Phrase.devices(totals.devices)), \(Phrase.geofences(totals.geofences)), \(Phrase.positions(totals.fixes)), \
            \(Phrase.events(totals.events))
            """)
    }

    /// An event on one line: time, device, verb, object and remark.
    static func line(_ event: Event, for invocation: Invocation) -> String {
        let (output, zone, language) = (invocation.output, invocation.timeZone, invocation.language)
        let color: Color =
            switch event.type {
            case .enter: .green
            case .exit: .yellow
            case .alarm where event.urgency == .emergency: .red
            default: .dim
            }
        let verb = event.verb.text(in: language).padding(8)
        let remark = event.remark?.text(in: language) ?? ""
        let silence =
            event.type == .silent ? event.lastHeard.map { Phrase("since \(time($0, in: zone))").text(in: language) } : nil
        let object = event.geofenceName.map(name) ?? silence ?? event.alarm.map { printable($0.kind) } ?? ""
        return "\(time(event.occurredAt, in: zone))  \(event.deviceId.padding(14))  \(color(verb, on: output))  \(object)"
            + (remark.isEmpty ? "" : Color.dim("  (\(remark))", on: output))
    }
}

extension Phrase {
    static func devices(_ count: Int) -> Phrase { Phrase(count, one: "\(count) device", other: "\(count) devices") }
    static func geofences(_ count: Int) -> Phrase { Phrase(count, one: "\(count) geofence", other: "\(count) geofences") }
    static func positions(_ count: Int) -> Phrase { Phrase(count, one: "\(count) position", other: "\(count) positions") }
    static func events(_ count: Int) -> Phrase { Phrase(count, one: "\(count) event", other: "\(count) events") }
    static func files(_ count: Int) -> Phrase { Phrase(count, one: "\(count) file", other: "\(count) files") }

    /// For a command whose list is empty.
    ///
    /// - Parameters:
    ///   - nothing: Says that nothing was found.
    ///   - hint: How to make the first one, and the command for that.
    static func emptyList(_ nothing: Phrase, hint: Phrase, command: String) -> Phrase {
        Phrase("\(nothing)\n\(hint)  \(command)")
    }
}
