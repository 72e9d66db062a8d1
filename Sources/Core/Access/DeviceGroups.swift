import Model
import Synchronization

/// The groups of devices in memory, to decide at any moment what a client with a restricted token may see. The writer updates them with
/// each commit. Can be used from any thread.
package final class DeviceGroups: Sendable {
    /// By device; devices without groups are left out.
    private let groups = Mutex<[String: [String]]>([:])

    package init() {}

    /// Sets the groups of devices.
    func update(_ changes: [String: [String]]) {
        if changes.isEmpty { return }
        groups.withLock { groups in
            for (device, own) in changes { groups[device] = own.isEmpty ? nil : own }
        }
    }

    /// Whether a scope contains a device now.
    ///
    /// - Parameter scope: Nil for all devices.
    package func isVisible(_ device: String, to scope: DeviceScope?) -> Bool {
        guard let scope else { return true }
        if scope.groups.isEmpty { return scope.devices.contains(device) }
        return scope.contains(device, in: groups.withLock { $0[device] ?? [] })
    }
}
