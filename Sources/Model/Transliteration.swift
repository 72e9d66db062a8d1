/// Spells letters of any script with `a-z` and `0-9`, for ids.
enum Transliteration {
    /// How a character is spelled.
    enum Spelling: Hashable {
        /// Latin letters and digits. Empty for a letter without a sound, such as the Cyrillic soft sign.
        case letters(String)
        /// The code points of a letter that has no spelling in Latin letters, such as `u81ea`.
        case codePoints(String)
        /// The character is neither a letter nor a digit.
        case separator
    }

    /// The spelling of a lowercase character in normal form C.
    static func spelling(of character: Character) -> Spelling {
        if character.isASCII { return character.isLetter || character.isNumber ? .letters(String(character)) : .separator }
        if let letters = letters[character] { return .letters(letters) }
        var spelled = ""
        for scalar in String(character).decomposed.unicodeScalars where !isMark(scalar) {
            let base = Character(scalar)
            if let letters = letters[base] {
                spelled += letters
            } else if base.isASCII, base.isLetter || base.isNumber {
                spelled.append(base)
            } else if case .decimal? = scalar.properties.numericType, let value = scalar.properties.numericValue {
                spelled += "\(Int(value))"
            } else {
                spelled = ""
                break
            }
        }
        if !spelled.isEmpty { return .letters(spelled) }
        let words = character.unicodeScalars.filter { $0.properties.isAlphabetic && !isMark($0) }.map {
            "u" + String($0.value, radix: 16)
        }
        return words.isEmpty ? .separator : .codePoints(words.joined(separator: "-"))
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .enclosingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }

    /// Lowercase letters whose spelling is not their base letter.
    private static let letters: [Character: String] = {
        var letters: [Character: String] = ["ъ": "", "ь": ""]
        let pairs = """
            ß ss æ ae œ oe ø o đ d ð d þ th ł l ı i ħ h ŋ n ŧ t ə e
            α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o
            а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e
            ю yu я ya є ye і i ї yi ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz ә a ғ g қ q ң n ө o ұ u ү u һ h
            """.split { $0.isWhitespace }
        for index in stride(from: 0, to: pairs.count, by: 2) {
            letters[Character(String(pairs[index]))] = String(pairs[index + 1])
        }
        return letters
    }()
}
