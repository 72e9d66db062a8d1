/// The fences that a device is not simply outside of, in no order. The first few lie in the device's state itself: most devices are in
/// no more, and what lies elsewhere costs a fix the time of a hundred others.
struct Standings: Sendable {
    private static let inline = 4

    private var first = InlineArray<4, Standing>(repeating: Standing(.init(-1), .unknown))
    private(set) var count = 0
    private var rest: [Standing] = []

    var indices: Range<Int> { 0..<count }

    @inline(__always)
    subscript(index: Int) -> Standing {
        get { index < Self.inline ? first[index] : rest[index - Self.inline] }
        set { if index < Self.inline { first[index] = newValue } else { rest[index - Self.inline] = newValue } }
    }

    mutating func append(_ standing: Standing) {
        if count < Self.inline { first[count] = standing } else { rest.append(standing) }
        count += 1
    }

    /// Takes one out; the last takes its place.
    mutating func remove(at index: Int) {
        self[index] = self[count - 1]
        if count > Self.inline { rest.removeLast() }
        count -= 1
    }

    /// Where a standing is that meets a condition.
    func firstIndex(where condition: (Standing) -> Bool) -> Int? {
        for index in indices where condition(self[index]) { return index }
        return nil
    }
}
