import Model
import Monitor
import Store

extension ServiceWriter {
    /// Applies an input other than a fix to a device: appends it to the input log, applies it, and records the resulting events. Before the
    /// device's first fix, it does nothing.
    ///
    /// - Parameters:
    ///   - input: For `.settings`, the device must already be saved with the new settings.
    ///   - now: The recording time of the events; nil for the clock's time.
    package func apply(
        _ input: Input, toDeviceAt deviceIndex: Int, at now: Instant? = nil, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        try applyOpenFenceChange(toDeviceAt: deviceIndex, in: transaction)
        keepForUndo(deviceIndex)
        defer { if case .settings(let device, _) = input { loadedDevices[deviceIndex].updateDevice(device, policy: policy) } }
        guard loadedDevices[deviceIndex].state.newest != nil else { return [] }
        loadedDevices[deviceIndex].applied = try store.append(input, of: loadedDevices[deviceIndex].key, in: transaction)
        return try changeState(deviceIndex, at: now, in: transaction) { engine, state, transitions in
            engine.apply(input, to: &state, into: &transitions)
        }
    }

    /// Changes a device's state independently of fixes, and records the resulting events.
    package func changeState(
        _ deviceIndex: Int, at now: Instant? = nil, in transaction: borrowing Transaction,
        _ body: (TransitionEngine, inout DeviceState, inout [Transition]) -> Void
    ) throws(Problem) -> [Event] {
        guard loadedDevices[deviceIndex].state.newest != nil else { return [] }
        interruptReplay(ofDevice: loadedDevices[deviceIndex].key)
        keepForUndo(deviceIndex)
        let engine = try engine()
        // A presence may belong to a geofence that is no longer active.
        let revision = engine.fences.revision
        var transitions: [Transition] = []
        body(engine, &loadedDevices[deviceIndex].state, &transitions)
        var sequence = try store.newestSequence()
        let now = now ?? clock.now()
        var events = try record(transitions, of: deviceIndex, at: now, sequence: &sequence, in: transaction) {
            key throws(Problem) in
            guard let geofence = engine.fences.geofence(key) else {
                throw .storeCorrupt(path: directory.storePath, details: "a transition names no geofence")
            }
            return (geofence, revision)
        }
        events += try evaluateRules(ofDeviceAt: deviceIndex, after: transitions, at: now, sequence: &sequence, in: transaction)
        try saveState(deviceIndex, in: transaction)
        return events
    }
}
