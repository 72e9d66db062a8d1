import Model
import SQLite

/// The problem that `body` throws; nil when it throws none.
package func problem(_ body: () throws -> Any) -> Problem? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? Problem
    }
}

extension Statement {
    /// The number in the first row of a query; 0 without a row.
    package var firstNumber: Int {
        get throws { try value(Int.self) ?? 0 }
    }
}
