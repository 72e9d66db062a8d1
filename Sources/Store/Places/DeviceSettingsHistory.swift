import Model

/// The settings by which a device was evaluated over time: its groups, its policy and the time after which it counts as silent.
package struct DeviceSettingsHistory: Sendable {
    /// Settings that applied until a change.
    struct Period: Sendable {
        /// The device with these settings.
        var device: Device
        /// The number of the entry of the input log that changed these settings.
        var end: Int64
    }

    /// In the order of the input log.
    private let periods: [Period]
    private let current: Device

    init(_ periods: [Period], now: Device) {
        self.periods = periods
        self.current = now
    }

    /// A history without changes: the settings of `device` apply at all times.
    package init(always device: Device) { self.init([], now: device) }

    /// The device with the settings of an index. The oldest settings have the index 0.
    package func device(_ index: Int) -> Device { index < periods.count ? periods[index].device : current }

    /// The index of the settings that applied right before an entry of the input log.
    package func index(before number: Int64) -> Int { periods.firstIndex { number <= $0.end } ?? periods.count }

    /// The device with each of its settings, the oldest first.
    package var devices: [Device] { periods.map(\.device) + [current] }
}
