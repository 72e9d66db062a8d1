/// Takes the body out of an answer in chunks (RFC 9112, 7.1), head and all, as it comes.
struct ChunkDecoder {
    private enum Place {
        /// In the head; how much of the empty line that ends it has been seen.
        case head(Int)
        /// In a chunk's size.
        case size(Int)
        /// In a chunk: how many bytes are left, its line's end included.
        case chunk(Int)
    }

    private var place = Place.head(0)

    mutating func decode(_ bytes: UnsafeRawBufferPointer, into body: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch place {
            case .head(let seen):
                let wanted: UInt8 = seen % 2 == 0 ? 13 : 10
                let now = byte == wanted ? seen + 1 : byte == 13 ? 1 : 0
                place = now == 4 ? .size(0) : .head(now)
                index += 1
            case .size(let size):
                switch byte {
                case 48...57: place = .size(size * 16 + Int(byte - 48))
                case 65...70, 97...102: place = .size(size * 16 + Int((byte | 32) - 87))
                case 10: place = .chunk(size + 2)
                default: break
                }
                index += 1
            case .chunk(let left):
                let count = min(left, bytes.count - index)
                // The last two bytes are the line's end.
                let text = min(count, max(0, left - 2))
                body.append(contentsOf: bytes[index..<index + text])
                index += count
                place = left == count ? .size(0) : .chunk(left - count)
            }
        }
    }
}
