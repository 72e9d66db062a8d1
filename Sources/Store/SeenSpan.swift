import Model
import SQLite

/// A span of time in which a device was seen without a silence. It begins and ends at the time of a position. Milliseconds since 1970.
package struct SeenSpan: Hashable, Sendable {
    package var begins: Int64
    package var ends: Int64

    package init(begins: Int64, ends: Int64) {
        self.begins = begins
        self.ends = ends
    }

    /// The time of one position.
    package init(at moment: Instant) { self.init(begins: moment.milliseconds, ends: moment.milliseconds) }

    /// The most milliseconds between two positions of one span.
    ///
    /// - Parameter silentAfter: Of the device, in seconds.
    package static func longestGap(silentAfter: Double) -> Int64 {
        Int64((min(silentAfter, Device.longestSilence) * 1000).rounded())
    }
}

extension SeenSpan: Row {
    @usableFromInline package static let columns = "begins, ends"

    @inlinable package init(_ row: inout ColumnReader) { self.init(begins: row.next(), ends: row.next()) }
}
