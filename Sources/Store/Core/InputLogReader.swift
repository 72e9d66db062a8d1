import Model
import SQLite

/// Reads the entries of the input log in order.
package final class InputLogReader {
    private let store: PicketStore
    private let fixes: Statement
    private let inputs: Statement
    private let revisions: Statement
    private var nextFix: LoggedFixRow?
    private var nextInput: InputRow?
    private var nextRevision: FenceRevisionRow?

    /// - Parameter number: The reader returns only entries after this number.
    package init(_ store: PicketStore, after number: Int64) throws(Problem) {
        self.store = store
        fixes = try store.query(
            "SELECT \(LoggedFixRow.columns) FROM fix WHERE number > ? AND \(PicketStore.isEvaluated("fix")) ORDER BY number",
            number)
        inputs = try store.query("SELECT \(InputRow.columns) FROM input WHERE number > ? ORDER BY number", number)
        revisions = try store.query(
            "SELECT \(FenceRevisionRow.columns) FROM fence_revision WHERE number > ? ORDER BY revision", number)
        nextFix = try store.next(LoggedFixRow.self, of: fixes)
        nextInput = try store.next(InputRow.self, of: inputs)
        nextRevision = try store.next(FenceRevisionRow.self, of: revisions)
    }

    /// The next entry; nil at the end of the log.
    package func next() throws(Problem) -> LoggedInput? {
        if let fix = nextFix, nextInput.map({ InputPosition(fix.number) < $0.place }) ?? true,
            nextRevision.map({ InputPosition(fix.number) < $0.place }) ?? true
        {
            nextFix = try store.next(LoggedFixRow.self, of: fixes)
            return fix.logged
        }
        if let input = nextInput, nextRevision.map({ input.place < $0.place }) ?? true {
            nextInput = try store.next(InputRow.self, of: inputs)
            return try store.input(input)
        }
        guard let revision = nextRevision else { return nil }
        nextRevision = try store.next(FenceRevisionRow.self, of: revisions)
        return revision.logged
    }
}
