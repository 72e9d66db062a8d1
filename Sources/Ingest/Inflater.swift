import CZlib

/// Decompresses a deflate stream without a header (RFC 1951), with zlib.
///
/// A class, because zlib's state points back to the stream, which must not move.
@safe
final class Inflater {
    /// The greatest size of a piece that is passed on, in bytes.
    static let pieceBytes = 1 << 16

    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        isReady = unsafe picket_begin_inflate(stream) == Z_OK
    }

    deinit {
        if isReady { unsafe _ = inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Passes on the decompressed bytes in pieces. False if the stream is damaged or incomplete, or if there is not enough memory.
    ///
    /// Call it once.
    func decompress<Failure: Error>(_ packed: Bytes, _ body: (Bytes) throws(Failure) -> Void) throws(Failure) -> Bool {
        guard isReady else { return false }
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        var consumed = 0
        while true {
            let (status, read, written) = step(packed.extracting(consumed..<packed.count), &piece)
            consumed += read
            if written > 0 { try body(piece.span.extracting(0..<written)) }
            if status == Z_STREAM_END { return true }
            guard status == Z_OK, read > 0 || written > 0 else { return false }
        }
    }

    /// Decompresses until the piece is full or the input is used up.
    private func step(_ packed: Bytes, _ piece: inout [UInt8]) -> (status: Int32, read: Int, written: Int) {
        let status = unsafe packed.withUnsafeBufferPointer { input in
            unsafe piece.withUnsafeMutableBufferPointer { output in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                return unsafe inflate(stream, Z_NO_FLUSH)
            }
        }
        let read = unsafe packed.count - Int(stream.pointee.avail_in)
        let written = unsafe piece.count - Int(stream.pointee.avail_out)
        return (status, read, written)
    }
}
