import Model
import Service

// Access to the sinks of a running service.

extension RemoteService: SinkDesk {
    func sinkDocuments() throws(Problem) -> [JSONValue] { try connection.ask("GET", ["sinks"]).list("sinks").map(\.json) }

    func sinkDocument(id: String) throws(Problem) -> JSONValue { try sink("GET", [try known(id)]) }

    func makeSink(_ json: JSONValue) throws(Problem) -> JSONValue { try sink("POST", [], body: json) }

    func putSink(_ json: JSONValue, id: String) throws(Problem) -> JSONValue { try sink("PUT", [try known(id)], body: json) }

    func deleteSink(id: String) throws(Problem) { try connection.tell("DELETE", ["sinks", try known(id)]) }

    func holdSink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try known(id)):pause"]) }

    func releaseSink(id: String, skipping: Bool) throws(Problem) -> JSONValue {
        try sink("POST", ["\(try known(id)):resume"], query: [("skip", skipping ? "true" : nil)])
    }

    func trySink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try known(id)):test"]) }

    func forEachParked(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try forEach("parked", ["sinks", try known(id), "parked"]) { answer throws(Problem) in try body(answer.json) }
    }

    func resendAllParked(ofSink id: String, sequence: Int?) throws(Problem) -> Int {
        try count("POST", ["sinks", try known(id), "parked:resend"], sequence)
    }

    func discardAllParked(ofSink id: String, sequence: Int?) throws(Problem) -> Int {
        try count("DELETE", ["sinks", try known(id), "parked"], sequence)
    }

    private func sink(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: JSONValue? = nil
    ) throws(Problem) -> JSONValue {
        try connection.ask(method, ["sinks"] + path, query: query, body: body.map { .json($0) }).json
    }

    private func count(_ method: String, _ path: [String], _ sequence: Int?) throws(Problem) -> Int {
        try connection.ask(method, path, query: [("sequence", sequence.map(String.init))]).whole("count")
    }

    /// The id, if it can be part of a path.
    ///
    /// - Throws: `Problem.notFound` for an empty id.
    private func known(_ id: String) throws(Problem) -> String {
        if id.isEmpty { throw .notFound(kind: "sink", id: "", similar: []) }
        return id
    }
}
