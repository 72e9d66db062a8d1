/// When a change counts as kept.
public enum Durability: String, CaseIterable, Sendable {
    /// It is on the disk: it survives a power cut.
    case full
    /// The system has it: it survives the end of the process, however that comes, and not a power cut.
    case normal
}
