/// A period of a store's life in which its events are numbered without gaps. A restore begins a new epoch.
package struct StoreEpoch: Hashable, Sendable {
    /// Random lowercase hexadecimal digits.
    package var id: String
    /// The id of the epoch that its earlier events belong to; nil for the first epoch of a store.
    package var parent: String?
    /// The number of the newest event that was taken over from the parent; 0 without a parent.
    package var branch: Int64
    /// The epoch's own events have numbers above this one. Numbers from `branch + 1` to `start` are not used in it.
    package var start: Int64

    package init(id: String, parent: String? = nil, branch: Int64 = 0, start: Int64 = 0) {
        self.id = id
        self.parent = parent
        self.branch = branch
        self.start = start
    }
}
