import Model
import SQLite

// For statements that do not run for each position; see `StatementValue`. In each function, `values` are the values of the parameters, in the
// order of their numbers.

extension PicketStore {
    // MARK: - Writing

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    package func execute(
        _ sql: String, _ values: any StatementValue..., in transaction: borrowing Transaction
    ) throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let row = try statement(sql, in: transaction)
            row.bind(values)
            try row.run()
            return connection.changedRows
        }
    }

    /// A cached statement that can write; see `Connection.statement(_:)`. It must not be used after the transaction.
    package func statement(
        _ sql: String, _ values: any StatementValue..., in transaction: borrowing Transaction
    ) throws(SQLiteError) -> Statement {
        let statement = try connection.statement(sql)
        statement.bind(values)
        return statement
    }

    // MARK: - Reading

    /// A cached statement that only reads; see `Connection.statement(_:)`.
    package func statement(_ sql: String, _ values: any StatementValue...) throws(SQLiteError) -> Statement {
        try prepare(sql, values)
    }

    /// A new statement that only reads; see `Connection.uncachedStatement(_:)`.
    package func uncachedStatement(_ sql: String, _ values: any StatementValue...) throws(SQLiteError) -> Statement {
        let statement = reading(try connection.uncachedStatement(sql))
        statement.bind(values)
        return statement
    }

    /// Checks that a statement cannot write, because that requires a transaction.
    private func reading(_ statement: Statement) -> Statement {
        precondition(statement.isReadOnly, statement.sql)
        return statement
    }

    /// The first column of the first row; nil if there is no row, or if the column is NULL.
    package func firstValue<Value: ColumnValue>(
        _ sql: String, _ values: any StatementValue..., as type: Value.Type
    ) throws(Problem) -> Value? {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).value(Value.self) }
    }

    /// The first row of a query; nil if there is none.
    package func firstRow<Whole: Row>(
        _ sql: String, _ values: any StatementValue..., as type: Whole.Type
    ) throws(Problem) -> Whole? {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).first(Whole.self) }
    }

    /// The columns of the first row of a query as a tuple; nil if there is none.
    package func firstRow<each Value: ColumnValue>(
        _ sql: String, _ values: any StatementValue..., as types: repeat (each Value).Type
    ) throws(Problem) -> (repeat each Value)? {
        do {
            return try prepare(sql, values).first(repeat (each Value).self)
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// The only column of all rows of a query.
    package func values<Value: ColumnValue>(
        _ sql: String, _ values: any StatementValue..., as type: Value.Type
    ) throws(Problem) -> [Value] {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).values(Value.self) }
    }

    /// All rows of a query.
    package func rows<Whole: Row>(
        _ sql: String, _ values: any StatementValue..., as type: Whole.Type
    ) throws(Problem) -> [Whole] {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).all(Whole.self) }
    }

    /// The columns of all rows of a query as tuples.
    package func rows<each Value: ColumnValue>(
        _ sql: String, _ values: any StatementValue..., as types: repeat (each Value).Type
    ) throws(Problem) -> [(repeat each Value)] {
        do {
            let statement = try prepare(sql, values)
            defer { statement.reset() }
            var found: [(repeat each Value)] = []
            while let row = try statement.next(repeat (each Value).self) { found.append(row) }
            return found
        } catch {
            throw Problem(error, at: path)
        }
    }

    /// A query whose rows are read one after the other with `next(_:of:)`. The same query may be in use more than once.
    package func query(_ sql: String, _ values: any StatementValue...) throws(Problem) -> Statement {
        try attempt { () throws(SQLiteError) in
            let statement = reading(try connection.uncachedStatement(sql))
            statement.bind(values)
            return statement
        }
    }

    /// Whether a query has any row.
    package func hasRow(_ sql: String, _ values: any StatementValue...) throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).hasRow() }
    }

    /// The number that a query returns.
    package func count(_ sql: String, _ values: any StatementValue...) throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).value(Int.self) ?? 0 }
    }

    private func prepare(_ sql: String, _ values: [any StatementValue]) throws(SQLiteError) -> Statement {
        let statement = reading(try connection.statement(sql))
        statement.bind(values)
        return statement
    }
}
