import CZlib

/// Decompresses a deflate stream (RFC 1951), alone or in the gzip format (RFC 1952), with zlib.
///
/// A class, because zlib's state points back to the stream, which must not move.
@safe
final class Inflater {
    /// The maximum size of a piece that is passed on, in bytes.
    static let pieceBytes = 1 << 16

    /// The progress of a call.
    enum Status {
        /// The piece is full, or the input is used up.
        case more
        /// The stream has ended.
        case ended
        /// The stream is damaged, there is not enough memory, or a call had neither input nor output.
        case failed
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool

    /// - Parameter isGzip: Whether the stream has the header and the checksum of gzip.
    init(isGzip: Bool = false) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        isReady = unsafe (isGzip ? picket_begin_gunzip(stream) : picket_begin_inflate(stream)) == Z_OK
    }

    deinit {
        if isReady { unsafe _ = inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Starts with another stream.
    func reset() {
        if isReady { unsafe _ = inflateReset(stream) }
    }

    /// Passes on the decompressed bytes in pieces. False if the stream is damaged or incomplete, or if there is not enough memory.
    ///
    /// Call it once.
    func decompress<Failure: Error>(_ packed: Bytes, _ body: (Bytes) throws(Failure) -> Void) throws(Failure) -> Bool {
        let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.pieceBytes)
        defer { unsafe piece.deallocate() }
        unsafe piece.initialize(repeating: 0)
        var consumed = 0
        while true {
            let (status, read, written) = unsafe step(packed.extracting(consumed..<packed.count), into: piece)
            consumed += read
            if written > 0 { try body(unsafe UnsafeBufferPointer(rebasing: piece[..<written]).span) }
            if status == .ended { return true }
            if status == .failed { return false }
        }
    }

    /// Decompresses until the piece is full or the input is used up, and returns how many bytes were read and written.
    func step(_ packed: Bytes, into piece: UnsafeMutableBufferPointer<UInt8>) -> (status: Status, read: Int, written: Int) {
        guard isReady else { return (.failed, 0, 0) }
        let status = unsafe packed.withUnsafeBufferPointer { input in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(input.count)
            unsafe stream.pointee.next_out = piece.baseAddress
            unsafe stream.pointee.avail_out = UInt32(piece.count)
            return unsafe inflate(stream, Z_NO_FLUSH)
        }
        let read = unsafe packed.count - Int(stream.pointee.avail_in)
        let written = unsafe piece.count - Int(stream.pointee.avail_out)
        return (status == Z_STREAM_END ? .ended : status == Z_OK && read + written > 0 ? .more : .failed, read, written)
    }
}
