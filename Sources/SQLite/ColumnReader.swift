import Model

extension Int64: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self = row.int64(column) }
}

extension Int: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self = Int(row.int64(column)) }
}

extension Bool: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self = row.int64(column) != 0 }
}

extension Double: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self = row.double(column) }
}

/// NULL is read as an empty string.
extension String: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self = row.text(column) }
}

extension StoredValue: ColumnValue {
    @usableFromInline package init(_ column: Int32, of row: Statement) { self = row.value(column) }
}

/// NULL is read as nil.
extension Optional: ColumnValue where Wrapped: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self = row.isNull(column) ? nil : Wrapped(column, of: row) }
}

/// Reads the columns of one row in order.
@usableFromInline package struct ColumnReader {
    @usableFromInline let row: Statement
    @usableFromInline var column: Int32 = 0

    @inlinable init(_ row: Statement) { self.row = row }

    /// Reads the next column.
    @inlinable package mutating func next<Value: ColumnValue>(_ type: Value.Type = Value.self) -> Value {
        defer { column += 1 }
        return Value(column, of: row)
    }

    /// Reads the next columns as one value.
    @inlinable package mutating func next<Part: Row>(_ type: Part.Type = Part.self) -> Part { Part(&self) }

    /// Reads the next columns as one value. Nil if the first of them is NULL.
    @inlinable package mutating func nextUnlessNull<Part: Row>(_ type: Part.Type = Part.self) -> Part? {
        let isNull = row.isNull(column)
        let part = Part(&self)
        return isNull ? nil : part
    }

    /// Traps in a debug build if the number of columns differs from the number of columns that were read.
    @inlinable func checkEnd() {
        assert(column == row.columnCount, "\(column) of \(row.columnCount) columns were read: \(row.sql)")
    }
}

extension Statement {
    /// Advances to the next row and reads it; nil if there is none.
    @inlinable package func next<Whole: Row>(_ type: Whole.Type = Whole.self) throws(SQLiteError) -> Whole? {
        guard try step() else { return nil }
        var reader = ColumnReader(self)
        let whole = Whole(&reader)
        reader.checkEnd()
        return whole
    }

    /// Advances to the next row and reads its columns as a tuple; nil if there is none.
    @inlinable package func next<each Value: ColumnValue>(
        _ types: repeat (each Value).Type
    ) throws(SQLiteError) -> (repeat each Value)? {
        guard try step() else { return nil }
        var reader = ColumnReader(self)
        let values = (repeat reader.next((each Value).self))
        reader.checkEnd()
        return values
    }

    /// Reads all remaining rows and resets the statement.
    @inlinable package func all<Whole: Row>(_ type: Whole.Type = Whole.self) throws(SQLiteError) -> [Whole] {
        var found: [Whole] = []
        while let whole = try next(Whole.self) { found.append(whole) }
        reset()
        return found
    }

    /// Reads the only column of all remaining rows and resets the statement.
    @inlinable package func values<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(SQLiteError) -> [Value] {
        var found: [Value] = []
        while let value = try next(Value.self) { found.append(value) }
        reset()
        return found
    }

    /// Reads the first row and resets the statement; nil if there is no row.
    @inlinable package func first<Whole: Row>(_ type: Whole.Type = Whole.self) throws(SQLiteError) -> Whole? {
        defer { reset() }
        return try next(Whole.self)
    }

    /// Reads the columns of the first row as a tuple and resets the statement; nil if there is no row.
    @inlinable package func first<each Value: ColumnValue>(
        _ types: repeat (each Value).Type
    ) throws(SQLiteError) -> (repeat each Value)? {
        defer { reset() }
        return try next(repeat (each Value).self)
    }

    /// Reads the only column of the first row and resets the statement; nil for NULL or if there is no row.
    @inlinable package func value<Value: ColumnValue>(_ type: Value.Type = Value.self) throws(SQLiteError) -> Value? {
        defer { reset() }
        return try next(Value?.self) ?? nil
    }

    /// Whether the query has any row. Resets the statement.
    package func hasRow() throws(SQLiteError) -> Bool {
        defer { reset() }
        return try step()
    }
}

extension Connection {
    /// The only value that a query without parameters returns; nil for NULL or if there is no row.
    @inlinable package func value<Value: ColumnValue>(
        of sql: String, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value? {
        try statement(sql).value(Value.self)
    }
}
