import Model

// Access to sinks.

extension ServiceClient {
    /// All sinks, as documents.
    package func sinkDocuments() throws(Problem) -> [JSONValue] {
        try connection.send("GET", ["sinks"]).list("sinks").map(\.json)
    }

    /// The document of a sink. Throws `Problem.notFound` if there is none with this id.
    package func sinkDocument(id: String) throws(Problem) -> JSONValue { try sink("GET", [nonEmptyID(id, .sink)]) }

    /// Creates a sink. Returns its document.
    package func makeSink(_ json: JSONValue) throws(Problem) -> JSONValue { try sink("POST", [], body: json) }

    /// Saves a sink. Returns its document.
    package func putSink(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        try sink("PUT", [nonEmptyID(id, .sink)], body: json)
    }

    /// Removes a sink.
    package func removeSink(id: String) throws(Problem) {
        try connection.sendWithoutAnswer("DELETE", ["sinks", nonEmptyID(id, .sink)])
    }

    /// Pauses a sink. Returns its document.
    package func holdSink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try nonEmptyID(id, .sink)):pause"]) }

    /// Resumes a paused sink. Returns its document.
    ///
    /// - Parameter skipping: Whether to skip the waiting events.
    package func releaseSink(id: String, skipping: Bool) throws(Problem) -> JSONValue {
        try sink("POST", ["\(try nonEmptyID(id, .sink)):resume"], query: [("skip", skipping ? "true" : nil)])
    }

    /// Sends a test event to a sink. Returns the result.
    package func trySink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try nonEmptyID(id, .sink)):test"]) }

    /// Calls `body` with each event that a sink has rejected.
    package func forEachRejected(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try forEach("parked", at: ["sinks", nonEmptyID(id, .sink), "parked"]) { answer throws(Problem) in try body(answer.json) }
    }

    /// Sends rejected events again. Returns their number.
    ///
    /// - Parameter sequence: The sequence number of the only event; nil for all.
    package func resendRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        try count("POST", ["sinks", nonEmptyID(id, .sink), "parked:resend"], sequence)
    }

    /// Discards rejected events. Returns their number.
    ///
    /// - Parameter sequence: The sequence number of the only event; nil for all.
    package func discardRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        try count("DELETE", ["sinks", nonEmptyID(id, .sink), "parked"], sequence)
    }

    private func sink(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: JSONValue? = nil
    ) throws(Problem) -> JSONValue {
        try connection.send(method, ["sinks"] + path, query: query, body: body.map { .json($0) }).json
    }

    private func count(_ method: String, _ path: [String], _ sequence: Int64?) throws(Problem) -> Int {
        try connection.send(method, path, query: [("sequence", sequence.map { String($0) })]).integer("count")
    }
}
