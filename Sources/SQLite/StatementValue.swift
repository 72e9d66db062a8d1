import Model

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

/// A text is bound as it is, as by `Statement.bind(_:exact:)`.
extension StoredValue: StatementValue {
    package func bind(to statement: Statement, at index: Int32) { statement.bind(index, self) }
}

/// Nil is bound as NULL.
extension Optional: StatementValue where Wrapped: StatementValue {
    package func bind(to statement: Statement, at index: Int32) {
        if let value = self { value.bind(to: statement, at: index) } else { statement.bindNull(index) }
    }
}

// These functions allocate the list of values, so they are not for statements that run for each position.

extension Statement {
    /// Binds values to the first parameters, in the order of their numbers.
    package func bind(_ values: [any StatementValue]) {
        for (index, value) in values.enumerated() { value.bind(to: self, at: Int32(index + 1)) }
    }

    /// Runs the statement like `run()`.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    package func run(_ values: any StatementValue...) throws(SQLiteError) {
        bind(values)
        try run()
    }
}

extension Connection {
    /// A cached statement like `statement(_:)`.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    package func statement(_ sql: String, _ values: any StatementValue...) throws(SQLiteError) -> Statement {
        let statement = try statement(sql)
        statement.bind(values)
        return statement
    }

    /// A new statement like `uncachedStatement(_:)`.
    ///
    /// - Parameter values: The values of the parameters, in the order of their numbers.
    package func uncachedStatement(_ sql: String, _ values: any StatementValue...) throws(SQLiteError) -> Statement {
        let statement = try uncachedStatement(sql)
        statement.bind(values)
        return statement
    }
}
