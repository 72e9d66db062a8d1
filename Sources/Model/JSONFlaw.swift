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
