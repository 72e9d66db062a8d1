/// The first 16 bytes of a geofence's id, to be compared like the whole; most ids have no more.
struct FenceID: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ id: String) {
        if id.isEmpty {
            (high, low) = (0, 0)
            return
        }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in id.utf8.prefix(16).enumerated() {
            let shifted = UInt64(byte) << UInt64(56 - index % 8 * 8)
            if index < 8 { words.0 |= shifted } else { words.1 |= shifted }
        }
        (high, low) = words
    }

    /// Whether there may be more of the id.
    var isCut: Bool { low & 0xFF != 0 }

    var text: String {
        let bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - $0 * 8)) } }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    static func < (a: FenceID, b: FenceID) -> Bool { a.high != b.high ? a.high < b.high : a.low < b.low }
}
