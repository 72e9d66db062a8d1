import Model
import SQLite

/// A value for a parameter of a statement.
package protocol StatementValue {
    /// - Parameter index: The number of the parameter, from 1.
    func bind(to statement: Statement, at index: Int32)
}

extension Int64: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Int: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Int32: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Bool: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension Double: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

extension String: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

/// Nil is bound as NULL.
extension Optional: StatementValue where Wrapped: StatementValue {
    package func bind(to statement: Statement, at index: Int32) {
        if let value = self { value.bind(to: statement, at: index) } else { statement.bindNull(index) }
    }
}

// These functions allocate the list of values, so they are not for statements that run for each position.

extension PicketStore {
    /// Runs a statement that returns no rows.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    package func execute(_ sql: String, _ values: any StatementValue...) throws(Problem) {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).run() }
    }

    /// The first column of the first row; nil if there is no row, or if the column is NULL.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    package func firstValue<Value: ColumnValue>(
        _ sql: String, _ values: any StatementValue..., as type: Value.Type
    ) throws(Problem) -> Value? {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).value(Value.self) }
    }

    /// The first row of a query; nil if there is none.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    func firstRow<Whole: Row>(
        _ sql: String, _ values: any StatementValue..., as type: Whole.Type
    ) throws(Problem) -> Whole? {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).first(Whole.self) }
    }

    /// Whether a query has any row.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    package func hasRow(_ sql: String, _ values: any StatementValue...) throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in try prepare(sql, values).hasRow() }
    }

    /// The number that a query returns.
    func count(_ sql: String) throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in try connection.value(of: sql) ?? 0 }
    }

    private func prepare(_ sql: String, _ values: [any StatementValue]) throws(SQLiteError) -> Statement {
        let statement = try connection.statement(sql)
        for (index, value) in values.enumerated() { value.bind(to: statement, at: Int32(index + 1)) }
        return statement
    }
}
