import Model
import SQLite
import Store

extension PicketStore {
    /// An unresolved problem: the newest problem of its source.
    package struct OpenProblem: Sendable {
        package var id: Int64
        /// The source of the problem, for example `registry/anna-phone`.
        package var source: String
        package var code: String
        /// The texts shown to people, by language tag.
        var words: JSONValue
        package var firstAt: Instant
        package var lastAt: Instant
        /// The number of consecutive failures without a success between them.
        package var failures: Int
        /// When a person dismissed the problem, and the value of `failures` at that time.
        var dismissedAt: Instant?
        var dismissedFailures: Int?
    }

    /// The number of problems that are not dismissed.
    package struct ProblemTotals: Hashable, Sendable {
        package var standing: Int
        /// The number of these problems that are escalated because of repeated failures.
        package var escalated: Int

        package init(standing: Int, escalated: Int) {
            self.standing = standing
            self.escalated = escalated
        }
    }

    /// Counts the problems that are not dismissed after `moment`.
    ///
    /// - Parameters:
    ///   - moment: A problem that was dismissed at or before this moment counts again.
    ///   - failures: A problem with at least this number of failures is escalated.
    func problemTotals(dismissedBefore moment: Instant, escalatedFrom failures: Int) throws(Problem) -> ProblemTotals {
        let totals = try firstRow(
            """
            SELECT count(*), ifnull(sum(failures >= ?1), 0) FROM problem WHERE dismissed_at IS NULL OR dismissed_at <= ?2
            """, failures, moment.milliseconds, as: Int.self, Int.self)
        return ProblemTotals(standing: totals?.0 ?? 0, escalated: totals?.1 ?? 0)
    }

    /// The problem of a source; nil if it has none.
    package func problem(ofSource source: String) throws(Problem) -> OpenProblem? {
        let row = try firstRow("SELECT \(ProblemRow.columns) FROM problem WHERE source = ?", source, as: ProblemRow.self)
        return try row.map(openProblem)
    }

    func problem(id: Int64) throws(Problem) -> OpenProblem? {
        let row = try firstRow("SELECT \(ProblemRow.columns) FROM problem WHERE id = ?", id, as: ProblemRow.self)
        return try row.map(openProblem)
    }

    /// The first problems, by id, after an id.
    ///
    /// - Parameter moment: Problems that were dismissed after this moment are left out.
    func problems(dismissedBefore moment: Instant, after id: Int64, limit: Int) throws(Problem) -> [OpenProblem] {
        try rows(
            """
            SELECT \(ProblemRow.columns) FROM problem WHERE id > ? AND (dismissed_at IS NULL OR dismissed_at <= ?)
            ORDER BY id LIMIT ?
            """, id, moment.milliseconds, limit, as: ProblemRow.self
        ).map(openProblem)
    }

    /// The sources of problems whose names start with `prefix`.
    package func problemSources(startingWith prefix: String) throws(Problem) -> [String] {
        try values("SELECT source FROM problem WHERE substr(source, 1, length(?1)) = ?1", prefix, as: String.self)
    }

    /// Saves the newest problem of a source. Its `id` is ignored.
    func save(_ problem: OpenProblem, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            """
            INSERT INTO problem (source, code, words, first_at, last_at, failures, dismissed_at, dismissed_failures)
            VALUES (?,?,?,?,?,?,?,?)
            ON CONFLICT (source) DO UPDATE SET code = excluded.code, words = excluded.words, first_at = excluded.first_at,
            last_at = excluded.last_at, failures = excluded.failures, dismissed_at = excluded.dismissed_at,
            dismissed_failures = excluded.dismissed_failures
            """, problem.source, problem.code, problem.words.description, problem.firstAt.milliseconds,
            problem.lastAt.milliseconds, problem.failures, problem.dismissedAt?.milliseconds, problem.dismissedFailures,
            in: transaction)
    }

    package func removeProblem(ofSource source: String, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM problem WHERE source = ?", source, in: transaction)
    }

    private func openProblem(_ row: ProblemRow) throws(Problem) -> OpenProblem {
        OpenProblem(
            id: row.id, source: row.source, code: row.code, words: try json(row.text), firstAt: row.firstAt,
            lastAt: row.lastAt, failures: row.failures, dismissedAt: row.dismissedAt,
            dismissedFailures: row.dismissedFailures)
    }

    private struct ProblemRow: Row {
        static let columns = "id, source, code, words, first_at, last_at, failures, dismissed_at, dismissed_failures"

        var id: Int64
        var source: String
        var code: String
        /// A JSON object with the texts by language tag.
        var text: String
        var firstAt: Instant
        var lastAt: Instant
        var failures: Int
        var dismissedAt: Instant?
        var dismissedFailures: Int?

        init(_ row: inout ColumnReader) {
            id = row.next()
            source = row.next()
            code = row.next()
            text = row.next()
            firstAt = row.next()
            lastAt = row.next()
            failures = row.next()
            dismissedAt = row.next()
            dismissedFailures = row.next()
        }
    }
}

extension PicketStore.OpenProblem {
    init(_ problem: Problem, source: String, at now: Instant) {
        self.init(
            id: 0, source: source, code: problem.code,
            words: .object(Language.allCases.map { .init($0.rawValue, problem.json(in: $0)) }), firstAt: now, lastAt: now,
            failures: 1, dismissedAt: nil)
    }
}
