import Model
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads many streams of events at once, and measures how long each event was on its way. One thread, that of the caller.
struct StreamReaders {
    fileprivate struct Stream {
        var descriptor: Int32
        var chunks = ChunkDecoder()
        /// Of a block whose end is not there yet.
        var rest: [UInt8] = []
        var isConnected = false
        var events = 0
    }

    private var streams: [Stream] = []
    private var poller = Poller()
    private(set) var latency = LatencyHistogram()

    /// Opens so many streams and waits until all of them have begun.
    init(port: Int, count: Int) throws(Problem) {
        var request: [UInt8] = []
        request.append("GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in 0..<count {
            guard var connection = LoadConnection(port: port) else { throw Self.broken(errno) }
            connection.request = request
            if case .broken = connection.begin() { throw Self.broken(errno) }
            streams.append(Stream(descriptor: connection.descriptor))
            poller.add(connection.descriptor)
        }
        let end = Monotonic.nanoseconds() + 20_000_000_000
        while streams.contains(where: { !$0.isConnected }) {
            guard Monotonic.nanoseconds() < end else { throw .timeout(peer: "the service", details: "not all streams began") }
            for number in poller.wait(nanoseconds: 100_000_000) { try read(number) { _ in nil } }
        }
    }

    private static func broken(_ code: Int32) -> Problem {
        .noConnection(peer: "the service", details: "a stream: \(String(cString: strerror(code)))")
    }

    func close() {
        for stream in streams { Glibc.close(stream.descriptor) }
    }

    /// Reads until every stream had so many events, or `isOver` says that it is late.
    ///
    /// - Parameter due: When the position was due that made an event of this time, in nanoseconds of the machine's running time.
    /// - Returns: The fewest events that a stream had.
    mutating func read(
        until wanted: Int, isOver: () -> Bool, due: (Instant) -> Int64?
    ) throws(Problem) -> Int {
        while streams.contains(where: { $0.events < wanted }), !isOver() {
            for number in poller.wait(nanoseconds: 50_000_000) { try read(number, due) }
        }
        return streams.map(\.events).min() ?? 0
    }

    private mutating func read(_ number: Int, _ due: (Instant) -> Int64?) throws(Problem) {
        switch streams[number].receive() {
        case 0: throw Self.broken(ECONNRESET)
        case -1: if errno != EAGAIN, errno != EINTR { throw Self.broken(errno) }
        default:
            let now = Monotonic.nanoseconds()
            streams[number].takeBlocks { time in if let due = time.flatMap(due) { latency.add(nanoseconds: now - due) } }
        }
    }
}

extension StreamReaders.Stream {
    /// Reads once, and gives what `read` gave.
    fileprivate mutating func receive() -> Int {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { chunks.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &rest) }
            return count
        }
    }

    /// Takes the whole blocks out, and tells the time of each event.
    fileprivate mutating func takeBlocks(_ tell: (Instant?) -> Void) {
        var taken = 0
        rest.withUnsafeBufferPointer { bytes in
            while let end = HTTPHead.find("\n\n", in: bytes[taken...]) {
                let block = bytes[taken..<end]
                if HTTPHead.find(": connected", in: block) != nil { isConnected = true }
                let name: StaticString = "\"occurredAt\":\""
                if let place = HTTPHead.find(name, in: block).map({ $0 + name.utf8CodeUnitCount }), place + 24 <= end {
                    events += 1
                    tell(Instant(rfc3339: UnsafeBufferPointer(rebasing: bytes[place..<place + 24])))
                }
                taken = end + 2
            }
        }
        rest.removeFirst(taken)
    }
}
