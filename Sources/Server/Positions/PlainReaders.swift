import Ingest
import Synchronization

/// Readers of single positions, kept from one request to the next for what they have learned.
final class PlainReaders: Sendable {
    private let idle = Mutex<[PlainPositionReader]>([])

    /// Lends one.
    func use(_ body: (inout PlainPositionReader) -> Bool) -> Bool {
        var reader = idle.withLock { $0.popLast() } ?? PlainPositionReader()
        let result = body(&reader)
        idle.withLock { $0.append(reader) }
        return result
    }
}
