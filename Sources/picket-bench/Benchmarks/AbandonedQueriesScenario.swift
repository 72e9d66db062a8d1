import Foundation
import Model

extension BlockedBenchmark {
    private static let connections = 100

    /// A hundred connections of one client ask for long lists, and are closed, or read nothing. Another client asks for a device meanwhile.
    func measureAbandonedQueries() throws(Problem) {
        let data = data("abandoned")
        try feedEvents(to: data)
        try withService(data) { service throws(Problem) in
            try measureAbandoned("/v1/visits?limit=10000", isClosed: true, of: service)
            try measureAbandoned("/v1/events?limit=10000", isClosed: false, of: service)
        }
    }

    /// Sends a request on each connection of one client, and measures how long the requests of another client wait.
    private func measureAbandoned(_ target: String, isClosed: Bool, of service: ServedService) throws(Problem) {
        // Requests without a token are those of their address.
        let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        var connections: [LoadConnection] = []
        defer { for connection in connections { close(connection.descriptor) } }
        let start = Monotonic.nanoseconds()
        for _ in 0..<Self.connections {
            guard var connection = LoadConnection(port: service.child.port, from: 0x7F00_0002) else {
                throw .benchmark("no connection: \(String(cString: strerror(errno)))")
            }
            connection.request = request
            _ = connection.begin()
            connections.append(connection)
        }
        if isClosed {
            for connection in connections { close(connection.descriptor) }
            connections.removeAll()
        }
        var waits = LatencyHistogram()
        for _ in 0..<(isShort ? 10 : 300) {
            waits.add(nanoseconds: Int64(try service.send(.init("GET", "/v1/devices/car-1")) * 1e6))
        }
        let milliseconds = Double(Monotonic.nanoseconds() - start) * 1e-6
        let what = isClosed ? "leave" : "read nothing (\(service.child.memory().most >> 20) MB)"
        printRow("\(Self.connections) ask for \(target) and \(what)", took: milliseconds, waiting: "a device", waits)
    }
}
