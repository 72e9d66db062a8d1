import Geodesy
import Model
import Reconciler
import Registry
import SimulatedOS

// Which events happen in a life, and what they do.

extension ChaosLife {
    /// A random event that is possible now; nil if the drawn one is not.
    mutating func randomEvent() -> ChaosEvent? {
        let profile = configuration.profile
        switch Int.random(in: 0..<40, using: &random) {
        case 0...1: return .reboot(profile.reboot.randomElement(using: &random) ?? .keep)
        case 2: return .update(profile.update.randomElement(using: &random) ?? .keep)
        case 3: return .forceStop(profile.update.randomElement(using: &random) ?? .keep)
        case 4: return .reinstall
        case 5: return profile.clearingDataRemoves ? .clearData : nil
        case 6...7: return .appKilled
        case 8...14: return randomSetting()
        case 15...21: return randomFault()
        case 22...28: return randomDamage()
        case 29...32: return randomForeignRegion()
        default: return randomEdit()
        }
    }

    private mutating func randomSetting() -> ChaosEvent? {
        let event: ChaosEvent
        let isIOS = configuration.profile.platform == .ios
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let status = [Authorization.whenInUse, .denied, .restricted, .notDetermined].randomElement(using: &random) ?? .denied
            event = .authorization(status, configuration.profile.permission.randomElement(using: &random) ?? .cleared)
        case 1: event = .location(isOn: false)
        case 2: event = .preciseLocation(isOn: false)
        case 3: event = isIOS ? .backgroundRefresh(isOn: false) : .batteryOptimization(isOn: true)
        default: event = .location(isOn: false)
        }
        return restorations.contains { $0.cause.name == event.name } ? nil : event
    }

    private mutating func randomFault() -> ChaosEvent? {
        let profile = configuration.profile
        let passing = profile.platform == .ios ? RegistryError.Code.regionMonitoringFailure : .geofenceNotAvailable
        let codes = profile.delays.map(\.code) + [passing, profile.overLimit.code]
        let faults: [Faults.Fault] = [
            .refuse(codes.randomElement(using: &random) ?? passing), .loseStart, .loseStop, .noAnswer, .noState, .loseReport,
            .delayReport(Double(Int.random(in: 10...1800, using: &random))),
        ]
        guard let fault = faults.randomElement(using: &random), phone.os.faults.next.count < 3 else { return nil }
        return .fault(fault)
    }

    private mutating func randomDamage() -> ChaosEvent? {
        guard let id = phone.os.regions.map(\.id).filter(\.isOurs).randomElement(using: &random) else { return nil }
        switch Int.random(in: 0..<5, using: &random) {
        case 0...1: return .dropped(id)
        case 2: return .drifted(id, meters: Double(Int.random(in: 10...800, using: &random)))
        case 3: return configuration.profile.hasNotificationOptions ? .deafened(id) : .dropped(id)
        default: return .becameZombie(id)
        }
    }

    private mutating func randomForeignRegion() -> ChaosEvent? {
        let foreign = phone.os.regions.map(\.id).filter { !$0.isOurs }
        if !foreign.isEmpty, Bool.random(using: &random) {
            return foreign.randomElement(using: &random).map { .foreignRemoved($0) }
        }
        let id = RegionID("com.other.sdk/\(Int.random(in: 0..<1000, using: &random))")
        let most = min(5, configuration.profile.limit / 4)
        return foreign.count < most && !foreign.contains(id) ? .foreignAdded(id) : nil
    }

    private mutating func randomEdit() -> ChaosEvent? {
        let kind = Int.random(in: 0..<5, using: &random)
        if kind == 0 { return .geofenceAdded("edit-\(editCount + 1)") }
        guard let fence = phone.fences.randomElement(using: &random) else { return nil }
        switch kind {
        case 1: return .geofenceMoved(fence.id)
        case 2: return .geofenceResized(fence.id)
        // Some geofences have to be left.
        case 3: return phone.fences.count > 3 ? .geofenceRemoved(fence.id) : nil
        default: return .geofenceSwitched(fence.id, isOn: !fence.isActive)
        }
    }

    // MARK: - Effects

    /// Lets an event happen to the phone and, as far as it concerns geofences, to the reference.
    mutating func perform(_ event: ChaosEvent) {
        switch event {
        case .reboot(let policy):
            phone.os.policies.reboot = policy
            phone.os.reboot()
            impair(event)
        case .update(let policy):
            phone.os.policies.update = policy
            phone.os.update()
            impair(event)
        case .forceStop(let policy):
            phone.os.policies.update = policy
            phone.os.forceStop()
            impair(event)
        case .reinstall:
            phone.os.reinstall()
            impair(event)
        case .clearData:
            phone.os.clearData()
            impair(event)
        case .appKilled: killAt = Int.random(in: 0...8, using: &random)
        case .authorization(let status, let policy):
            if status != .always { phone.os.policies.permission = policy }
            phone.os.authorize(status)
            change(event, isUsual: status == .always, back: .authorization(.always, policy))
        case .location(let isOn):
            phone.os.setLocationServices(isOn)
            change(event, isUsual: isOn, back: .location(isOn: true))
        case .preciseLocation(let isOn):
            phone.os.setPreciseLocation(isOn)
            change(event, isUsual: isOn, back: .preciseLocation(isOn: true))
        case .backgroundRefresh(let isOn):
            phone.os.setBackgroundRefresh(isOn)
            change(event, isUsual: isOn, back: .backgroundRefresh(isOn: true))
        case .batteryOptimization(let isOn):
            phone.os.setBatteryOptimized(isOn)
            change(event, isUsual: !isOn, back: .batteryOptimization(isOn: false))
        case .fault(let fault):
            phone.os.faults.next.append(fault)
            waitingFaults.append(fault)
        case .dropped(let id):
            phone.os.dropRegions([id])
            impair(event, id)
        case .drifted(let id, let meters):
            phone.os.drift(id, meters: meters)
            impair(event, id)
        case .deafened(let id):
            phone.os.deafen(id)
            impair(event, id)
        case .becameZombie(let id):
            phone.os.zombify(id)
            impair(event, id)
        case .foreignAdded(let id):
            phone.os.add(Region(id: id, circle: Circle(center: here, radius: 200)))
            impair(event)
        case .foreignRemoved(let id): phone.os.dropRegions([id])
        case .geofenceAdded, .geofenceMoved, .geofenceResized, .geofenceRemoved, .geofenceSwitched: edit(event)
        }
    }

    private var here: Coordinate { phone.fixes.last?.coordinate ?? Coordinate(latitude: 0, longitude: 0) }

    private mutating func impair(_ event: ChaosEvent, _ id: RegionID? = nil) {
        impairments.begin(id.map { .region($0) } ?? .allRegions, .event(event), at: phone.os.now)
    }

    /// Records a change of a setting, which the person reverts after 5 minutes to 6 hours.
    private mutating func change(_ event: ChaosEvent, isUsual: Bool, back: ChaosEvent) {
        guard !isUsual else { return restorations.removeAll { $0.event == event } }
        impair(event)
        let wait = 300 * Double.random(in: 1...8.5, using: &random) * Double.random(in: 1...8.5, using: &random)
        restorations.append((phone.os.now + wait, back, event))
    }

    // MARK: - Edits

    private mutating func edit(_ event: ChaosEvent) {
        editCount += 1
        switch event {
        case .geofenceAdded(let id):
            let center = place(near: here, within: 0.03)
            let circle = Circle(center: center, radius: Double.random(in: 100...600, using: &random))
            put(Geofence(id: id, name: "Place \(id)", shape: .circle(circle), priority: Int.random(in: 0...2, using: &random)))
        case .geofenceMoved(let id):
            guard let entry = phone.candidates[id] else { return }
            let center = place(near: entry.circle.center, within: 0.004)
            change(id) { $0.shape = .circle(Circle(center: center, radius: entry.circle.radius)) }
        case .geofenceResized(let id):
            guard let entry = phone.candidates[id] else { return }
            let radius = Double.random(in: 100...900, using: &random)
            change(id) { $0.shape = .circle(Circle(center: entry.circle.center, radius: radius)) }
        case .geofenceRemoved(let id):
            phone.fences.removeAll { $0.id == id }
            reference.forget(id)
            leave(id)
        case .geofenceSwitched(let id, let isOn):
            change(id) { $0.isActive = isOn }
            if !isOn { leave(id) }
        default: break
        }
    }

    private mutating func place(near center: Coordinate, within degrees: Double) -> Coordinate {
        Coordinate(
            latitude: min(89, max(-89, center.latitude + .random(in: -degrees...degrees, using: &random))),
            longitude: min(180, max(-180, center.longitude + .random(in: -degrees...degrees, using: &random))))
    }

    private mutating func change(_ id: String, _ body: (inout Geofence) -> Void) {
        guard var fence = phone.fences.first(where: { $0.id == id }) else { return }
        body(&fence)
        put(fence)
    }

    private mutating func put(_ fence: Geofence) {
        var fences = phone.fences
        fences.removeAll { $0.id == fence.id }
        fences.append(fence)
        phone.fences = fences
        ledger.forget(fence.id)
        if let entry = phone.candidates[fence.id], fence.applies(to: phone.device) { reference.watch(entry) }
    }

    /// The geofence is no longer in force, so a visit of it ends.
    private mutating func leave(_ id: String) {
        ledger.forget(id)
        phone.setVisit(id, false)
    }
}
