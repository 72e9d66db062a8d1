import Model

/// What a transaction has changed that others are notified of when it is committed.
package struct CommitNews {
    /// The new events, sorted by number.
    package var events: [Event] = []
    /// What clients are notified of.
    package var notices: [ServiceNotice] = []
    /// The data of devices that was removed.
    package var removals: [RemovedData] = []
    /// Whether the owner of the phones was asked to remove some.
    package var removesPhones = false
    /// Whether positions were committed, or as much data as positions need. A small change is no proof that a full disk has free space again.
    package var hasWritten = false
}
