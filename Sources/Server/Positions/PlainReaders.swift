import Ingest
import Synchronization

/// A pool of readers for single positions, which are reused because of what they have cached.
final class PlainReaders: Sendable {
    private let idle = Mutex<[PlainPositionReader]>([])
    private let options: DecodingOptions

    init(_ options: DecodingOptions) { self.options = options }

    /// Calls `body` with a reader of the pool.
    func use(_ body: (inout PlainPositionReader) -> Bool) -> Bool {
        var reader = idle.withLock { $0.popLast() } ?? PlainPositionReader(options: options)
        let result = body(&reader)
        idle.withLock { $0.append(reader) }
        return result
    }
}
