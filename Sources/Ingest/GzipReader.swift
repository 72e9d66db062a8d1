import Model

/// Passes on an input in pieces, and decompresses it if it is in the gzip format (RFC 1952), including files with several
/// members. It holds one piece.
///
/// An input is in that format if it starts with the byte 1F, because no text and no other format of positions does.
@safe
package final class GzipReader {
    private enum State {
        case start, plain, inMember, betweenMembers
    }

    private let source: ProblemSubject
    private var state = State.start
    private var inflater: Inflater?
    private var piece = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    /// Whether the last piece was full, so that more may follow without further input.
    private var isPieceFull = false
    private var isDamaged = false

    /// - Parameter source: The name of the input, for messages.
    package init(source: ProblemSubject) { self.source = source }

    deinit { unsafe piece.deallocate() }

    /// The next piece of the input, of at most 64 kB if it is compressed; nil when a chunk is used up. The piece is valid until the next call.
    ///
    /// - Parameters:
    ///   - chunk: The next bytes of the input. Call again with the same chunk until the result is nil.
    ///   - offset: How many bytes of the chunk were used. Start with 0.
    /// - Throws: `Problem.decodingFailed` for damaged data, after the pieces before it.
    package func nextPiece(
        of chunk: UnsafeBufferPointer<UInt8>, from offset: inout Int
    ) throws(Problem) -> UnsafeBufferPointer<UInt8>? {
        let bytes = unsafe chunk.span
        while !isDamaged, offset < bytes.count || isPieceFull {
            switch state {
            case .start:
                state = bytes[offset] == 0x1F ? .inMember : .plain
                guard state == .inMember else { continue }
                inflater = Inflater(isGzip: true)
                unsafe piece = .allocate(capacity: Inflater.pieceBytes)
                unsafe piece.initialize(repeating: 0)
            case .plain:
                defer { offset = bytes.count }
                return unsafe UnsafeBufferPointer(rebasing: chunk[offset...])
            case .betweenMembers:
                // Some programs pad the data with zeros.
                if bytes[offset] == 0 {
                    offset += 1
                } else if bytes[offset] == 0x1F {
                    inflater?.reset()
                    state = .inMember
                } else {
                    isDamaged = true
                }
            case .inMember:
                guard let inflater else { return nil }
                let wasFull = isPieceFull
                let (status, read, written) = unsafe inflater.step(bytes.extracting(offset..<bytes.count), into: piece)
                offset += read
                isPieceFull = status == .more && written == Inflater.pieceBytes
                if status == .ended { state = .betweenMembers }
                // After a full piece there may be nothing more.
                if status == .failed, !(wasFull && offset == bytes.count && read + written == 0) { isDamaged = true }
                if written > 0 { return unsafe UnsafeBufferPointer(rebasing: piece[..<written]) }
            }
        }
        if isDamaged { throw .decodingFailed(source: source, line: nil, reason: .gzipDamaged) }
        return nil
    }

    /// Call at the end of the input.
    ///
    /// - Throws: `Problem.decodingFailed` if compressed data is incomplete. The end of what was decompressed may then be incomplete, too.
    package func finish() throws(Problem) {
        if state == .inMember { throw .decodingFailed(source: source, line: nil, reason: .gzipCutOff) }
    }
}
