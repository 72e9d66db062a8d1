import Core
import Geodesy
import Model
import Routing
import Store

/// The answers to the questions of one request, from the store and from the geocoder.
package struct GeocoderAnswers: Sendable {
    private var answers: [GeocoderQuestion: JSONValue] = [:]
    /// The number of questions that were not asked, because the request would take too long. The answers so far are stored, so that a further
    /// request asks the next ones.
    package private(set) var pending = 0
    /// Why questions were not answered, or answers not stored; nil if there is no such reason.
    package private(set) var problem: Problem?

    /// Seconds after which no other question of a request is asked. Clients and proxies wait for longer than this and one answer.
    private static let patience = 10.0

    /// The address of a place; nil if it has none, or if it is not known.
    package func address(of coordinate: Coordinate) -> String? { answers[.init(addressOf: coordinate)]?.string }

    /// The places that a text describes, in the form of `FoundPlace`; nil if they are not known.
    func places(_ text: String) -> JSONValue? { answers[.places(text)] }

    init() {}

    /// Finds the answers in the store, and asks the geocoder for the others.
    ///
    /// - Throws: `Problem.cancelled` if the client has left, and the problems of the store. Those of the geocoder are in `problem`.
    package init(
        to questions: [GeocoderQuestion], from geocoder: Geocoder, for call: Call
    ) async throws(Problem) {
        let language = call.head.language
        answers = try await call.readers.ask(for: call.client) { service throws(Problem) in
            try service.store.geocoderAnswers(to: questions, in: language, at: service.clock.now())
        }
        let new = await ask(questions, of: geocoder, in: language, hasLeft: call.client.hasLeft)
        if !new.isEmpty {
            do throws(Problem) {
                try await call.perform { service throws(Problem) in
                    try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                        try service.store.save(new, language: language, at: service.clock.now(), in: transaction)
                    }
                }
            } catch {
                problem = problem ?? error
                // A further request would ask the same questions again.
                pending = 0
            }
        }
        if call.client.hasLeft() { throw .cancelled }
    }

    /// Asks the geocoder for missing answers, until one fails or the request takes too long.
    ///
    /// - Returns: The new answers.
    mutating func ask(
        _ questions: [GeocoderQuestion], of geocoder: Geocoder, in language: Language, hasLeft: () -> Bool
    ) async -> [GeocoderQuestion: JSONValue] {
        let start = geocoder.uptime()
        var new: [GeocoderQuestion: JSONValue] = [:]
        var missing = Set(questions).subtracting(answers.keys)
        for question in questions where missing.contains(question) {
            if hasLeft() || !new.isEmpty && geocoder.uptime() - start > Self.patience { break }
            do throws(Problem) {
                new[question] = try await geocoder.ask(question, in: language)
            } catch {
                problem = error
                break
            }
            missing.remove(question)
        }
        if problem == nil { pending = missing.count }
        answers.merge(new) { $1 }
        return new
    }
}
