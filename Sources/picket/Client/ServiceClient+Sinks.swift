import Model
import Notifications

// Access to sinks.

extension ServiceClient {
    func sinkDocuments() throws(Problem) -> [JSONValue] { try connection.send("GET", ["sinks"]).list("sinks").map(\.json) }

    func sinkDocument(id: String) throws(Problem) -> JSONValue { try sink("GET", [nonEmptyID(id, .sink)]) }

    func makeSink(_ json: JSONValue) throws(Problem) -> JSONValue { try sink("POST", [], body: json) }

    func putSink(_ json: JSONValue, id: String) throws(Problem) -> JSONValue {
        try sink("PUT", [nonEmptyID(id, .sink)], body: json)
    }

    func removeSink(id: String) throws(Problem) { try connection.sendWithoutAnswer("DELETE", ["sinks", nonEmptyID(id, .sink)]) }

    func holdSink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try nonEmptyID(id, .sink)):pause"]) }

    func releaseSink(id: String, skipping: Bool) throws(Problem) -> JSONValue {
        try sink("POST", ["\(try nonEmptyID(id, .sink)):resume"], query: [("skip", skipping ? "true" : nil)])
    }

    func trySink(id: String) throws(Problem) -> JSONValue { try sink("POST", ["\(try nonEmptyID(id, .sink)):test"]) }

    func forEachRejected(ofSink id: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try forEach("parked", at: ["sinks", nonEmptyID(id, .sink), "parked"]) { answer throws(Problem) in try body(answer.json) }
    }

    func resendRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
        try count("POST", ["sinks", nonEmptyID(id, .sink), "parked:resend"], sequence)
    }

    func discardRejected(ofSink id: String, sequence: Int64?) throws(Problem) -> Int {
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
