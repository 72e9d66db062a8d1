import Foundation
import Model
import Synchronization

/// Reads many event streams and measures the delay of each event. It runs on the caller's thread.
struct StreamReaders {
    fileprivate struct Stream {
        var descriptor: Int32
        var chunks = ChunkDecoder()
        /// The bytes of a block that is not complete yet.
        var incompleteBlock: [UInt8] = []
        var isConnected = false
        var events = 0
    }

    private var streams: [Stream] = []
    private var poller = Poller()
    private(set) var latency = LatencyHistogram()

    /// Opens `count` streams and waits until all have begun.
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
            guard Monotonic.nanoseconds() < end else { throw .benchmark("not all streams began in time") }
            for number in poller.wait(nanoseconds: 100_000_000) { try read(number) { _ in nil } }
        }
    }

    private static func broken(_ code: Int32) -> Problem {
        .benchmark("a stream ended: \(String(cString: strerror(code)))")
    }

    func close() {
        for stream in streams { Foundation.close(stream.descriptor) }
    }

    /// Reads until every stream has had `wanted` events, or `isOver` returns true.
    ///
    /// - Parameter due: Returns when the position of the event with this time was due, in nanoseconds of `Monotonic`.
    /// - Returns: The smallest number of events that any stream has had.
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
            streams[number].removeCompleteBlocks { time in if let due = time.flatMap(due) { latency.add(nanoseconds: now - due) }
            }
        }
    }
}

extension StreamReaders.Stream {
    /// Reads once from the socket; returns the result of `read`.
    fileprivate mutating func receive() -> Int {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { chunks.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &incompleteBlock) }
            return count
        }
    }

    /// Removes the complete blocks from `rest`, and passes the time of each event to `report`.
    fileprivate mutating func removeCompleteBlocks(_ report: (Instant?) -> Void) {
        var taken = 0
        incompleteBlock.withUnsafeBufferPointer { bytes in
            while let end = HTTPHead.find("\n\n", in: bytes[taken...]) {
                let block = bytes[taken..<end]
                if HTTPHead.find("event: heartbeat", in: block) != nil { isConnected = true }
                let name: StaticString = "\"occurredAt\":\""
                if let place = HTTPHead.find(name, in: block).map({ $0 + name.utf8CodeUnitCount }), place + 24 <= end {
                    events += 1
                    report(Instant(rfc3339: UnsafeBufferPointer(rebasing: bytes[place..<place + 24])))
                }
                taken = end + 2
            }
        }
        incompleteBlock.removeFirst(taken)
    }
}
