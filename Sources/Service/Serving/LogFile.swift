import Foundation

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
    init?(_ descriptor: Int32) {
        let before = Self.readHeader(descriptor)
        var found = stat()
        guard fstat(descriptor, &found) == 0, before == Self.readHeader(descriptor) else { return nil }
        header = before
        size = Int(found.st_size)
    }

    private static func readHeader(_ descriptor: Int32) -> SIMD4<UInt64>? {
        var header = SIMD4<UInt64>()
        return unsafe pread(descriptor, &header, headerSize, 0) == headerSize ? header : nil
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
    func stillContains(_ earlier: LogFile, _ descriptor: Int32) -> Bool {
        guard let header, earlier.header == header else { return true }
        let frameSize = Self.frameHeaderSize + Int(UInt32(truncatingIfNeeded: UInt64(bigEndian: header[1]) >> 32))
        let frames = (earlier.size - Self.headerSize) / frameSize
        guard frames > 0 else { return true }
        var page: UInt32 = 0
        let offset = Self.headerSize + (frames - 1) * frameSize
        guard unsafe pread(descriptor, &page, 4, off_t(offset)) == 4 else { return readAgainDiffers(descriptor) }
        return page != 0 || readAgainDiffers(descriptor)
    }

    /// Whether the log was emptied or begun again since it was read.
    private func readAgainDiffers(_ descriptor: Int32) -> Bool { Self.readHeader(descriptor) != header }
}
