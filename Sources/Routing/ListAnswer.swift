import Core
import Model

/// A list as JSON, `{"<name>":[…],…}`, which is read and sent in pieces. A client that reads slowly, or not at all, keeps only
/// one piece in memory, and other clients' queries are performed between the pieces.
///
/// A piece shows the store as it is when the piece is read.
package struct ListAnswer<Item: Sendable>: Sendable {
    /// How far a list has been read.
    package struct Progress: Sendable {
        /// The place after which the list continues; nil at its beginning and at its end.
        package var place: String?
        package var count = 0
        package var last: Item?
        /// See `Page.omitted`.
        package var omitted = 0
    }

    private let name: String
    /// The maximum number of items.
    private let limit: Int
    /// The maximum number of items that are read at once.
    package let step: Int
    /// Reads at most a number of items after a place.
    private let read: @Sendable (Queries, _ after: String?, _ limit: Int) throws(Problem) -> Page<Item>
    private let json: @Sendable (Item) -> JSONValue
    /// The members after the list.
    private let end: @Sendable (Queries, Progress) throws(Problem) -> [JSONValue.Member]

    package init(
        name: String, limit: Int, step: Int = 100,
        read: @escaping @Sendable (Queries, _ after: String?, _ limit: Int) throws(Problem) -> Page<Item>,
        json: @escaping @Sendable (Item) -> JSONValue,
        end: @escaping @Sendable (Queries, Progress) throws(Problem) -> [JSONValue.Member]
    ) {
        self.name = name
        self.limit = limit
        self.step = step
        self.read = read
        self.json = json
        self.end = end
    }

    /// Reads the first piece.
    ///
    /// - Parameter place: The place after which the list begins; nil for the beginning.
    package func first(of service: Queries, after place: String?) throws(Problem) -> (piece: Download.Piece, isEmpty: Bool) {
        var progress = Progress(place: place)
        let piece = try piece(service, &progress)
        return (piece, progress.count == 0)
    }

    private func piece(_ service: Queries, _ progress: inout Progress) throws(Problem) -> Download.Piece {
        var text = progress.count == 0 ? "{\"\(name)\":[" : ""
        var isComplete = false
        while !isComplete, text.utf8.count < Download.usualPiece {
            let page = try read(service, progress.place, min(step, limit - progress.count))
            for item in page.items {
                if progress.count > 0 { text += "," }
                json(item).write(into: &text)
                progress.count += 1
            }
            progress.last = page.items.last ?? progress.last
            progress.place = page.next
            progress.omitted += page.omitted
            isComplete = page.next == nil || progress.count >= limit
        }
        guard isComplete else {
            return Download.Piece(text: text) { [progress] service throws(Problem) in
                var progress = progress
                return try piece(service, &progress)
            }
        }
        text += "]"
        for member in try end(service, progress) {
            text += ",\(JSONValue.string(member.name)):"
            member.value.write(into: &text)
        }
        return Download.Piece(text: text + "}", next: nil)
    }
}

extension Response {
    /// An answer that begins with a piece. An answer of one piece is sent as a whole.
    package static func pieces(_ first: Download.Piece, _ contentType: String = "application/json", for call: Call) -> Response {
        Response(
            status: 200, contentType: contentType,
            body: first.next == nil ? .bytes(first.bytes) : .download(Download(first, call.readers, for: call.client)))
    }

    /// A list that is read in pieces, from the place in `after` on: `{"<name>":[…],"next":…}`, without `next` at the end of the list.
    ///
    /// - Parameters:
    ///   - step: The maximum number of items that are read at once.
    ///   - read: Reads at most a number of items after a place.
    ///   - more: Further members, given the number of items that are left out.
    package static func list<Item>(
        _ name: String, of service: Queries, for call: Call, step: Int = 100,
        read: @escaping @Sendable (Queries, _ after: String?, _ limit: Int) throws(Problem) -> Page<Item>,
        with more: @escaping @Sendable (Queries, _ omitted: Int) throws(Problem) -> [JSONValue.Member] = { _, _ in [] },
        json: @escaping @Sendable (Item) -> JSONValue
    ) throws(Problem) -> Response {
        let list = ListAnswer(name: name, limit: try call.limit(), step: step, read: read, json: json) {
            service, progress throws(Problem) in
            let next = progress.place.map { [JSONValue.Member("next", .string($0))] } ?? []
            return next + (try more(service, progress.omitted))
        }
        return .pieces(try list.first(of: service, after: call.after).piece, for: call)
    }
}
