/// The error in a text that is not JSON. The associated values of a case are in the order in which its English words name them.
public enum JSONFlaw: Hashable, Sendable {
    case textAfterValue
    case endsBeforeValue
    case noStartOfValue(UInt8)
    case cutOffWord
    case unknownWord
    case noDigits
    case noDigitsAfterPoint
    case noDigitsInExponent
    case startsWithZero
    case tooDeep(Int)
    case endsInArray
    case noCommaOrBracket(UInt8)
    case noName
    case noColon
    case endsInObject
    case noCommaOrBrace(UInt8)
    case controlCharacter
    case endsInString
    case notUTF8
    case halfSurrogate
    case unknownEscape
    case cutOffEscape
    case escapeNotHexadecimal
}

extension JSONFlaw: Named {
    package var phrase: Phrase {
        switch self {
        case .textAfterValue: Phrase("more text after the end of the value")
        case .endsBeforeValue: Phrase("the text ends where a value should be")
        case .noStartOfValue(let byte): Phrase("\(Phrase.character(byte)) is not the start of a value")
        case .cutOffWord: Phrase("a cut-off word")
        case .unknownWord: Phrase("a word that is not true, false or null")
        case .noDigits: Phrase("a number without digits")
        case .noDigitsAfterPoint: Phrase("a number without digits after its point")
        case .noDigitsInExponent: Phrase("a number without digits in its exponent")
        case .startsWithZero: Phrase("a number that starts with 0")
        case .tooDeep(let count): Phrase("nested deeper than \(count) levels")
        case .endsInArray: Phrase("the text ends inside an array")
        case .noCommaOrBracket(let byte): Phrase("\(Phrase.character(byte)) where ',' or ']' should be")
        case .noName: Phrase("a member without a name in quotes")
        case .noColon: Phrase("a name without ':' after it")
        case .endsInObject: Phrase("the text ends inside an object")
        case .noCommaOrBrace(let byte): Phrase("\(Phrase.character(byte)) where ',' or '}' should be")
        case .controlCharacter: Phrase("a control character inside a string")
        case .endsInString: Phrase("the text ends inside a string")
        case .notUTF8: Phrase("a string that is not UTF-8")
        case .halfSurrogate: Phrase("half of a surrogate pair")
        case .unknownEscape: Phrase("an escape that JSON does not know")
        case .cutOffEscape: Phrase("a cut-off \\u escape")
        case .escapeNotHexadecimal: Phrase("a \\u escape that is not hexadecimal")
        }
    }
}
