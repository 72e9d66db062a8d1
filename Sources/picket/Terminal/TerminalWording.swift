import Model
import Service

extension Wording {
    /// Text of unknown origin, fit for a terminal: what would steer it, or turn the direction of writing, as `\u{…}`; cut to so
    /// many characters.
    static func printable(_ text: String, atMost most: Int = 80) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(most) {
            if [.control, .format].contains(scalar.properties.generalCategory) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > most ? shown + "…" : shown
    }

    /// The state of a connection, with the number of the next attempt where it is to be connected again; see `ConnectionStatus.json`.
    static func state(ofConnection connection: JSONValue) -> String {
        let name = connection["state"]?.string ?? "-"
        guard let attempt = connection["attempt"]?.double.flatMap({ Int(exactly: $0) }) else { return name }
        let most = connection["maxAttempts"]?.double.flatMap { Int(exactly: $0) }.map { " of \($0)" } ?? ""
        return "\(name) (attempt \(attempt)\(most))"
    }

    /// What stands behind the name of a device whose phone is a simulated one, so that nobody takes it for a real one.
    static func simulated(_ registry: Device.Registry?) -> String { registry == .simulated ? " (simulated)" : "" }

    /// "1 device, 2 geofences, 1,301 fixes, 8 events".
    static func contents(_ totals: Queries.Totals) -> String {
        "\(count(totals.devices, "device", "devices")), \(count(totals.geofences, "geofence", "geofences")), "
            + "\(count(totals.fixes, "fix", "fixes")), \(count(totals.events, "event", "events"))"
    }

    /// "An enter" on one line.
    static func line(_ event: Event, on output: Output) -> String {
        let color: Color =
            switch event.type {
            case .enter: .green
            case .exit: .yellow
            case .alarm where event.urgency == .emergency: .red
            default: .dim
            }
        let verb = verb(event).padding(8)
        let remark = remark(event)
        let silence = event.type == .silent ? event.lastHeard.map { "since \(time($0))" } : nil
        let object = event.geofenceName ?? silence ?? event.alarm.map { printable($0.kind) } ?? ""
        return "\(time(event.occurredAt))  \(event.deviceId.padding(14))  \(color(verb, on: output))  \(object)"
            + (remark.isEmpty ? "" : Color.dim("  (\(remark))", on: output))
    }
}

extension String {
    /// The text, filled up with spaces to a width.
    func padding(_ width: Int) -> String { count >= width ? self : self + String(repeating: " ", count: width - count) }

    /// The text, with spaces before it up to a width.
    func leading(_ width: Int) -> String { count >= width ? self : String(repeating: " ", count: width - count) + self }
}
