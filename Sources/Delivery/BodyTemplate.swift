import Model

/// A text with fields in braces, such as `{device} is at {geofence}`, which are replaced by an event's values.
///
/// Only a name directly between braces is a field. Other braces are text, so JSON needs no escaping. Doubled braces give a literal field
/// name: `{{device}}` becomes `{device}`.
package struct BodyTemplate: Hashable, Sendable {
    /// The content type, which determines how values are escaped.
    package enum Form: String, CaseIterable, Sendable {
        case plain = "text/plain"
        case json = "application/json"
        case form = "application/x-www-form-urlencoded"
        case xml = "application/xml"
        case html = "text/html"
    }

    /// A value of an event.
    package enum Field: String, CaseIterable, Sendable {
        /// Sentences for people.
        case title, message, text
        case type, device, deviceId, geofence, geofenceId
        /// `time` is the local time of day, `dateTime` the local date and time; the others are RFC 3339 in UTC.
        case time, dateTime, occurredAt, recordedAt
        case latitude, longitude, accuracy
        /// Seconds.
        case duration
        case cause, inferred, id, sequence, retracts
        /// A link to OpenStreetMap at the position.
        case map
        /// The whole event as JSON.
        case json
    }

    private enum Part: Hashable, Sendable {
        case text(String)
        case field(Field)
        /// A property of the geofence.
        case property(String)
    }

    package let form: Form
    private let parts: [Part]

    /// - Throws: `Problem.validationFailed` for an unknown field, and for a JSON template whose result would not be JSON.
    package init(_ source: String, form: Form, field: String = "template") throws(Problem) {
        self.form = form
        parts = try Self.parse(source, field)
        guard form == .json else { return }
        do throws(JSONParser.Failure) {
            _ = try JSONParser.parse(render { $0 == .json ? .object([]) : .string("\"") })
        } catch {
            throw .validationFailed(
                field: field, value: String(source.prefix(60)), reason: .notJSON(error.reason),
                expected: Phrase("JSON with fields for values, for example {\"text\": \"{message}\"}, or another content type"))
        }
    }

    private static func parse(_ source: String, _ field: String) throws(Problem) -> [Part] {
        var parts: [Part] = []
        var text = ""
        var rest = source[...]
        while let brace = rest.firstIndex(of: "{") {
            text += rest[..<brace]
            let isDoubled = rest[brace...].hasPrefix("{{")
            let inner = rest[brace...].dropFirst(isDoubled ? 2 : 1)
            let name = inner.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "_" || $0 == "-") }
            let end = inner[name.endIndex...]
            guard name.first?.isLetter == true, end.hasPrefix(isDoubled ? "}}" : "}") else {
                text += "{"
                rest = rest[brace...].dropFirst()
                continue
            }
            rest = end.dropFirst(isDoubled ? 2 : 1)
            if isDoubled {
                text += "{\(name)}"
                continue
            }
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
            if name.hasPrefix("properties."), name.count > 11 {
                parts.append(.property(String(name.dropFirst(11))))
            } else if let known = Field(rawValue: String(name)) {
                parts.append(.field(known))
            } else {
                throw .validationFailed(
                    field: field, value: "{\(name.prefix(40))}", reason: Phrase("there is no such field"),
                    expected: .oneOf(Field.allCases.map { "{\($0.rawValue)}" } + ["{properties.NAME}"]))
            }
        }
        text += rest
        if !text.isEmpty { parts.append(.text(text)) }
        return parts
    }

    // MARK: - Filling

    /// The template's text with the values of an event.
    func render(_ values: EventValues) -> String { render(values.value, property: values.property) }

    /// The template as an MQTT topic, with the values of an event. Each value is part of one level.
    func renderTopic(_ values: EventValues) -> String {
        render(values.value, property: values.property, plain: MQTTTopic.level)
    }

    /// - Parameters:
    ///   - value: Returns the value of a field; nil when the event has none.
    ///   - property: Returns the value of a property of the geofence.
    ///   - plain: Encodes a value in plain text.
    private func render(
        _ value: (Field) -> JSONValue?, property: (String) -> JSONValue? = { _ in nil }, plain: (String) -> String = { $0 }
    ) -> String {
        var result = ""
        var isInString = false
        for part in parts {
            switch part {
            case .text(let text):
                result += text
                if form == .json { Self.trackStrings(text, &isInString) }
            case .field(let field): write(value(field), into: &result, isInString, plain)
            case .property(let name): write(property(name), into: &result, isInString, plain)
            }
        }
        return result
    }

    private func write(
        _ value: JSONValue?, into result: inout String, _ isInString: Bool, _ plain: (String) -> String
    ) {
        if form == .json, !isInString {
            (value ?? .null).write(into: &result)
            return
        }
        guard let value, value != .null else { return }
        let text = value.string ?? value.description
        switch form {
        case .plain: result += plain(text)
        case .json: result += JSONValue.string(text).description.dropFirst().dropLast()
        case .form: result += Self.formEncoded(text)
        case .xml, .html: result += XMLText.escaped(text)
        }
    }

    /// Updates whether the text after a piece of JSON is inside a string.
    private static func trackStrings(_ text: String, _ isInString: inout Bool) {
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if isInString, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            }
        }
    }

    /// Percent-encodes a form value as the URL Standard does (url.spec.whatwg.org, section 5.2).
    static func formEncoded(_ text: String) -> String {
        PercentEncoding.escape(text, except: UInt8(ascii: "*")).replacing("~", with: "%7E").replacing("%20", with: "+")
    }
}
