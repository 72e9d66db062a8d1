import Model
import SQLite
import Store

extension PicketStore {
    /// Seconds for which an answer is used, and one that found nothing.
    private static let lifetimes = (found: 90 * 86_400.0, nothing: 86_400.0)
    /// The maximum number of answers in the store.
    private static let mostAnswers = 100_000

    /// The stored answers to questions that are not too old.
    func geocoderAnswers(
        to questions: [GeocoderQuestion], in language: Language, at now: Instant
    ) throws(Problem) -> [GeocoderQuestion: JSONValue] {
        var answers: [GeocoderQuestion: JSONValue] = [:]
        for question in questions where answers[question] == nil {
            let row = try firstRow(
                "SELECT answer, answered_at FROM geocoder_answer WHERE question = ? AND language = ?",
                question.key, language.rawValue, as: String.self, Instant.self)
            guard let (text, time) = row else { continue }
            let answer = try json(text)
            let isNothing = answer == .null || answer.array?.isEmpty == true
            if (0..<(isNothing ? Self.lifetimes.nothing : Self.lifetimes.found)).contains(now - time) {
                answers[question] = answer
            }
        }
        return answers
    }

    /// Saves answers, and removes those that are too old and the oldest that are too many.
    func save(
        _ answers: [GeocoderQuestion: JSONValue], language: Language, at now: Instant, atMost most: Int = mostAnswers,
        in transaction: borrowing Transaction
    ) throws(Problem) {
        for (question, answer) in answers {
            try execute(
                "INSERT OR REPLACE INTO geocoder_answer VALUES (?, ?, ?, ?)", question.key, language.rawValue,
                answer.description, now.milliseconds, in: transaction)
        }
        try removeExpiredGeocoderAnswers(at: now, in: transaction)
        let excess = try count("SELECT count(*) FROM geocoder_answer") - most
        if excess > 0 { try removeOldestAnswers(excess, before: .latest, in: transaction) }
    }

    /// Removes answers that are too old.
    ///
    /// - Parameter limit: The maximum number of answers to remove, so that the transaction is short.
    package func removeExpiredGeocoderAnswers(
        at now: Instant, limit: Int = 5000, in transaction: borrowing Transaction
    ) throws(Problem) {
        try removeOldestAnswers(limit, before: now + -Self.lifetimes.found, in: transaction)
    }

    private func removeOldestAnswers(
        _ limit: Int, before moment: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            """
            DELETE FROM geocoder_answer WHERE (question, language) IN (
                SELECT question, language FROM geocoder_answer WHERE answered_at < ? ORDER BY answered_at LIMIT ?)
            """, moment.milliseconds, limit, in: transaction)
    }
}
