/// A position in the sequence of events: all events up to and including the one with number `sequence` have been read.
///
/// As text, a cursor is `20-5f0c2a9be1d34c77`: the number of the event, and the id of the epoch of the store that gave the number.
/// `20` is a cursor without an epoch.
public struct EventCursor: Hashable, Sendable {
    /// The number of the last event read; 0 before the first event.
    public var sequence: Int64
    /// The id of a `StoreEpoch`; nil when the reader gave none.
    public var epoch: String?

    /// Creates a cursor after the event with this number in a store of this epoch.
    public init(_ sequence: Int64, of epoch: String?) {
        self.sequence = sequence
        self.epoch = epoch
    }

    /// Why a store cannot continue from a cursor.
    public enum Mismatch: String, CaseIterable, Sendable {
        /// The cursor is from another epoch of this store, which was restored since, for example from a backup.
        case restored = "setBack"
        /// The cursor is from an unrelated store.
        case otherStore
        /// The store has no event with this number yet.
        case beyondNewest
    }
}

extension EventCursor: LosslessStringConvertible {
    public var description: String { epoch.map { "\(sequence)-\($0)" } ?? "\(sequence)" }

    /// - Returns: Nil unless the text is digits, or digits, a hyphen and 1 to 64 lowercase hexadecimal digits.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let sequence = Int64(first)
        else { return nil }
        let epoch = parts.count > 1 ? String(parts[1]) : nil
        if let epoch {
            let digits = Array("0123456789abcdef".utf8)
            guard (1...64).contains(epoch.utf8.count), epoch.utf8.allSatisfy(digits.contains) else { return nil }
        }
        self.init(sequence, of: epoch)
    }
}
