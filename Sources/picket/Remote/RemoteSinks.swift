import Model
import Service

// Access to the sinks of a running service.

extension RemoteService {
    func sinkDocuments() throws(Problem) -> [JSONValue] { try connection.send("GET", ["sinks"]).list("sinks").map(\.json) }

    func sinkDocument(id: String) throws(Problem) -> JSONValue { try sink("GET", [try nonEmptyID(id)]) }

    func makeSink(_ json: JSONValue) throws(Problem) -> JSONValue { try sink("POST", [], body: json) }

    func putSink(_ json: JSONValue, id: String) throws(Problem) -> JSONValue { try sink("PUT", [try nonEmptyID(id)], body: json) }

    func removeSink(id: String) throws(Problem) { try connection.sendWithoutAnswer("DELETE", ["sinks", try nonEmptyID(id)]) }

    func holdSink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try nonEmptyID(id)):pause"]) }

    func releaseSink(id: String, skipping: Bool) throws(Problem) -> JSONValue {
        try sink("POST", ["\(try nonEmptyID(id)):resume"], query: [("skip", skipping ? "true" : nil)])
    }

    func trySink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try nonEmptyID(id)):test"]) }

    func forEachRejected(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try forEach("parked", at: ["sinks", try nonEmptyID(id), "parked"]) { answer throws(Problem) in try body(answer.json) }
    }

    func resendRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        try count("POST", ["sinks", try nonEmptyID(id), "parked:resend"], sequence)
    }

    func discardRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        try count("DELETE", ["sinks", try nonEmptyID(id), "parked"], sequence)
    }

    private func sink(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: JSONValue? = nil
    ) throws(Problem) -> JSONValue {
        try connection.send(method, ["sinks"] + path, query: query, body: body.map { .json($0) }).json
    }

    private func count(_ method: String, _ path: [String], _ sequence: Int64?) throws(Problem) -> Int {
        try connection.send(method, path, query: [("sequence", sequence.map { String($0) })]).integer("count")
    }

    /// The id, if it can be part of a path.
    ///
    /// - Throws: `Problem.notFound` for an empty id.
    private func nonEmptyID(_ id: String) throws(Problem) -> String {
        if id.isEmpty { throw .notFound(kind: .sink, id: "", similar: []) }
        return id
    }
}
