import Model
import SQLite

/// A span of time in which a device was seen without a silence, in milliseconds since 1970. It begins and ends at the time of a position.
package struct SeenSpan: Hashable, Sendable {
    package var begins: Int64
    package var ends: Int64

    package init(begins: Int64, ends: Int64) {
        self.begins = begins
        self.ends = ends
    }

    /// The span of a single position.
    package init(at moment: Instant) { self.init(begins: moment.milliseconds, ends: moment.milliseconds) }

    /// The greatest distance between two consecutive positions of a span, in milliseconds.
    ///
    /// - Parameter silentAfter: The device's time until silence, in seconds.
    package static func longestGap(silentAfter: Double) -> Int64 {
        Int64((min(silentAfter, Device.longestSilence) * 1000).rounded())
    }
}

extension SeenSpan: Row {
    @usableFromInline package static let columns = "begins, ends"

    @inlinable package init(_ row: inout ColumnReader) { self.init(begins: row.next(), ends: row.next()) }
}
