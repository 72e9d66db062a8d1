extension English {
    func words(_ flaw: JSONFlaw) -> String {
        switch flaw {
        case .textAfterValue: "more text after the end of the value"
        case .endsBeforeValue: "the text ends where a value should be"
        case .noStartOfValue(let a): "\(name(of: a)) is not the start of a value"
        case .cutOffWord: "a cut-off word"
        case .unknownWord: "a word that is not true, false or null"
        case .noDigits: "a number without digits"
        case .noDigitsAfterPoint: "a number without digits after its point"
        case .noDigitsInExponent: "a number without digits in its exponent"
        case .startsWithZero: "a number that starts with 0"
        case .tooDeep(let a): "nested deeper than \(number(a)) levels"
        case .endsInArray: "the text ends inside an array"
        case .noCommaOrBracket(let a): "\(name(of: a)) where ',' or ']' should be"
        case .noName: "a member without a name in quotes"
        case .noColon: "a name without ':' after it"
        case .endsInObject: "the text ends inside an object"
        case .noCommaOrBrace(let a): "\(name(of: a)) where ',' or '}' should be"
        case .controlCharacter: "a control character inside a string"
        case .endsInString: "the text ends inside a string"
        case .notUTF8: "a string that is not UTF-8"
        case .halfSurrogate: "half of a surrogate pair"
        case .unknownEscape: "an escape that JSON does not know"
        case .cutOffEscape: "a cut-off \\u escape"
        case .escapeNotHexadecimal: "a \\u escape that is not hexadecimal"
        }
    }
}
