/// The first 16 bytes of a geofence's id, which sort like the whole id. Most ids are not longer than that.
struct FenceID: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ id: String) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        var shift: UInt64 = 128
        for byte in id.utf8 where shift > 0 {
            shift -= 8
            if shift >= 64 { high |= UInt64(byte) << (shift - 64) } else { low |= UInt64(byte) << shift }
        }
        (self.high, self.low) = (high, low)
    }

    /// Whether the id may have more than 16 bytes.
    var mayBeTruncated: Bool { low & 0xFF != 0 }

    var text: String {
        let bytes: [UInt8] = [high, low].flatMap { (word: UInt64) -> [UInt8] in
            (0..<8).map { index in UInt8(truncatingIfNeeded: word >> UInt64(56 - index * 8)) }
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    static func < (a: FenceID, b: FenceID) -> Bool { a.high != b.high ? a.high < b.high : a.low < b.low }
}
