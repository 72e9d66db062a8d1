import Delivery
import Model
import Store

/// What one sink's broker keeps for Home Assistant, and what of it is on its way.
struct RetainedMessages {
    let discovery: HomeAssistantDiscovery
    private var mirror: RetainedMirror
    /// What is on its way; empty for nothing.
    private var underWay: [OutgoingPublication] = []
    /// What the configurations were made of, and the configurations.
    private var announced: (entities: [HomeAssistantDiscovery.Device], fences: [HomeAssistantDiscovery.Fence])?
    private var configurations: [String: String] = [:]
    /// The problem that the journal was told of.
    private(set) var problem: Problem?
    /// Whether the journal knows `problem`: one of an earlier run may stand there.
    private(set) var isProblemTold = false

    /// Nil for a sink that announces nothing.
    init?(of sink: Sink) {
        guard case .mqtt(let target) = sink.target, let discovery = target.discovery else { return nil }
        self.discovery = discovery
        mirror = RetainedMirror(discovery)
    }

    /// Takes over what there is now.
    mutating func update(_ view: HomeAssistantView, language: Language) {
        switch view {
        case .tooMany(let problem):
            isProblemTold = isProblemTold && self.problem == problem
            self.problem = problem
            announced = nil
            configurations = [:]
            mirror.want(configurations: [:], states: [:])
        case .entities(let devices, let fences):
            isProblemTold = isProblemTold && problem == nil
            problem = nil
            let entities = devices.map { device in
                var entity = device
                (entity.position, entity.inside) = (.unknown, nil)
                entity.registration = device.registration.map { _ in .init(isHealthy: nil, summary: nil) }
                return entity
            }
            if announced.map({ $0.entities != entities || $0.fences != fences }) ?? true {
                announced = (entities, fences)
                configurations = discovery.configurations(devices, fences, language: language)
            }
            mirror.want(
                configurations: configurations, states: discovery.states(devices, fences, known: mirror.knownStates))
        }
    }

    /// Takes note that the journal has been told.
    mutating func noteProblemTold() { isProblemTold = true }

    /// Takes note of a configuration that the broker keeps.
    mutating func found(_ topic: String, _ payload: String) { mirror.found(topic, payload) }

    /// Takes note that the connection has ended. What was on its way is told of by itself.
    mutating func lost() { mirror.lost() }

    /// Begins anew, as with another sender.
    mutating func restart() {
        mirror.lost()
        underWay = []
    }

    var isUnderWay: Bool { !underWay.isEmpty }

    /// Whether there is something to send, and nothing is on its way.
    var hasNext: Bool { mutating get { underWay.isEmpty && !mirror.next().isEmpty } }

    /// Begins to send the next messages.
    mutating func begin() -> [OutgoingPublication] {
        underWay = mirror.next()
        return underWay
    }

    /// What was on its way has arrived, or not.
    mutating func end(hasArrived: Bool) {
        if hasArrived { mirror.arrived(underWay) }
        underWay = []
    }

    /// Messages after which the broker keeps nothing of it any more.
    var removals: [OutgoingPublication] { mirror.removals }
}

/// What Home Assistant is told of.
enum HomeAssistantView {
    case entities([HomeAssistantDiscovery.Device], [HomeAssistantDiscovery.Fence])
    /// There is too much to tell.
    case tooMany(Problem)
}

extension GeofenceService {
    /// What Home Assistant is told by a sink: the devices and geofences that its filter lets through, as they are now.
    func homeAssistantView(of sink: Sink) throws(Problem) -> HomeAssistantView {
        try store.snapshot { () throws(Problem) in
            let filter = sink.filter
            var fences: [HomeAssistantDiscovery.Fence] = []
            for stored in try store.geofences() where stored.geofence.isActive {
                let fence = stored.geofence
                if filter.geofences.isEmpty || filter.geofences.contains(fence.id) {
                    fences.append(.init(id: fence.id, name: fence.name))
                }
            }
            let devices = try store.devices().filter { filter.admits(device: $0.device.id, groups: $0.device.groups) }
            let count = HomeAssistantDiscovery.entityCount(devices: devices.count, fences: fences.count)
            if count > HomeAssistantDiscovery.mostEntities {
                return .tooMany(
                    .validationFailed(
                        field: "discovery", value: "\(devices.count) devices, \(fences.count) geofences",
                        reason: "that would be \(count) entities in Home Assistant",
                        expected:
                            "at most \(HomeAssistantDiscovery.mostEntities); choose with the filter's devices, groups and geofences"
                    ))
            }
            var found: [HomeAssistantDiscovery.Device] = []
            for stored in devices { found.append(try homeAssistantDevice(stored)) }
            return .entities(found, fences)
        }
    }

    private func homeAssistantDevice(_ stored: RegionStore.StoredDevice) throws(Problem) -> HomeAssistantDiscovery.Device {
        let whereabouts = try store.whereabouts(of: stored, counting: false, at: clock.now())
        let device = stored.device
        var registration: HomeAssistantDiscovery.Registration?
        if device.registry != .none {
            let last = try store.lastHealth(of: stored.key)
            registration = .init(isHealthy: last?.isHealthy, summary: last?.summary)
        }
        return .init(
            id: device.id, name: device.name, model: device.platform.map { $0 == .ios ? "iOS" : "Android" },
            position: whereabouts.newest.map { whereabouts.isDoubted ? .asBefore : .at($0) } ?? .unknown,
            inside: whereabouts.newest == nil ? nil : Set(whereabouts.inside.map(\.geofenceId)), registration: registration)
    }
}
