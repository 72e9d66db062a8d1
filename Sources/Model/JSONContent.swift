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
