import CZlib
import Model

/// A ZIP archive in memory (PKWARE APPNOTE 6.3.10), of which single files are unpacked. Archives of more than 4 GB and several volumes are not
/// supported.
struct ZipArchive {
    /// The maximum size of an archive in bytes.
    static let maxBytes = 64 << 20
    /// The maximum size of an unpacked file in bytes. A small archive can unpack to a thousand times its size.
    static let maxUnpackedBytes = 64 << 20

    /// A file of the archive.
    struct Entry {
        var name: String
        /// How the file is compressed: 0 for not at all, 8 for deflate.
        fileprivate var method: Int
        fileprivate var isEncrypted: Bool
        fileprivate var packedSize: Int
        fileprivate var checksum: UInt32
        /// Where its local header starts.
        fileprivate var offset: Int
    }

    /// The central directory is not where it should be, or is cut off.
    struct Damage: Error {}

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The first file of the central directory whose name has this extension; nil for none. Hidden files, such as those that macOS adds, are
    /// skipped.
    ///
    /// - Complexity: O(*n*) in the number of files.
    func firstEntry(withExtension suffix: String) throws(Damage) -> Entry? {
        guard let end = endOfDirectory else { throw Damage() }
        var place = number(at: end + 16, bytes: 4)
        for _ in 0..<number(at: end + 10, bytes: 2) {
            guard place + 46 <= bytes.count, number(at: place, bytes: 4) == 0x0201_4B50 else { throw Damage() }
            let nameEnd = place + 46 + number(at: place + 28, bytes: 2)
            guard nameEnd <= bytes.count else { throw Damage() }
            let name = bytes.span.text((place + 46)..<nameEnd)
            let last = name.split(separator: "/").last ?? ""
            if last.lowercased().hasSuffix(suffix), !last.hasPrefix(".") {
                return Entry(
                    name: name, method: number(at: place + 10, bytes: 2), isEncrypted: number(at: place + 8, bytes: 2) & 1 == 1,
                    packedSize: number(at: place + 20, bytes: 4), checksum: UInt32(number(at: place + 16, bytes: 4)),
                    offset: number(at: place + 42, bytes: 4))
            }
            place = nameEnd + number(at: place + 30, bytes: 2) + number(at: place + 32, bytes: 2)
        }
        return nil
    }

    /// Unpacks a file, and passes it on in pieces of at most 64 kB.
    ///
    /// - Parameter source: The name of the archive, for messages.
    /// - Throws: `Problem.decodingFailed` for a damaged or encrypted file and an unknown compression, `.tooLarge` for one of more than
    ///   `maxUnpackedBytes`, and the problems of `body`.
    func unpack(_ entry: Entry, source: ProblemSubject, _ body: (Bytes) throws(Problem) -> Void) throws(Problem) {
        func failure(_ reason: Phrase) -> Problem { .decodingFailed(source: source, line: nil, reason: reason) }
        if entry.isEncrypted { throw failure(.expecting(.zipEncrypted(entry.name), .unpackedFile)) }
        guard entry.offset + 30 <= bytes.count, number(at: entry.offset, bytes: 4) == 0x0403_4B50 else {
            throw failure(.zipDamaged)
        }
        let start = entry.offset + 30 + number(at: entry.offset + 26, bytes: 2) + number(at: entry.offset + 28, bytes: 2)
        guard start + entry.packedSize <= bytes.count else { throw failure(.zipDamaged) }
        let packed = bytes.span.extracting(start..<(start + entry.packedSize))
        var unpacked = 0
        var checksum: UInt = 0
        func passOn(_ piece: Bytes) throws(Problem) {
            unpacked += piece.count
            if unpacked > Self.maxUnpackedBytes {
                throw .tooLarge(
                    what: .archived(source, entry.name), limit: .or(.mebibytes(Self.maxUnpackedBytes >> 20), .unpackedFile))
            }
            checksum = unsafe piece.withUnsafeBufferPointer { unsafe crc32(checksum, $0.baseAddress, UInt32($0.count)) }
            try body(piece)
        }
        switch entry.method {
        case 0:
            for place in stride(from: 0, to: packed.count, by: Inflater.pieceBytes) {
                try passOn(packed.extracting(place..<min(packed.count, place + Inflater.pieceBytes)))
            }
        case 8:
            let inflater = Inflater()
            let isWhole = try inflater.decompress(packed) { (piece) throws(Problem) in try passOn(piece) }
            guard isWhole else { throw failure(.zipDamaged) }
        default: throw failure(.expecting(.zipMethod(entry.name, entry.method), .unpackedFile))
        }
        if checksum != UInt(entry.checksum) { throw failure(.zipDamaged) }
    }

    /// Where the record at the end of the central directory starts. A comment of up to 65,535 bytes may follow it.
    private var endOfDirectory: Int? {
        var place = bytes.count - 22
        let least = max(0, place - 65_535)
        while place >= least {
            if number(at: place, bytes: 4) == 0x0605_4B50, place + 22 + number(at: place + 20, bytes: 2) <= bytes.count {
                return place
            }
            place -= 1
        }
        return nil
    }

    /// The little-endian number at a place inside of the archive.
    private func number(at place: Int, bytes count: Int) -> Int {
        var number = 0
        for index in 0..<count { number |= Int(bytes[place + index]) << (8 * index) }
        return number
    }
}

extension ZipArchive {
    /// Unpacks the first KML file of a KMZ archive.
    ///
    /// - Throws: `Problem.unsupportedFormat` for an archive without one, and the problems of `unpack`.
    static func unpackKML(
        _ bytes: [UInt8], source: ProblemSubject, supported: Phrase, _ body: (Bytes) throws(Problem) -> Void
    ) throws(Problem) {
        let archive = ZipArchive(bytes)
        let entry: Entry?
        do throws(Damage) {
            entry = try archive.firstEntry(withExtension: ".kml")
        } catch {
            throw .unsupportedFormat(source: source, found: .zipDamaged, supported: supported)
        }
        guard let entry else { throw .unsupportedFormat(source: source, found: .zip, supported: supported) }
        try archive.unpack(entry, source: source, body)
    }
}
