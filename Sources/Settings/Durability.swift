/// When a change counts as saved.
package enum Durability: String, CaseIterable, Sendable {
    /// The change is on the disk, and survives a power failure.
    case full
    /// The operating system has the change. It survives any end of the process, but not a power failure.
    case normal
}
