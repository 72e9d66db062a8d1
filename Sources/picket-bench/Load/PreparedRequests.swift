import Model

/// Requests with positions that are written before the measurement, so that writing them is not measured.
struct PreparedRequests {
    private var bytes: [UInt8] = []
    /// The offset in `bytes` at which each request ends.
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// - Parameters:
    ///   - count: The number of requests.
    ///   - batch: Positions in each request. More than one are sent as NDJSON.
    init(_ count: Int, positions batch: Int, of devices: inout DenseDevices) {
        bytes.reserveCapacity(count * (batch * 105 + 130))
        ends.reserveCapacity(count)
        var body: [UInt8] = []
        for _ in 0..<count {
            body.removeAll(keepingCapacity: true)
            for _ in 0..<batch {
                devices.writeNext(into: &body)
                if batch > 1 { body.append(10) }
            }
            bytes.appendPost(
                "/v1/positions", type: batch > 1 ? "application/x-ndjson" : "application/json", body: body)
            ends.append(bytes.count)
        }
    }

    /// Appends the request with a number to a buffer.
    func write(_ number: Int, into request: inout [UInt8]) {
        request.append(contentsOf: bytes[(number > 0 ? ends[number - 1] : 0)..<ends[number]])
    }
}

extension LoadGenerator {
    /// Sends the requests in order. A connection whose last request was answered sends the next one.
    mutating func run(_ requests: PreparedRequests) throws(Problem) {
        var next = 0
        try run(requests.count) { _, request in
            requests.write(next, into: &request)
            next += 1
        }
    }
}
