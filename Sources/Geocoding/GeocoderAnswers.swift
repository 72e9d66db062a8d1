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
    /// Why the first of the questions without an answer was not answered, or answers were not stored; nil if there is no such reason.
    package private(set) var problem: Problem?

    /// Seconds after which no other question of a request is asked. Clients and proxies wait for longer than this and one answer.
    private static let patience = 10.0
    /// The number of failures after which no other question of a request is asked.
    private static let mostFailures = 3

    /// The address of a place; nil if it has none, or if it is not known.
    package func address(of coordinate: Coordinate) -> String? { answers[.init(addressOf: coordinate)]?.string }

    /// The places that a text describes, in the form of `FoundPlace`; nil if they are not known.
    func places(_ text: String) -> JSONValue? { answers[.places(text)] }

    init() {}

    /// Finds the answers in the store, and asks the geocoder for the others.
    ///
    /// - Parameter mayStore: Called in the transaction that stores new answers. If it returns false, they are not stored, for example
    ///   because the device whose places were asked for was erased meanwhile.
    /// - Throws: `Problem.cancelled` if the client has left, and the problems of the store. Those of the geocoder are in `problem`.
    package init(
        to questions: [GeocoderQuestion], from geocoder: Geocoder, for call: Call,
        storingIf mayStore: @escaping @Sendable (Queries) throws(Problem) -> Bool = { _ in true }
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
                        guard try mayStore(service) else { return }
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

    /// Asks the geocoder for missing answers, until some have failed or the request takes too long.
    ///
    /// - Returns: The new answers.
    mutating func ask(
        _ questions: [GeocoderQuestion], of geocoder: Geocoder, in language: Language,
        hasLeft: @escaping @Sendable () -> Bool
    ) async -> [GeocoderQuestion: JSONValue] {
        let start = geocoder.uptime()
        var new: [GeocoderQuestion: JSONValue] = [:]
        var failures = 0
        var missing = Set(questions).subtracting(answers.keys)
        asking: for question in questions where missing.contains(question) {
            let isFirst = new.isEmpty && failures == 0
            if hasLeft() || !isFirst && geocoder.uptime() - start > Self.patience { break }
            do throws(Problem) {
                new[question] = try await geocoder.ask(question, in: language, unless: hasLeft)
                failures = 0
            } catch {
                problem = problem ?? error
                switch error {
                case .rateLimited, .cancelled: break asking
                default: failures += 1
                }
            }
            missing.remove(question)
            if failures == Self.mostFailures { break }
        }
        // Without a new answer, a further request would ask the same questions again.
        if problem == nil || !new.isEmpty { pending = missing.count }
        answers.merge(new) { $1 }
        return new
    }
}
