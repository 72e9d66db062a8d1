/// A page of a list.
package struct Page<Item: Sendable>: Sendable {
    package var items: [Item]
    /// The place to pass in the request for the next page; nil on the last page.
    package var next: String?
    /// The number of items between the preceding page and the end of this one that the request asks to leave out.
    package var omitted = 0

    package init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }

    /// Creates a page from up to `limit` + 1 items. The additional item only shows that there is a next page.
    package init(_ items: [Item], limit: Int, place: (Item) -> String) {
        self.items = Array(items.prefix(limit))
        next = items.count > limit ? self.items.last.map(place) : nil
    }

    package func map<Other: Sendable>(_ transform: (Item) -> Other) -> Page<Other> {
        var page = Page<Other>(items.map(transform), next: next)
        page.omitted = omitted
        return page
    }
}
