import CZlib

/// Compresses bytes in the gzip format (RFC 1952), with zlib.
enum Gzip {
    /// The bytes compressed at zlib's highest level; nil when there is not enough memory.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe picket_begin_gzip(&stream, Z_BEST_COMPRESSION) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        var packed = [UInt8](repeating: 0, count: Int(unsafe deflateBound(&stream, UInt(bytes.count))))
        let isDone = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe packed.withUnsafeMutableBufferPointer { packed in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = packed.baseAddress
                unsafe stream.avail_out = UInt32(packed.count)
                return unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        guard isDone else { return nil }
        packed.removeLast(packed.count - Int(unsafe stream.total_out))
        return packed
    }
}
