import Model
import Settings
import Synchronization

/// The zones in which the times of devices without an offset from UTC are read, for decoding on any thread. The writer updates them with each
/// commit.
package final class InputTimeZones: Sendable {
    /// By device; devices without a zone are left out.
    private let zones = Mutex<[String: LocalTimeZone]>([:])

    package init() {}

    /// Sets the zones of devices; nil removes one.
    func update(_ changes: [String: LocalTimeZone?]) {
        if changes.isEmpty { return }
        zones.withLock { zones in
            for (device, zone) in changes { zones[device] = zone }
        }
    }

    /// The zone of a device; nil if it has none.
    package func zone(of device: String) -> LocalTimeZone? { zones.withLock { $0[device] } }
}

extension Device {
    /// The zone that `inputTimeZone` names.
    package var inputZone: LocalTimeZone? { inputTimeZone.flatMap { try? LocalTimeZone(named: $0) } }
}
