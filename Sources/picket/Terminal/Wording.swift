import Model
import Service

/// Numbers, times and events as people read them.
enum Wording {
    /// 1234567 as 1,234,567.
    static func number(_ value: Int) -> String {
        let digits = Array(String(abs(value)))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// A count with its noun: "1 fix", "2 fixes".
    static func count(_ value: Int, _ one: String, _ many: String) -> String {
        "\(number(value)) \(value == 1 ? one : many)"
    }

    /// "2026-05-01 10:00:00Z".
    static func time(_ instant: Instant) -> String {
        let text = instant.description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))Z"
    }

    /// "45 s", "12 min", "3 h 5 min", "2 d 4 h".
    static func duration(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded())
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3600: return whole % 60 == 0 || whole >= 600 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s"
        case ..<86_400: return whole % 3600 < 60 ? "\(whole / 3600) h" : "\(whole / 3600) h \(whole % 3600 / 60) min"
        default: return whole % 86_400 < 3600 ? "\(whole / 86_400) d" : "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
        }
    }

    /// "350 m", "1.2 km".
    static func length(_ metres: Double) -> String {
        if metres < 1000 { return "\(decimal(metres, metres < 10 ? 1 : 0)) m" }
        return "\(decimal(metres / 1000, metres < 100_000 ? 1 : 0)) km"
    }

    /// "340 kB", "12 MB".
    static func size(_ bytes: Int) -> String {
        bytes < 1_000_000 ? "\(bytes / 1000) kB" : "\(number(bytes / 1_000_000)) MB"
    }

    /// "0.12 km²" and the like.
    static func area(_ squareMetres: Double) -> String {
        squareMetres < 100_000 ? "\(decimal(squareMetres, 0)) m²" : "\(decimal(squareMetres / 1e6, 2)) km²"
    }

    /// A number with so many digits after its point; none if they are zeros.
    static func decimal(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        return JSONValue((value * scale).rounded() / scale).description
    }

    /// What happened, as a verb.
    static func verb(_ event: Event) -> String {
        switch event.type {
        case .enter: event.cause == .initial ? "is in" : "entered"
        case .exit: "left"
        case .dwell: "stays in"
        case .silent: "is silent"
        case .returned: "is back"
        case .alarm: "alarm in"
        case .retracted: "retracted"
        }
    }

    /// What an event says beyond device, verb and fence.
    static func remark(_ event: Event) -> String {
        var parts: [String] = []
        if let duration = event.duration, event.type != .silent {
            parts.append(event.type == .dwell ? "for \(self.duration(duration))" : "after \(self.duration(duration))")
        }
        switch event.cause {
        case .moved, .silence: break
        case .initial: parts.append("from its first fix")
        case .fenceChanged: parts.append("because the fence changed")
        case .fenceRemoved: parts.append("because the fence was removed")
        case .reconciled: parts.append("by the phone's own report")
        case .corrected: parts.append("corrected by late fixes")
        case .deviceRemoved: parts.append("because the device was removed")
        }
        return parts.joined(separator: ", ")
    }

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

    /// "An enter" on one line.
    static func line(_ event: Event, on output: Output) -> String {
        let color: Color = event.type == .enter ? .green : event.type == .exit ? .yellow : .dim
        let verb = verb(event).padding(8)
        let remark = remark(event)
        let silence = event.type == .silent ? event.lastHeard.map { "since \(time($0))" } : nil
        let object = event.geofenceName ?? silence ?? ""
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

/// Rows under headings, each column as wide as its widest cell.
struct Table {
    private let headings: [String]
    private var rows: [[String]] = []
    /// Columns that hold numbers stand to the right.
    private let numeric: Set<Int>

    init(_ headings: [String], numeric: Set<Int> = []) {
        self.headings = headings
        self.numeric = numeric
    }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    func print(to output: Output) {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            var text = ""
            for (column, cell) in cells.enumerated() {
                if column > 0 { text += "  " }
                let isLast = column == cells.count - 1
                text += numeric.contains(column) ? cell.leading(widths[column]) : isLast ? cell : cell.padding(widths[column])
            }
            return text
        }
        output.print(Color.bold(line(headings), on: output))
        for row in rows { output.print(line(row)) }
    }
}
