/// Extracts the body from a stream of bytes that is one HTTP answer with chunked encoding (RFC 9112, 7.1), including its head.
struct ChunkDecoder {
    private enum ParserState {
        /// In the head. The value counts the bytes seen of the empty line that ends the head.
        case head(Int)
        /// In the size of a chunk. The value is the size read so far.
        case size(Int)
        /// In a chunk. The value counts the bytes that are left, including the line end of two bytes.
        case chunk(Int)
    }

    private var place = ParserState.head(0)

    /// Appends the body bytes contained in the next piece of the answer to `body`.
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
                // The last two bytes of a chunk are its line end.
                let text = min(count, max(0, left - 2))
                body.append(contentsOf: bytes[index..<index + text])
                index += count
                place = left == count ? .size(0) : .chunk(left - count)
            }
        }
    }
}
