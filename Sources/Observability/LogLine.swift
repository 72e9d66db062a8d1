import Geodesy
import Model

/// Something that a line of the log says beside its message. There is none for a place: only `Log.debug` takes one, so that no
/// coordinate can be in a log that is kept at a higher level.
public struct LogField: Sendable {
    enum Value: Sendable {
        case text(String)
        case number(Double)
        case flag(Bool)
    }

    let name: StaticString
    let value: Value

    public static func text(_ name: StaticString, _ value: String) -> LogField { LogField(name: name, value: .text(value)) }
    public static func number(_ name: StaticString, _ value: Int) -> LogField {
        LogField(name: name, value: .number(Double(value)))
    }
    /// In seconds, to the microsecond.
    public static func seconds(_ name: StaticString, _ value: Double) -> LogField {
        LogField(name: name, value: .number((value * 1e6).rounded() / 1e6))
    }
    public static func flag(_ name: StaticString, _ value: Bool) -> LogField { LogField(name: name, value: .flag(value)) }
}

/// One line of the log, before it is written.
struct LogLine: Sendable {
    var time: Instant
    var level: LogLevel
    var event: StaticString
    var message: String
    var reason: String?
    var fields: [LogField]
    var place: Coordinate?
    /// What the line is about, where lines of one event and reason about another subject are no repeats of it.
    var subject: String?

    /// The line with its end.
    func text(_ format: LogFormat) -> String {
        switch format {
        case .json: json
        case .text: plain
        }
    }

    /// `{"time":…,"level":…,"event":…,"message":…,…}`
    private var json: String {
        var text = "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"event\":\"\(event)\",\"message\":"
        JSONValue.string(message).write(into: &text)
        if let reason {
            text += ",\"reason\":"
            JSONValue.string(reason).write(into: &text)
        }
        for field in fields {
            text += ",\"\(field.name)\":"
            switch field.value {
            case .text(let value): JSONValue.string(value).write(into: &text)
            case .number(let value): JSONValue(value).write(into: &text)
            case .flag(let value): text += value ? "true" : "false"
            }
        }
        if let place {
            text += ",\"latitude\":\(JSONValue(place.latitude)),\"longitude\":\(JSONValue(place.longitude))"
        }
        return text + "}\n"
    }

    /// `2026-05-01T10:00:00.000Z info    started: The service listens. address=127.0.0.1:7575`
    private var plain: String {
        var text = "\(time) \(level.rawValue)" + String(repeating: " ", count: 8 - level.rawValue.utf8.count)
        text += "\(event): "
        Self.write(message, quoted: false, into: &text)
        if let reason {
            text += " reason="
            Self.write(reason, quoted: true, into: &text)
        }
        for field in fields {
            text += " \(field.name)="
            switch field.value {
            case .text(let value): Self.write(value, quoted: true, into: &text)
            case .number(let value): JSONValue(value).write(into: &text)
            case .flag(let value): text += value ? "true" : "false"
            }
        }
        if let place { text += " latitude=\(JSONValue(place.latitude)) longitude=\(JSONValue(place.longitude))" }
        return text + "\n"
    }

    /// Text of unknown origin: in quotation marks where it would not stand as one word, and nothing in it that would end the
    /// line, steer a terminal, or turn the direction of writing.
    private static func write(_ value: String, quoted: Bool, into text: inout String) {
        let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        if isPlain, !value.isEmpty {
            text += value
            return
        }
        if quoted { text += "\"" }
        for scalar in value.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: text += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                if quoted, scalar == "\"" || scalar == "\\" { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
        }
        if quoted { text += "\"" }
    }
}
