import Model

/// A named value in a log line. It must not contain a secret or coordinates.
package struct LogField: Sendable {
    enum Value: Sendable {
        case text(String)
        case number(Double)
        case flag(Bool)
    }

    let name: StaticString
    let value: Value

    package static func text(_ name: StaticString, _ value: String) -> LogField { LogField(name: name, value: .text(value)) }
    package static func number(_ name: StaticString, _ value: Int) -> LogField {
        LogField(name: name, value: .number(Double(value)))
    }
    /// A duration in seconds, rounded to microseconds.
    package static func seconds(_ name: StaticString, _ value: Double) -> LogField {
        LogField(name: name, value: .number((value * 1e6).rounded() / 1e6))
    }
    package static func flag(_ name: StaticString, _ value: Bool) -> LogField { LogField(name: name, value: .flag(value)) }
}

/// One line of the log before it is formatted.
struct LogLine: Sendable {
    var time: Instant
    var level: LogLevel
    var event: StaticString
    var message: String
    var reason: String?
    var fields: [LogField]
    /// The refused value, for a line about refused input.
    var input: String?
    /// The subject of the line (a device). Lines with the same event and reason about different subjects are not repetitions of each other.
    var subject: String?

    /// The formatted line, including the line end.
    func text(_ format: LogFormat) -> String {
        switch format {
        case .json: json
        case .text: plainText
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
        if let input {
            text += ",\"value\":"
            JSONValue.string(input).write(into: &text)
        }
        return text + "}\n"
    }

    /// `2026-05-01T10:00:00.000Z info    started: The service listens. address=127.0.0.1:7575`
    private var plainText: String {
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
        if let input {
            text += " value="
            Self.write(input, quoted: true, into: &text)
        }
        return text + "\n"
    }

    /// Appends text of unknown origin. Characters that could end the line, control a terminal, or change the writing direction are escaped.
    ///
    /// - Parameter quoted: Whether to put the text in quotation marks if it is empty or not a single word of ASCII characters.
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
