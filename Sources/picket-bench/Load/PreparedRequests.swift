import Model

/// HTTP requests with positions, composed in memory before a measurement, so that the measurement excludes the time to compose
/// them.
struct PreparedRequests {
    /// All requests, one after another.
    private var bytes: [UInt8] = []
    /// The offset in `bytes` at which each request ends.
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// - Parameters:
    ///   - count: The number of requests.
    ///   - positionsPerRequest: The number of positions in each request. One position is sent as JSON, more than one as NDJSON.
    ///   - devices: The simulated devices that report the positions. They move on by `count * positionsPerRequest` positions.
    init(_ count: Int, positions positionsPerRequest: Int, of devices: inout DenseDevices) {
        // A position takes about 105 bytes, and the head of a request about 130.
        bytes.reserveCapacity(count * (positionsPerRequest * 105 + 130))
        ends.reserveCapacity(count)
        var body: [UInt8] = []
        for _ in 0..<count {
            body.removeAll(keepingCapacity: true)
            // 10 is the line feed that ends each line of NDJSON.
            for _ in 0..<positionsPerRequest {
                devices.writeNext(into: &body)
                if positionsPerRequest > 1 { body.append(10) }
            }
            bytes.appendPost(
                "/v1/positions", type: positionsPerRequest > 1 ? "application/x-ndjson" : "application/json", body: body)
            ends.append(bytes.count)
        }
    }

    /// Appends a request to a buffer.
    ///
    /// - Parameter number: The index of the request, from 0.
    func appendRequest(_ number: Int, into request: inout [UInt8]) {
        request.append(contentsOf: bytes[(number > 0 ? ends[number - 1] : 0)..<ends[number]])
    }
}

extension LoadGenerator {
    /// Sends the requests in order. Each connection sends the next request as soon as its previous request is answered.
    mutating func run(_ requests: PreparedRequests) throws(Problem) {
        var next = 0
        try run(requests.count) { _, request in
            requests.appendRequest(next, into: &request)
            next += 1
        }
    }
}
