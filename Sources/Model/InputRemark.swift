/// A remark to a person whose input was read in a way that the input does not state.
public enum InputRemark: String, CaseIterable, Sendable {
    /// The text is not UTF-8, and was read as Windows-1252.
    case windows1252
}
