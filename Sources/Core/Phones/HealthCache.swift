import Model
import Reconciler
import Store
import Synchronization

/// The last known health of each managed device, so that a count of all devices assesses only those for which something has
/// changed. Shared by the writer, the owner of the simulated phones, and the readers of a service. Can be used from any thread.
///
/// A caller that changes what an assessment depends on reports it after the change can be read and before it is published. A caller that
/// assesses a device notes `version` before reading anything, so that a result which a change has overtaken is not used.
package final class HealthCache: Sendable {
    /// The part of a device's health that is counted and recorded.
    package struct Outcome: Hashable, Sendable {
        package var isHealthy: Bool?
        package var isStale: Bool
        /// In English.
        package var summary: String

        package init(_ status: GeofenceHealthStatus) {
            isHealthy = status.isHealthy
            isStale = status.isStale
            summary = status.statusSummary
        }
    }

    /// The outcome of an assessment, and what it depends on besides the changes that are reported to the cache.
    package struct Entry: Sendable {
        var outcome: Outcome
        var stored: PicketStore.StoredDevice
        var fenceRevision: Int64
        /// Seconds after which an app's report was too old.
        var appReportMaxAge: Double
        /// The time for which the outcome is valid.
        var validity: Range<Instant>
        /// The value of `version` before the assessment.
        var version: UInt64

        package init(
            _ outcome: Outcome, of stored: PicketStore.StoredDevice, fenceRevision: Int64, appReportMaxAge: Double,
            validity: Range<Instant>, version: UInt64
        ) {
            self.outcome = outcome
            self.stored = stored
            self.fenceRevision = fenceRevision
            self.appReportMaxAge = appReportMaxAge
            self.validity = validity
            self.version = version
        }
    }

    private struct State {
        var version: UInt64 = 0
        var entries: [DeviceKey: Entry] = [:]
        /// The value of `version` after the last change that concerned a device, or all of them.
        var changedKeys: [DeviceKey: UInt64] = [:]
        var changedIDs: [String: UInt64] = [:]
        var allChanged: UInt64 = 0

        /// The value of `version` after the last change on which a device's health depends.
        func lastChange(of stored: PicketStore.StoredDevice) -> UInt64 {
            max(allChanged, changedKeys[stored.key, default: 0], changedIDs[stored.device.id, default: 0])
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Grows with each change.
    package var version: UInt64 { state.withLock { $0.version } }

    /// The outcome for a device, if it is still valid.
    package func outcome(
        of stored: PicketStore.StoredDevice, fenceRevision: Int64, appReportMaxAge: Double, at now: Instant
    ) -> Outcome? {
        state.withLock { state in
            guard let entry = state.entries[stored.key], entry.stored.device == stored.device,
                entry.fenceRevision == fenceRevision, entry.appReportMaxAge == appReportMaxAge, entry.validity.contains(now),
                entry.version >= state.lastChange(of: stored)
            else { return nil }
            return entry.outcome
        }
    }

    /// Whether something on which a device's health depends has changed since a version.
    package func hasChanged(_ stored: PicketStore.StoredDevice, since version: UInt64) -> Bool {
        state.withLock { $0.lastChange(of: stored) > version }
    }

    /// When an outcome becomes invalid although nothing changes; nil if none does.
    ///
    /// - Complexity: O(devices).
    package func nextEnd(after now: Instant) -> Instant? {
        state.withLock { $0.entries.values.lazy.map(\.validity.upperBound).filter { $0 > now && $0 < .latest }.min() }
    }

    package func store(_ entry: Entry) { state.withLock { $0.entries[entry.stored.key] = entry } }

    /// Records that something has changed on which the health of these devices depends.
    func recordChange(of keys: Set<DeviceKey>) {
        if keys.isEmpty { return }
        state.withLock { state in
            state.version += 1
            for key in keys { state.changedKeys[key] = state.version }
        }
    }

    /// Records that the simulated phone of a device has changed.
    package func recordChange(ofPhone id: String) {
        state.withLock { state in
            state.version += 1
            state.changedIDs[id] = state.version
        }
    }

    /// Records that something has changed on which the health of all devices may depend.
    package func recordChangeOfAll() {
        state.withLock { state in
            state.version += 1
            state.allChanged = state.version
            state.entries.removeAll()
            state.changedKeys.removeAll()
            state.changedIDs.removeAll()
        }
    }
}
