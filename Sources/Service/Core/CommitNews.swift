import Model

/// What a transaction has changed that others are notified of when it is committed.
struct CommitNews {
    /// The new events, sorted by number.
    var events: [Event] = []
    /// What clients are notified of.
    var notices: [ServiceNotice] = []
    /// The data of devices that was removed.
    var removals: [RemovedData] = []
    /// Whether the owner of the phones was asked to remove some.
    var removesPhones = false
    /// Whether positions were committed, or as much data as positions need. A small change is no proof that a full disk has free space again.
    var hasWritten = false
}
