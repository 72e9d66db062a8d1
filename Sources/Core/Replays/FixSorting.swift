import Model
import Store

extension Queries {
    /// The number of fixes that are stored in sorted order at once, which takes a few milliseconds. As long as no more than that are
    /// unsorted, nobody has to wait.
    static let fixesSortedAtOnce = 4_000

    /// The maximum number of fixes not yet sorted by device that are searched in each query. If there are more, they have to be sorted
    /// first.
    static let mostUnorderedFixes = 20_000

    /// Whether a device's track can be read without searching too many fixes of other devices.
    package func canReadTracks() throws(Problem) -> Bool { try store.unorderedFixCount() <= Self.mostUnorderedFixes }

    /// Runs `body`, which reads tracks of some devices, and no others, many times. If many fixes are not in order, those of these devices are
    /// sorted once for all. This must be called in a snapshot.
    package func readTracks<Value>(
        of devices: [DeviceKey], _ body: () throws(Problem) -> Value
    ) throws(Problem) -> Value {
        try canReadTracks() ? body() : store.withTemporaryOrder(of: devices, body)
    }
}
