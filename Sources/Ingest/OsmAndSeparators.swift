/// Fields that an app has not separated by `&`, because it filled in its address incorrectly: `id=bob;lat=52.5;lon=13.4`,
/// `id=bob?lat=52.5?lon=13.4`, `id=bob|lat=52.5|lon=13.4`, or `id=bob&amp;lat=52.5&amp;lon=13.4`, which was copied from HTML.
enum OsmAndSeparators {
    /// Separates the fields within the values of the protocol's fields if their names are also of the protocol. A field of the
    /// request itself takes precedence.
    static func separate(_ fields: [FormField]) -> [FormField] {
        if !fields.contains(where: { $0.name.hasPrefix(escapedAmpersand) || $0.value.utf8.contains(where: isSeparator) }) {
            return fields
        }
        let own = Set(fields.map(\.name))
        var separated: [FormField] = []
        for var field in fields {
            if field.name.hasPrefix(escapedAmpersand) {
                let name = String(field.name.dropFirst(escapedAmpersand.count))
                if isKnown(name) { field.name = name }
            }
            var rest = field.value[...]
            var isOwn = true
            while isKnown(field.name), let (separator, equals) = firstField(in: rest, isName: isKnown) {
                field.value = String(rest[..<separator])
                if isOwn || !own.contains(field.name) { separated.append(field) }
                field.name = String(rest[rest.utf8.index(after: separator)..<equals])
                rest = rest[rest.utf8.index(after: equals)...]
                isOwn = false
            }
            field.value = String(rest)
            if isOwn || !own.contains(field.name) { separated.append(field) }
        }
        return separated
    }

    /// Whether a value has a separator with another field after it.
    static func isLeft(in value: String) -> Bool {
        firstField(in: value[...]) { name in
            name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        } != nil
    }

    private static let escapedAmpersand = "amp;"

    private static func isSeparator(_ byte: UInt8) -> Bool {
        ";?&,| ".utf8.contains(byte)
    }

    private static func isKnown(_ name: String) -> Bool {
        ["location", "alarm", "valid", "hdop", "charge"].contains(name) || JSONKeys.osmAnd.keys.contains { $0.name == name }
    }

    /// The separator before the first field in the text, and the equals sign after its name.
    private static func firstField(
        in text: Substring, isName: (String) -> Bool
    ) -> (separator: String.Index, equals: String.Index)? {
        var separator: String.Index?
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isSeparator(byte) {
                separator = index
            } else if byte == UInt8(ascii: "="), let found = separator {
                let name = String(text[text.utf8.index(after: found)..<index])
                if !name.isEmpty, isName(name) { return (found, index) }
                separator = nil
            }
        }
        return nil
    }
}
