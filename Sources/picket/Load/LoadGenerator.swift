import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Sends requests over many kept-alive connections and measures each. One thread, that of the caller.
struct LoadGenerator {
    private var connections: [LoadConnection] = []
    private var poller = Poller()
    private(set) var latency = LatencyHistogram()
    /// Answers other than 200, by status.
    private(set) var others: [Int: Int] = [:]
    /// The beginning of an answer other than 200.
    var refusal: String? { connections.lazy.compactMap(\.refusal).first }

    init(port: Int, connections count: Int) throws(Problem) {
        for _ in 0..<count {
            guard let connection = LoadConnection(port: port) else { throw Self.broken() }
            connections.append(connection)
            poller.add(connection.descriptor)
        }
    }

    /// Closes the connections. The generator can be used no more.
    consuming func close() {
        for connection in connections { Glibc.close(connection.descriptor) }
    }

    private static func broken() -> Problem {
        .noConnection(peer: "the service", details: String(cString: strerror(errno)))
    }

    /// Sends so many requests: each connection the next as soon as its last is answered.
    ///
    /// - Parameter write: Writes a request into the buffer, for the connection of that number.
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

    /// Sends so many requests, one each `1/rate` seconds; the connections take turns. The time of a request counts from when it
    /// was due, so that one that had to wait for another's answer is not called quick.
    ///
    /// - Parameter write: Writes request `number`; it is told when that is due, in nanoseconds of the machine's running time.
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
            // A connection that is still busy holds up those behind it: wait for it, and not for the time.
            let isHeldUp = begun < count && connections[begun % connections.count].isBusy
            for number in poller.wait(nanoseconds: isHeldUp ? 5_000_000_000 : max(0, next - now)) where try proceed(number) {
                done += 1
            }
        }
    }

    /// Looks at a connection. True when its answer is there.
    private mutating func proceed(_ number: Int) throws(Problem) -> Bool {
        defer { poller.setWriting(number, connections[number].isSending) }
        switch connections[number].proceed() {
        case .waits: return false
        case .broken: throw Self.broken()
        case .answered(let status):
            latency.add(nanoseconds: Monotonic.nanoseconds() - connections[number].start)
            if status != 200 { others[status, default: 0] += 1 }
            return true
        }
    }
}
