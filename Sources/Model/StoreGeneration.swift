/// A period of a store's life in which its events are numbered without gaps. A restore begins a new generation.
public struct StoreGeneration: Hashable, Sendable {
    /// Random lowercase hexadecimal digits.
    public var id: String
    /// The id of the generation that its earlier events belong to; nil for the first generation of a store.
    public var parent: String?
    /// The number of the newest event that was taken over from the parent; 0 without a parent.
    public var branch: Int64
    /// The generation's own events have numbers above this one. Numbers from `branch + 1` to `start` are not used in it.
    public var start: Int64

    public init(id: String, parent: String? = nil, branch: Int64 = 0, start: Int64 = 0) {
        self.id = id
        self.parent = parent
        self.branch = branch
        self.start = start
    }
}
