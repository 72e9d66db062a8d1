/// Rules for the ids of geofences and devices.
public enum Identifier {
    /// Why `id` is not a valid geofence id; nil when it is: 1 to 64 characters of `A-Z a-z 0-9 . _ -`.
    public static func flaw(inGeofence id: String) -> Phrase? {
        if id.isEmpty { return .empty }
        if id.utf8.count > 64 { return .tooManyCharacters(id.count, 64) }
        for character in id where !character.isASCII || !(character.isLetter || character.isNumber || "._-".contains(character)) {
            return character == " "
                ? Phrase("a space is not one of A-Z a-z 0-9 . _ -")
                : Phrase("'\(String(character))' is not one of A-Z a-z 0-9 . _ -")
        }
        return nil
    }

    /// The ids that no new geofence gets, because `/v1/geofences/` with one of them is the address of something else.
    package static let reservedForGeofences: Set<String> = ["overlaps"]

    /// Why `id` is not a valid device id; nil when it is: 1 to 128 characters without control characters
    /// and without U+FFFD.
    ///
    /// Trackers have their own ids, so more characters are allowed than for geofences.
    public static func flaw(inDevice id: String) -> Phrase? {
        if id.isEmpty { return .empty }
        if id.utf8.count <= 128, id.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return nil }
        // A character can consist of any number of code points, so bytes are limited, too.
        if id.utf8.count > 1024 { return Phrase("it has \(id.utf8.count) bytes; the maximum is \(1024)") }
        if id.count > 128 { return .tooManyCharacters(id.count, 128) }
        if id.unicodeScalars.contains(where: { [.control, .format].contains($0.properties.generalCategory) }) {
            return .controlCharacter
        }
        // Different names have become equal where U+FFFD replaces what could not be read.
        return id.unicodeScalars.contains("\u{FFFD}")
            ? Phrase("it contains the character U+FFFD, which replaces a character that could not be read") : nil
    }

    /// Why `name` is not a valid name for people; nil when it is: 1 to 120 characters without control characters.
    package static func flaw(inName name: String) -> Phrase? {
        if name.isEmpty { return .empty }
        if name.count > 120 { return .tooManyCharacters(name.count, 120) }
        let hasControl = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControl ? .controlCharacter : nil
    }

    /// The problem of the first of some names for people that is not valid; nil when all are. See `flaw(inName:)`.
    package static func flaw(inNames names: [String], field: String) -> Problem? {
        for name in names {
            guard let reason = flaw(inName: name) else { continue }
            return .validationFailed(field: field, value: name, reason: reason, expected: .name)
        }
        return nil
    }

    /// The name if it is a valid device id, else nil; see `flaw(inDevice:)`.
    public static func device(_ name: String?) -> String? { name.flatMap { flaw(inDevice: $0) == nil ? $0 : nil } }

    /// An id derived from a name: lowercase, words joined by hyphens, at most 64 characters. `fence` if nothing is left.
    public static func derivedOrDefault(from name: String) -> String { derived(from: name) ?? "fence" }

    /// An id derived from a name, as by `derivedOrDefault(from:)`; nil when the name has no letter and no digit.
    ///
    /// Accents are removed, and Greek and Cyrillic letters are transliterated: `Küche` gives `kuche`, `Дом` gives `dom`. Each letter of
    /// another script is spelled by its code point, because a transliteration would need a dictionary: `自宅` gives `u81ea-u5b85`. So the
    /// same name gives the same id in every store.
    public static func derived(from name: String) -> String? {
        var id = ""
        var isAfterSeparator = false
        for character in name.lowercased().inNormalForm {
            let spelling = Transliteration.spelling(of: character)
            switch spelling {
            case .letters(let letters) where !letters.isEmpty:
                if isAfterSeparator, !id.isEmpty { id.append("-") }
                id += letters
                isAfterSeparator = false
            case .codePoints(let word):
                if !id.isEmpty { id.append("-") }
                id += word
                isAfterSeparator = true
            case .letters: break
            case .separator: isAfterSeparator = true
            }
            if id.utf8.count >= 64 { break }
        }
        id = String(id.prefix(64))
        while id.last == "-" { id.removeLast() }
        if reservedForGeofences.contains(id) { return numbered(id, 2) }
        return id.isEmpty ? nil : id
    }

    /// The id itself for 1, else the id with the suffix `-2`, `-3` and so on; at most 64 characters.
    public static func numbered(_ id: String, _ number: Int) -> String {
        if number == 1 { return id }
        let suffix = "-\(number)"
        return id.prefix(64 - suffix.count) + suffix
    }
}
