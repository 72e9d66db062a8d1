/// Any JSON value. Members keep their order and numbers keep their digits, so that parsing and writing a text again preserves them.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// The literal of a number, such as `1.50` or `6.02e23`.
    case number(String)
    /// A string, without its escapes.
    case string(String)
    /// An array with its elements.
    case array([JSONValue])
    /// An object with its members, in their order.
    case object([Member])

    /// A name and its value.
    public struct Member: Hashable, Sendable {
        /// The name; it can occur more than once in an object.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Creates a member from its name and value.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// A number as the shortest literal that is parsed to the same value; whole numbers below 1e15 are written without a fraction. NaN and
    /// infinity, which JSON cannot express, become `null`.
    public init(_ value: Double) {
        if !value.isFinite {
            self = .null
        } else if value == value.rounded(), abs(value) < 1e15 {
            self = .number(String(Int64(value)))
        } else {
            self = .number("\(value)")
        }
    }

    /// A whole number.
    public init(_ value: Int) { self = .number(String(value)) }
    /// A moment, as a string in RFC 3339.
    public init(_ value: Instant) { self = .string(value.description) }

    /// The value of an object's member; nil when this is not an object or has no such member. If several members have the name, the last
    /// counts.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text of a string; nil for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of a number, or of a string that holds one; nil for other values.
    public var double: Double? {
        switch self {
        case .number(let literal): Double(literal)
        case .string(let text): Double(text)
        default: nil
        }
    }

    /// The value of `true` or `false`; nil for other values.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object, in their order; nil for other values.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
}

extension JSONValue {
    /// An object with those members that have a value, in the order of the lists.
    public static func compact(_ lists: [(String, JSONValue?)]...) -> JSONValue {
        .object(lists.joined().compactMap { name, value in value.map { Member(name, $0) } })
    }
}

// MARK: - Writing

extension JSONValue: CustomStringConvertible {
    /// The value as JSON on one line, without spaces.
    public var description: String {
        var text = ""
        write(into: &text)
        return text
    }

    /// Appends the value as JSON on one line, without spaces.
    public func write(into text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let literal): text += literal
        case .string(let string): Self.write(string, into: &text)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(into: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.name, into: &text)
                text += ":"
                member.value.write(into: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, into text: inout String) {
        text += "\""
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
            text += string
        } else {
            for scalar in string.unicodeScalars {
                switch scalar {
                case "\"": text += "\\\""
                case "\\": text += "\\\\"
                case "\n": text += "\\n"
                case "\r": text += "\\r"
                case "\t": text += "\\t"
                case "\u{0}"..<" ":
                    let hex = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }
}
