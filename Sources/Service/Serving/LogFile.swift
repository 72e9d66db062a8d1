import Foundation
import Model

/// The size and the header of a write-ahead log at one moment, which show later whether the log was cut
/// (https://www.sqlite.org/fileformat.html, section 4).
///
/// SQLite makes a log smaller only when it empties it, and writes a new header with other salts then. A log with the same header that is
/// smaller was cut by somebody else. When SQLite has continued a cut log at its old length, the file is as long as before, but zeros replace
/// the last page of that length.
struct LogFile: Equatable {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// In bytes.
    let size: Int
    /// The 32 bytes of the header; nil if the log is shorter.
    private let header: SIMD4<UInt64>?

    /// Reads the log of a descriptor, which another thread may write. Nil if the log was emptied or begun again meanwhile.
    ///
    /// - Throws: `Problem.fileFailed` if the system failed to read.
    init?(_ descriptor: Int32, path: String, _ read: StoreFileCheck.PositionedRead) throws(Problem) {
        let before = try Self.readHeader(descriptor, path, read)
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { throw Self.failure(path) }
        guard before == (try Self.readHeader(descriptor, path, read)) else { return nil }
        header = before
        size = Int(found.st_size)
    }

    private static func readHeader(
        _ descriptor: Int32, _ path: String, _ read: StoreFileCheck.PositionedRead
    ) throws(Problem) -> SIMD4<UInt64>? {
        var header = SIMD4<UInt64>()
        let count = unsafe read(descriptor, &header, headerSize, 0)
        if count < 0 { throw failure(path) }
        return count == headerSize ? header : nil
    }

    private static func failure(_ path: String) -> Problem {
        .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
    }

    /// Whether the log does not begin with the number that marks it, or is smaller than before.
    func isCut(since earlier: LogFile?) -> Bool {
        if size == 0 { return false }
        // A log that was emptied and then continued begins with zeros.
        guard let header, UInt32(UInt64(bigEndian: header[0]) >> 32) & ~1 == 0x377F_0682 else { return true }
        guard let earlier, earlier.header == header else { return false }
        return size < earlier.size
    }

    /// Whether the last page of an earlier state is still in the log. Each page is preceded by its number, which is never zero.
    ///
    /// - Throws: `Problem.fileFailed` if the system failed to read.
    func stillContains(
        _ earlier: LogFile, descriptor: Int32, path: String, reading read: StoreFileCheck.PositionedRead
    ) throws(Problem) -> Bool {
        guard let header, earlier.header == header else { return true }
        let frameSize = Self.frameHeaderSize + Int(UInt32(truncatingIfNeeded: UInt64(bigEndian: header[1]) >> 32))
        let frames = (earlier.size - Self.headerSize) / frameSize
        guard frames > 0 else { return true }
        var page: UInt32 = 0
        let offset = Self.headerSize + (frames - 1) * frameSize
        let count = unsafe read(descriptor, &page, 4, off_t(offset))
        if count < 0 { throw Self.failure(path) }
        if count == 4, page != 0 { return true }
        // The log may have been emptied or begun again since it was read.
        return try Self.readHeader(descriptor, path, read) != header
    }
}
