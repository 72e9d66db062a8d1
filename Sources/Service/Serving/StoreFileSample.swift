import SQLite

/// A digest of the first and the last pages of a store's file, which shows whether somebody else has written another content into it.
///
/// Nearly every change of a store touches these pages: the first have the settings, and the last the newest positions and events.
struct StoreFileSample: Equatable {
    private static let partSize = 1 << 16

    private let digest: Int

    /// - Returns: Nil if the system failed to read the file.
    init?(_ file: DatabaseFileReader, size: Int64) {
        guard let start = file.read(Self.partSize, at: 0),
            let end = file.read(Self.partSize, at: max(0, size - Int64(Self.partSize)))
        else { return nil }
        var hasher = Hasher()
        start.withUnsafeBytes { hasher.combine(bytes: $0) }
        end.withUnsafeBytes { hasher.combine(bytes: $0) }
        digest = hasher.finalize()
    }
}
