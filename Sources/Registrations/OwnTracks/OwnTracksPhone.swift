import Core
import Model
import OwnTracks
import Reconciler
import Registry
import Store

/// The OwnTracks app of one device, as a repair of its registrations uses it.
final class OwnTracksPhone: WaypointPhone {
    private let access: any ServiceAccess
    private let phones: OwnTracksPhones
    private let stored: PicketStore.StoredDevice
    private let platform: Device.Platform
    /// The candidates with the names of the geofences.
    private let names: RegionCandidates

    init(
        _ stored: PicketStore.StoredDevice, platform: Device.Platform, names: RegionCandidates, access: any ServiceAccess,
        phones: OwnTracksPhones
    ) {
        self.access = access
        self.phones = phones
        self.stored = stored
        self.platform = platform
        self.names = names
    }

    func list(after commands: [JSONValue]) async throws(RegistryError) -> WaypointReport {
        let (id, stored, platform) = (stored.device.id, stored, platform)
        let sealed = try await performOnWriter { service throws(Problem) in
            try service.seal(commands + [OwnTracksCommand.waypoints], for: stored.key)
        }
        guard await phones.requestList(id, sealed) else { throw RegistryError(.unavailable) }
        let report = try await performOnWriter { service throws(Problem) in
            try service.waypointReport(of: stored, platform)?.report
        }
        guard let report else { throw RegistryError(.unavailable) }
        return report
    }

    func label(of id: RegionID) async throws(RegistryError) -> (number: Int, name: String) {
        let number = try await performOnWriter { service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.store.waypointNumber(of: id, in: transaction)
            }
        }
        return (number, names.number(of: id).map { names.entries[$0].name } ?? "Picket")
    }

    func unfinishedList() async throws(RegistryError) -> [JSONValue]? {
        let key = stored.key
        return try await performOnWriter { service throws(Problem) in try service.store.unfinishedWaypoints(of: key) }
    }

    func save(unfinished list: [JSONValue]?) async throws(RegistryError) {
        let key = stored.key
        try await performOnWriter { service throws(Problem) in
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.store.save(unfinishedWaypoints: list, of: key, in: transaction)
            }
        }
    }

    /// Performs work on the writer. If that fails, the registry counts as unavailable, because nothing may be changed without the store.
    private func performOnWriter<Value: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Value
    ) async throws(RegistryError) -> Value {
        do throws(Problem) {
            return try await access.perform(body)
        } catch {
            throw RegistryError(.unavailable)
        }
    }
}
