/// A part of an input that was not accepted, and why.
public struct Refusal: Hashable, Sendable {
    /// What is wrong. Refusals with the same kind, field and device are counted together. Each kind has texts in every language.
    public enum Kind: String, CaseIterable, Sendable {
        /// The field is absent or empty.
        case missing
        /// The field's value cannot be parsed.
        case unreadable
        /// The field's value is outside of the allowed range.
        case outOfRange
        /// Latitude and longitude are exactly 0, which devices send when they have no position.
        case nullIsland
        /// The time is more than ten minutes ahead of the clock.
        case aheadOfClock
        /// The input does not name the device.
        case unknownDevice
        /// The message is encrypted, and its key is unknown.
        case encrypted
        /// The request does not follow the protocol.
        case malformed
        /// The request exceeds the size limit.
        case tooLarge
        /// A region report of a device that has sent no position yet. The report is stored.
        case beforeFirstPosition
        /// Any other reason; `Refusal.reason` has the text.
        case unusable
    }

    /// What is wrong, for counting.
    public var kind: Kind
    /// The device that sent the input; nil when it is unknown.
    public var device: String?
    /// The path of the file, when the input is one.
    public var file: String?
    /// The line of the file (from 1), or the index in a list.
    public var line: Int?
    /// The name of the invalid field in the input.
    public var field: String
    /// The field's value in the input, truncated to 80 characters.
    public var value: String
    /// Why it was refused and what is expected, as a sentence without a period.
    public var reason: Phrase

    /// Creates a refusal. A value of more than 80 characters is cut.
    public init(
        _ kind: Kind = .unusable, device: String? = nil, file: String? = nil, line: Int? = nil, field: String, value: String,
        reason: Phrase
    ) {
        self.kind = kind
        self.device = device
        self.file = file
        self.line = line
        self.field = field
        self.value = value.count > 80 ? value.prefix(79) + "…" : value
        self.reason = reason
    }
}

extension Refusal {
    /// The value on one line, without control characters, and without what follows a name such as `token=` or `"password":`.
    package var shownValue: String {
        let line = String(
            String.UnicodeScalarView(
                value.unicodeScalars.map { [.control, .format].contains($0.properties.generalCategory) ? " " : $0 }))
        return Self.withoutSecrets(line)
    }

    /// The reason with the value, if there is one.
    package var reasonWithValue: Phrase { value.isEmpty ? reason : .ofValue(shownValue, reason) }

    private static let namesOfSecrets = ["token", "password", "passwd", "secret", "apikey", "api_key", "authorization"]

    private static func withoutSecrets(_ text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let mark = rest.firstIndex(where: { $0 == "=" || $0 == ":" }) {
            let name = rest[..<mark].suffix(while: { $0.isLetter || $0.isNumber || "_-\"' ".contains($0) }).lowercased()
            shown += rest[...mark]
            rest = rest[rest.index(after: mark)...]
            guard namesOfSecrets.contains(where: name.contains) else { continue }
            let end = rest.drop { "\"' ".contains($0) }.firstIndex { "&;?,\"'}".contains($0) } ?? rest.endIndex
            shown += "…"
            rest = rest[end...]
        }
        return shown + rest
    }
}

extension Substring {
    /// The longest end whose characters all fulfill a condition.
    fileprivate func suffix(while isPart: (Character) -> Bool) -> Substring {
        self[(lastIndex { !isPart($0) }.map { index(after: $0) } ?? startIndex)...]
    }
}
