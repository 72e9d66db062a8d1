import Foundation
import HTTPClient
import Model
import Senders

/// A service as a child process, a steady stream of positions to it, and a client for requests to it.
struct ServedService {
    struct Request {
        var method: String
        /// Path and query.
        var target: String
        var body: String
        var type: String
        /// The statuses that are expected.
        var statuses: ClosedRange<Int>

        init(
            _ method: String, _ target: String, body: String = "", type: String = "application/json",
            expecting statuses: ClosedRange<Int> = 200...299
        ) {
            (self.method, self.target, self.body, self.type, self.statuses) = (method, target, body, type, statuses)
        }
    }

    private let data: String
    private let options: [String]
    private(set) var child: ServedChild
    var steady: SteadyPositions?
    private let client: HTTPClient

    /// Durability `normal`: a single connection could not keep up its rate if each position waited for a synced write.
    static let usualOptions = ["--durability", "normal", "--auto-repair-interval", "0", "--max-body", "64M"]

    /// Starts the service.
    init(_ data: String, options: [String] = usualOptions) throws(Problem) {
        var clientOptions = HTTPClient.Options()
        clientOptions.timeout = 600
        clientOptions.usesProxies = false
        clientOptions.maximumBody = 1 << 30
        do {
            client = try HTTPClient(clientOptions)
        } catch {
            throw Problem(error)
        }
        self.data = data
        self.options = options
        child = try ServedChild(data: data, options: options)
    }

    /// Sends positions in batches of up to 1,000.
    func preload(_ fixes: Int, of devices: inout DenseDevices) throws(Problem) {
        let batch = min(1000, fixes)
        let requests = PreparedRequests(fixes / max(1, batch), positions: batch, of: &devices)
        var load = try LoadGenerator(port: child.port, connections: 4)
        defer { load.close() }
        try load.run(requests)
        _ = try load.measured()
    }

    /// Ends the service, starts it again and resumes the stream of positions.
    mutating func restart(rate: Double) throws(Problem) {
        let devices = try steady?.stop()
        steady = nil
        try child.stop()
        child = try ServedChild(data: data, options: options)
        steady = devices.map { SteadyPositions(port: child.port, rate: rate, devices: $0) }
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Returns: Milliseconds until the answer.
    /// - Throws: `Problem.serverError` when the answer's status is not an expected one.
    func send(_ request: Request) throws(Problem) -> Double {
        let start = Monotonic.nanoseconds()
        let response = try answer(request)
        let milliseconds = Double(Monotonic.nanoseconds() - start) * 1e-6
        guard request.statuses.contains(response.status) else {
            throw .benchmark(
                "\(request.method) \(request.target) was answered with status \(response.status): \(String(decoding: response.body.prefix(500), as: UTF8.self))"
            )
        }
        return milliseconds
    }

    /// The value of a counter among the service's metrics; 0 if there is none.
    func counter(_ name: String) throws(Problem) -> Int {
        let page = String(decoding: try answer(Request("GET", "/metrics")).body, as: UTF8.self)
        return page.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }

    private func answer(_ request: Request) throws(Problem) -> HTTPResponse {
        let headers = request.body.isEmpty ? [] : [HTTPHeader("Content-Type", request.type)]
        do {
            return try client.send(
                HTTPRequest(
                    request.method, "http://127.0.0.1:\(child.port)\(request.target)", headers: headers,
                    body: Array(request.body.utf8)))
        } catch {
            throw Problem(error)
        }
    }
}
