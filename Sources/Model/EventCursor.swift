/// A place in the sequence of events: everything up to and including one event has been read.
///
/// Its text is `20-5f0c2a9be1d34c77`: the event's number, and the generation of the store that the number is from. A bare `20` says
/// no generation.
public struct EventCursor: Hashable, Sendable {
    /// The number of the event; 0 is the place before the first one.
    public var sequence: Int64
    /// The id of a `StoreGeneration`; nil when the reader did not say.
    public var generation: String?

    public init(_ sequence: Int64, of generation: String?) {
        self.sequence = sequence
        self.generation = generation
    }

    /// Why a store cannot go on from a cursor.
    public enum Mismatch: String, CaseIterable, Sendable {
        /// It is from another generation of this store: the store was set back since, as by a restored backup.
        case setBack
        /// It is from a store that has nothing to do with this one.
        case otherStore
        /// The store has no event of that number yet.
        case beyondNewest
    }
}

extension EventCursor: LosslessStringConvertible {
    public var description: String { generation.map { "\(sequence)-\($0)" } ?? "\(sequence)" }

    /// - Returns: Nil for anything but digits, or digits, a hyphen, and the lowercase hexadecimal digits of a generation.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let sequence = Int64(first)
        else { return nil }
        let generation = parts.count > 1 ? String(parts[1]) : nil
        if let generation {
            let digits = Array("0123456789abcdef".utf8)
            guard (1...64).contains(generation.utf8.count), generation.utf8.allSatisfy(digits.contains) else { return nil }
        }
        self.init(sequence, of: generation)
    }
}
