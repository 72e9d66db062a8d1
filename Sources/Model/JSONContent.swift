/// The content that a member of a JSON object should have. The words of each language are in its catalog.
public enum JSONContent: CaseIterable, Sendable {
    case text
    case number
    case trueOrFalse
    case time
    case knownWord
    case list
    case object
}

extension JSONContent: Named {
    package var phrase: Phrase {
        switch self {
        case .text: Phrase("text")
        case .number: Phrase("number")
        case .trueOrFalse: Phrase("true or false as")
        case .time: Phrase("time")
        case .knownWord: Phrase("known word")
        case .list: Phrase("list")
        case .object: Phrase("object")
        }
    }
}
