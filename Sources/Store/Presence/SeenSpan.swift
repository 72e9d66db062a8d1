import Model
import SQLite

/// A period in which a device reported positions without a silence. The times are those of the first and the last position, in
/// milliseconds since 1970.
///
/// The store keeps spans in place of positions that it removes or does not store, so that it still knows for how long the device
/// was seen during a visit.
package struct SeenSpan: Hashable, Sendable {
    package var begins: Int64
    package var ends: Int64

    package init(begins: Int64, ends: Int64) {
        self.begins = begins
        self.ends = ends
    }

    /// The span of a single position.
    package init(at moment: Instant) { self.init(begins: moment.milliseconds, ends: moment.milliseconds) }

    /// The longest time between two consecutive positions of one span, in milliseconds. After a longer time, a new span begins.
    ///
    /// - Parameter silentAfter: `Device.silentAfter`: the time in seconds without a sign of life after which the device is
    ///   silent.
    static func maximumGap(silentAfter: Double) -> Int64 {
        Int64((min(silentAfter, Device.maximumSilentAfter) * 1000).rounded())
    }
}

extension SeenSpan: Row {
    @usableFromInline package static let columns = "begins, ends"

    @inlinable package init(_ row: inout ColumnReader) { self.init(begins: row.next(), ends: row.next()) }
}
