/// How names become parts of MQTT topics. Different names become different parts.
enum MQTTTopic {
    /// Encodes a text as one level of a topic, injectively. Characters that a level cannot contain are percent-encoded.
    static func level(_ text: String) -> String {
        escaped(text, keeping: { isPublishable($0) && !" /%$".unicodeScalars.contains($0) }, as: { "%\($0)" })
    }

    /// Encodes a text in the characters that Home Assistant allows in the last name of a configuration, injectively. Each underscore in the
    /// result is followed by two hexadecimal digits.
    static func object(_ text: String) -> String {
        escaped(text, keeping: { $0.isASCII && isPlain(UInt8($0.value)) }, as: { "_\($0)" })
    }

    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func escaped(
        _ text: String, keeping isKept: (Unicode.Scalar) -> Bool, as escape: (String) -> String
    ) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isKept(scalar) {
                escaped.append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    let digits = String(byte, radix: 16)
                    escaped.append(contentsOf: escape(digits.count < 2 ? "0\(digits)" : digits).unicodeScalars)
                }
            }
        }
        return String(escaped)
    }

    /// Whether messages may be published to a topic. Topics that begin with `$` belong to the broker (MQTT 5.0, section 4.7).
    static func isPublishable(_ topic: String, maxBytes: Int) -> Bool {
        !topic.isEmpty && !topic.hasPrefix("$") && topic.utf8.count <= maxBytes && topic.unicodeScalars.allSatisfy(isPublishable)
    }

    /// Whether a topic may contain a character. Wildcards, control characters and noncharacters are excluded; a broker may close
    /// the connection because of them (MQTT 5.0, sections 1.5.4 and 4.7.1).
    static func isPublishable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: false
        case let value where value & 0xFFFE == 0xFFFE: false
        default: scalar != "+" && scalar != "#"
        }
    }
}
