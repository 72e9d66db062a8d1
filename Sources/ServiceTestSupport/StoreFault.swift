import Core
import Model
import Store

/// Makes the store fail at a place that a test chooses.
///
/// Temporary triggers of the store's connection count the written rows and refuse one. A commit fails because of a row that violates a
/// deferred foreign key, which SQLite checks at the end of the transaction (https://www.sqlite.org/foreignkeys.html#fk_deferred).
package final class StoreFault {
    private let store: PicketStore

    package init(_ service: ServiceWriter) throws {
        store = service.store
        try run([
            "CREATE TABLE fault_parent (key INTEGER PRIMARY KEY)",
            "CREATE TABLE fault_child (parent REFERENCES fault_parent DEFERRABLE INITIALLY DEFERRED)",
            "CREATE TEMP TABLE fault (rows INTEGER, at_commit INTEGER)",
            "INSERT INTO fault VALUES (1000000000, 0)",
        ])
        let tables = try store.values(
            """
            SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'fault%'
            """, as: String.self)
        try run(
            tables.flatMap { table in
                ["INSERT", "UPDATE", "DELETE"].map { change in
                    """
                    CREATE TEMP TRIGGER fault_\(table)_\(change) BEFORE \(change) ON main.\(table) BEGIN
                        UPDATE fault SET rows = rows - 1;
                        SELECT RAISE(ABORT, 'fault') FROM fault WHERE rows < 0;
                        INSERT INTO fault_child SELECT 1 FROM fault WHERE at_commit = 1;
                        UPDATE fault SET at_commit = 0;
                    END
                    """
                }
            })
    }

    /// Allows `rows` more rows to be written.
    package func arm(after rows: Int) throws { try run(["UPDATE fault SET rows = \(rows), at_commit = 0"]) }

    /// Makes the next commit with changes fail.
    package func armCommit() throws { try run(["UPDATE fault SET rows = 1000000000, at_commit = 1"]) }

    package func disarm() throws { try run(["UPDATE fault SET rows = 1000000000, at_commit = 0"]) }

    private func run(_ statements: [String]) throws(Problem) {
        try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            for sql in statements { try store.execute(sql, in: transaction) }
        }
    }
}
