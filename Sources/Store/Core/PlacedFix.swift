import Model
import SQLite

/// A fix of which only time, coordinate and accuracy are stored.
package struct PlacedFix: Row {
    package static let columns = "time, latitude, longitude, accuracy"

    package var fix: Fix

    package init(_ row: inout ColumnReader) { fix = Fix(time: row.next(), coordinate: row.next(), accuracy: row.next()) }
}
