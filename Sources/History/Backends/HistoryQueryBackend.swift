import Core
import Model
import Service

/// What commands can query about the past of devices. The implementations read the store directly or send requests to a running service; see
/// `QueryBackend`.
package protocol HistoryQueryBackend: QueryBackend {
    /// Explains why something did or did not happen between a device and a geofence; see `Explanation.output`.
    ///
    /// - Parameters:
    ///   - language: The language of the sentences.
    ///   - zone: The zone of the times in the sentences.
    func explanation(
        of question: Explanation.Question, in language: Language, zone: LocalTimeZone
    ) throws(Problem) -> JSONValue

    /// Exports all data of a device; see `Queries.exportDevice(id:_:)`.
    ///
    /// - Parameter write: Receives the lines, each with its line break; several at once.
    func writeExport(ofDevice id: String, _ write: ([UInt8]) throws(Problem) -> Void) throws(Problem)
}

extension Queries: HistoryQueryBackend {
    package func writeExport(ofDevice id: String, _ write: ([UInt8]) throws(Problem) -> Void) throws(Problem) {
        try exportDevice(id: id) { line throws(Problem) in
            try write(Array((line.description + "\n").utf8))
        }
    }

    package func explanation(
        of question: Explanation.Question, in language: Language, zone: LocalTimeZone
    ) throws(Problem) -> JSONValue {
        try explain(question).json(in: AnswerLocale(language, zone: zone))
    }
}
