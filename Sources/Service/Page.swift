/// A part of a list.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// What to ask after for the part that follows; nil at the end.
    public var next: String?

    public init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }

    /// A page out of one item more than it may have, if there is one more.
    init(_ items: [Item], limit: Int, place: (Item) -> String) {
        self.items = Array(items.prefix(limit))
        next = items.count > limit ? self.items.last.map(place) : nil
    }

    public func map<Other: Sendable>(_ transform: (Item) -> Other) -> Page<Other> {
        Page<Other>(items.map(transform), next: next)
    }
}
