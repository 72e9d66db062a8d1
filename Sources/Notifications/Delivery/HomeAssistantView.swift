import Core
import Delivery
import Model
import Places
import Store

/// What a sink announces to Home Assistant.
enum HomeAssistantView {
    case devices([HomeAssistantDiscovery.Device])
    /// There are too many entities.
    case tooMuch(Problem)
}

/// Reads what a sink announces to Home Assistant: the devices and geofences that its filter admits.
struct HomeAssistantReader {
    /// The active geofences of a revision; nil before they are read.
    private var fences: (revision: Int64, all: [Geofence])?

    /// The current devices and geofences.
    mutating func view(of sink: Sink, in service: Queries) throws(Problem) -> HomeAssistantView {
        let store = service.store
        let filter = sink.filter
        let most = HomeAssistantDiscovery.maxEntities
        func excess(_ reason: Phrase) -> HomeAssistantView {
            .tooMuch(
                .validationFailed(
                    field: "discovery", value: sink.id, reason: reason,
                    expected: .fewerEntities))
        }
        if filter.devices.isEmpty, filter.groups.isEmpty, try store.deviceCount() > most {
            return excess(Phrase("all devices would be more than \(most) entities in Home Assistant"))
        }
        if filter.geofences.isEmpty, filter.notGeofences.isEmpty, try store.geofenceCount() > most {
            return excess(Phrase("all geofences would be more than \(most) entities in Home Assistant"))
        }
        let fences = try self.fences(filter, store)
        var found: [HomeAssistantDiscovery.Device] = []
        var count = 0
        for stored in try Self.devices(filter, store) {
            let device = stored.device
            let own = fences.filter { $0.applies(to: device) }.map { HomeAssistantDiscovery.Fence(id: $0.id, name: $0.name) }
            count += 1 + own.count + (device.registry == .none ? 0 : 1)
            if count > most {
                return excess(
                    Phrase(
                        "the devices and geofences that match its filter would be more than \(most) entities in Home Assistant"))
            }
            found.append(try Self.entity(stored, own, service))
        }
        return .devices(found)
    }

    private mutating func fences(_ filter: SinkFilter, _ store: PicketStore) throws(Problem) -> [Geofence] {
        let revision = try store.fenceRevision()
        if fences?.revision != revision {
            fences = (revision, try store.geofences().map(\.geofence).filter(\.isActive))
        }
        let all = fences?.all ?? []
        return all.filter { filter.admits(geofence: $0.id) }
    }

    private static func devices(_ filter: SinkFilter, _ store: PicketStore) throws(Problem) -> [PicketStore.StoredDevice] {
        let all: [PicketStore.StoredDevice]
        if filter.devices.isEmpty {
            all = try store.devices()
        } else {
            var named: [PicketStore.StoredDevice] = []
            for id in filter.devices.sorted() { if let stored = try store.device(id: id) { named.append(stored) } }
            all = named
        }
        return all.filter { filter.admits(device: $0.device.id, groups: $0.device.groups) }
    }

    private static func entity(
        _ stored: PicketStore.StoredDevice, _ fences: [HomeAssistantDiscovery.Fence], _ service: Queries
    ) throws(Problem) -> HomeAssistantDiscovery.Device {
        let device = stored.device
        let whereabouts = try service.store.status(of: stored, counting: false, at: service.clock.now())
        var registration: HomeAssistantDiscovery.Registration?
        if device.registry != .none {
            let last = try service.store.lastHealth(of: stored.key)
            registration = .init(isHealthy: last?.isHealthy, summary: last?.summary)
        }
        return .init(
            id: device.id, name: device.name, model: device.platform.map { $0 == .ios ? "iOS" : "Android" }, fences: fences,
            fix: whereabouts.newestTrusted,
            inside: whereabouts.newestTrusted == nil ? nil : Set(whereabouts.inside.map(\.geofenceId)),
            registration: registration)
    }
}
