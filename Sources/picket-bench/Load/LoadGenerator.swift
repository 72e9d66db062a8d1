import Foundation
import Model

/// Sends requests over many persistent connections and measures the latency of each. It runs on the caller's thread.
struct LoadGenerator {
    private var connections: [LoadConnection] = []
    private var poller = Poller()
    private(set) var latency = LatencyHistogram()
    /// The number of answers other than 200, by status.
    private(set) var failedStatuses: [Int: Int] = [:]
    /// The beginning of an answer other than 200; nil if there was none.
    var refusal: String? { connections.lazy.compactMap(\.refusal).first }

    init(port: Int, connections count: Int) throws(Problem) {
        for _ in 0..<count {
            guard let connection = LoadConnection(port: port) else { throw Self.broken() }
            connections.append(connection)
            poller.add(connection.descriptor)
        }
    }

    /// Closes the connections. The generator cannot be used afterward.
    consuming func close() {
        for connection in connections { Foundation.close(connection.descriptor) }
    }

    private static func broken() -> Problem {
        .noConnection(peer: "the service", details: .verbatim(String(cString: strerror(errno))))
    }

    /// Sends `count` requests. Each connection sends its next request as soon as its last is answered.
    ///
    /// - Parameter write: Writes a request into the buffer for the connection with that number.
    mutating func run(
        _ count: Int, _ write: (_ connection: Int, _ request: inout [UInt8]) -> Void
    ) throws(Problem) {
        var begun = 0
        var done = 0
        func begin(
            _ number: Int, _ connections: inout [LoadConnection], _ poller: inout Poller
        ) throws(Problem) {
            begun += 1
            connections[number].request.removeAll(keepingCapacity: true)
            write(number, &connections[number].request)
            connections[number].start = Monotonic.nanoseconds()
            if case .broken = connections[number].begin() { throw Self.broken() }
            poller.setWriting(number, connections[number].isSending)
        }
        for number in connections.indices where begun < count { try begin(number, &connections, &poller) }
        while done < count {
            for number in poller.wait(nanoseconds: 5_000_000_000) {
                guard try proceed(number) else { continue }
                done += 1
                if begun < count { try begin(number, &connections, &poller) }
            }
        }
    }

    /// Sends `count` requests at a rate per second; the connections take turns. The latency of a request is measured from the time at which
    /// it was due, so that it includes any wait for the connection's previous answer.
    ///
    /// - Parameter write: Writes request `number` into the buffer. `due` is when the request is due, in nanoseconds of `Monotonic`.
    mutating func run(
        _ count: Int, rate: Double, _ write: (_ number: Int, _ due: Int64, _ request: inout [UInt8]) -> Void
    ) throws(Problem) {
        let start = Monotonic.nanoseconds()
        let step = 1e9 / rate
        var begun = 0
        var done = 0
        while done < count {
            let now = Monotonic.nanoseconds()
            while begun < count {
                let due = start + Int64(Double(begun) * step)
                let number = begun % connections.count
                guard due <= now, !connections[number].isBusy else { break }
                connections[number].request.removeAll(keepingCapacity: true)
                write(begun, due, &connections[number].request)
                connections[number].start = due
                if case .broken = connections[number].begin() { throw Self.broken() }
                poller.setWriting(number, connections[number].isSending)
                begun += 1
            }
            let next = begun < count ? start + Int64(Double(begun) * step) : now + 5_000_000_000
            // While the next connection in turn is busy, the loop waits for its answer instead of the next due time.
            let isHeldUp = begun < count && connections[begun % connections.count].isBusy
            for number in poller.wait(nanoseconds: isHeldUp ? 5_000_000_000 : max(0, next - now)) where try proceed(number) {
                done += 1
            }
        }
    }

    /// Proceeds with a connection. Returns true when its answer is complete.
    private mutating func proceed(_ number: Int) throws(Problem) -> Bool {
        defer { poller.setWriting(number, connections[number].isSending) }
        switch connections[number].proceed() {
        case .waits: return false
        case .broken: throw Self.broken()
        case .answered(let status):
            latency.add(nanoseconds: Monotonic.nanoseconds() - connections[number].start)
            if status != 200 { failedStatuses[status, default: 0] += 1 }
            return true
        }
    }
}
