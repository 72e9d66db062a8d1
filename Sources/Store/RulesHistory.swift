import Model
import SQLite

/// What a device was judged by from time to time: its groups, its policy and its patience with silence.
package struct RulesHistory: Sendable {
    /// Rules that held up to a change of them.
    struct Period: Sendable {
        /// The device as it was judged.
        var device: Device
        /// The number of the entry of the input log that changed them.
        var end: Int64
    }

    /// In the order of the log.
    private let periods: [Period]
    private let now: Device

    init(_ periods: [Period], now: Device) {
        self.periods = periods
        self.now = now
    }

    /// The same rules at all times.
    package init(always device: Device) { self.init([], now: device) }

    /// The device with the rules of a number; the oldest have the number 0.
    package func device(_ index: Int) -> Device { index < periods.count ? periods[index].device : now }

    /// The number of the rules that held when an entry of the input log was about to come.
    package func index(before number: Int64) -> Int { periods.firstIndex { number <= $0.end } ?? periods.count }

    /// All of them, the oldest first.
    package var devices: [Device] { periods.map(\.device) + [now] }
}
