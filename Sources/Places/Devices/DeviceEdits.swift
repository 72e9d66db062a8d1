import Core
import Model
import Monitor
import Reconciler
import Settings
import Store

extension Device {
    /// Checks that the device can be saved on this machine, which may not know its time zone.
    func checkValues() throws(Problem) {
        if let flaw { throw flaw }
        if let name = inputTimeZone { _ = try LocalTimeZone(named: name, field: "inputTimeZone") }
    }
}

extension ServiceWriter {
    /// Saves a device, and returns the events that follow if its groups or its policy changed, so that it is evaluated differently.
    @discardableResult
    package func save(_ device: Device) throws(Problem) -> [Event] { try save([device]) }

    /// Saves several devices in one transaction; see `save(_:)`.
    func save(_ devices: [Device]) throws(Problem) -> [Event] {
        for device in devices { try device.checkValues() }
        if devices.isEmpty { return [] }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            var events: [Event] = []
            for device in devices { events += try saveChecked(device, in: transaction) }
            return events
        }
    }

    /// Saves a device that has no flaw; see `save(_:)`.
    package func saveChecked(_ device: Device, in transaction: borrowing Transaction) throws(Problem) -> [Event] {
        let device = try inheriting(device)
        let old = try store.device(id: device.id)?.device
        let isEvaluatedAgain = old.map { !$0.hasSameSettings(as: device) } ?? false
        // Load the device's state before the change, because that state results from the old settings.
        if isEvaluatedAgain { _ = try deviceIndex(of: device.id) }
        let key = try store.saveDevice(device, in: transaction)
        if [device.registry, old?.registry ?? .none].contains(where: { $0 != .none }) { effects.health.insert(key) }
        effects.groups[device.id] = device.groups
        effects.timeZones.updateValue(device.inputZone, forKey: device.id)
        if let deviceIndex = indicesByID[device.id] {
            keepForUndo(deviceIndex)
            if !isEvaluatedAgain { loadedDevices[deviceIndex].updateDevice(device, policy: policy) }
        }
        try updateRules(of: .init(key: key, device: device), in: transaction)
        publish(ServiceNotice(ofDevice: device.id))
        interruptReplay(ofDevice: key)
        if let old, old.registry == .simulated, old.platform != device.platform || device.registry != .simulated {
            // The device has another phone now, so the registrations of the old phone no longer matter.
            try removePhone(of: device.id)
            try store.save(RegistryJournal(), of: key, in: transaction)
        }
        // If the process was killed while an earlier device with this id was removed, its phone may still exist.
        if device.registry == .simulated, old?.registry != .simulated { try removePhone(of: device.id) }
        if let old, old.registry != device.registry {
            // A report has the form of the registry that it is about.
            try store.removeReport(of: key, in: transaction)
            try resolve(source: DeviceProblem.registry.source(of: device.id), in: transaction)
        }
        guard let deviceIndex = indicesByID[device.id] else { return [] }
        // The new deadline may be later than the old one.
        unscheduleDeadline(of: key)
        defer { scheduleDeadline(deviceIndex) }
        return isEvaluatedAgain ? try apply(.settings(device, policy), toDeviceAt: deviceIndex, in: transaction) : []
    }

    /// Removes a device, its state and its positions. Its open visits end; its events stay. Returns the events of the ended visits.
    @discardableResult
    package func removeDevice(id: String) throws(Problem) -> [Event] {
        let device = try device(id: id)
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            guard let deviceIndex = try deviceIndex(of: device.id) else { return [] }
            try endRules(ofDeviceAt: deviceIndex, in: transaction)
            let events = try changeState(deviceIndex, in: transaction) { engine, state, transitions in
                engine.endAllVisits(cause: .deviceRemoved, &state, into: &transitions)
            }
            try store.remove(loadedDevices[deviceIndex].key, in: transaction)
            effects.groups[device.id] = []
            effects.timeZones.updateValue(nil, forKey: device.id)
            forgetInput(ofDevice: device.id, loadedDevices[deviceIndex].key)
            publish(RemovedData(device: device.id, positionsSince: .earliest, includesEvents: false))
            keepForUndo(deviceIndex)
            release(deviceIndex)
            for source in Self.problemSources(ofDevice: device.id) { try resolve(source: source, in: transaction) }
            if device.registry == .simulated { try removePhone(of: device.id) }
            publish(ServiceNotice(ofDevice: device.id, isRemoved: true))
            return events
        }
    }

    /// Forgets what was observed of the input of a device that is removed or erased.
    func forgetInput(ofDevice id: String, _ key: DeviceKey) {
        for source in Self.problemSources(ofDevice: id) { intakeProblems?.remove(source, device: id) }
        clockLags[key] = nil
        sharedIDs[key] = nil
    }
}
