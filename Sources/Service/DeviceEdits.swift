import Model
import Monitor
import Reconciler
import Store

extension Queries {
    /// All devices, by id.
    public func devices() throws(Problem) -> [Device] { try store.devices().map(\.device) }

    /// The device of that id.
    public func device(id: String) throws(Problem) -> Device { try storedDevice(id: id).device }

    public func hasDevice(id: String) throws(Problem) -> Bool { try store.device(id: id) != nil }
}

extension ServiceWriter {
    /// Saves a device. When it may now be inside other fences than before (its groups or its policy changed), the events of
    /// that follow.
    @discardableResult
    public func put(_ device: Device) throws(Problem) -> [Event] {
        if let flaw = device.flaw { throw flaw }
        return try transaction { () throws(Problem) in
            let old = try store.device(id: device.id)?.device
            let isJudgedAnew = old.map { !$0.isJudged(as: device) } ?? false
            // What is known of it was come to by the rules that it had.
            if isJudgedAnew { _ = try slot(of: device.id) }
            let key = try store.put(device)
            if let slot = slotNumbers[device.id] {
                remember(slot)
                if !isJudgedAnew { slots[slot].renew(device, policy: policy) }
            }
            try settleRules(of: .init(key: key, device: device))
            interruptReplay(ofDevice: key)
            if let old, old.registry == .simulated, old.platform != device.platform || device.registry != .simulated {
                // Another phone: what was known of the old one's registrations is void.
                try removePhone(of: device.id)
                try store.save(RegistryJournal(), of: key)
            }
            // One may be left of an earlier device of that id, if the process was killed while that was removed.
            if device.registry == .simulated, old?.registry != .simulated { try removePhone(of: device.id) }
            if let old, old.registry != device.registry { try resolveWithin(source: Self.registrySource(device: device.id)) }
            guard let slot = slotNumbers[device.id] else { return [] }
            // It may be later than before.
            forgetDeadline(of: key)
            defer { noteDeadline(slot) }
            return isJudgedAnew ? try apply(.rules(device, policy), toSlot: slot) : []
        }
    }

    /// Forgets a device, its state and its positions; visits that are open end, its events stay.
    @discardableResult
    public func removeDevice(id: String) throws(Problem) -> [Event] {
        let device = try device(id: id)
        return try transaction { () throws(Problem) in
            guard let slot = try slot(of: device.id) else { return [] }
            try dropRules(ofSlot: slot)
            let events = try change(slot) { engine, state, transitions in
                engine.leaveAll(.deviceRemoved, &state, &transitions)
            }
            try store.remove(slots[slot].key)
            remember(slot)
            release(slot)
            for source in Self.problemSources(ofDevice: device.id) { try resolveWithin(source: source) }
            if device.registry == .simulated { try removePhone(of: device.id) }
            return events
        }
    }

    /// Lets something other than a fix happen to a device: keeps it in the input log, applies it, and records what follows. Before a
    /// device's first fix nothing follows, and nothing is kept.
    ///
    /// - Parameters:
    ///   - input: `.rules` when the device is stored with them.
    ///   - now: When it is recorded; nil for the clock's time.
    func apply(_ input: Input, toSlot slot: Int, at now: Instant? = nil) throws(Problem) -> [Event] {
        remember(slot)
        defer { if case .rules(let device, _) = input { slots[slot].renew(device, policy: policy) } }
        guard slots[slot].state.newest != nil else { return [] }
        slots[slot].applied = try store.append(input, of: slots[slot].key)
        return try change(slot, at: now) { engine, state, transitions in engine.apply(input, &state, &transitions) }
    }

    /// Changes a device's state outside of the stream of fixes, and records what follows.
    private func change(
        _ slot: Int, at now: Instant? = nil, _ body: (TransitionEngine, inout DeviceState, inout [Transition]) -> Void
    ) throws(Problem) -> [Event] {
        guard slots[slot].state.newest != nil else { return [] }
        interruptReplay(ofDevice: slots[slot].key)
        remember(slot)
        let engine = try engine()
        // A presence may be in a fence that is no longer among the active ones.
        let revision = engine.fences.revision
        var transitions: [Transition] = []
        body(engine, &slots[slot].state, &transitions)
        var sequence = try store.newestSequence()
        let now = now ?? clock.now()
        var events = try record(transitions, of: slot, at: now, sequence: &sequence) { key throws(Problem) in
            guard let geofence = engine.fences.geofence(key) else {
                throw .storeCorrupt(path: directory.store, details: "a transition names no geofence")
            }
            return (geofence, revision)
        }
        events += try judgeRules(ofSlot: slot, after: transitions, at: now, sequence: &sequence)
        try keepState(slot)
        return events
    }
}
