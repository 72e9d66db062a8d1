import Model
import Monitor
import Store

/// Applies log entries to the states of devices. The entries may come in the order of the log (`InputLogReader`), to recover after a crash
/// or check a store. Or they come in one device's order of time (`TimeOrder`), to place late fixes, to explain decisions, or to try other
/// geofences or another policy.
///
/// Live inputs use the same engine call (`TransitionEngine.apply`).
package final class Timeline {
    /// The current state of a device.
    struct LoadedDevice {
        let key: DeviceKey
        let settings: DeviceSettingsHistory
        /// The index in `settings` of the settings in effect.
        var settingsIndex: Int
        var state: DeviceState
        /// The input number of the newest entry that is contained in a stored state.
        var applied: Int64
    }

    /// The effect of one entry on one device.
    package struct Step {
        /// The kind of input that the entry contained.
        package enum Cause {
            case fix(Fix)
            /// Time passed.
            case deadline
            case fences(FenceChange)
            case settings
            case life
            /// The phone's own system reported whether the device is inside a geofence.
            case report(FenceKey, isInside: Bool)
        }

        let device: DeviceKey
        package let cause: Cause
        /// The moment of the step in the device's own time.
        package let occurredAt: Instant
        package let transitions: [Transition]
        /// The state after the step.
        package let state: DeviceState
    }

    /// Which inputs the initial states contain.
    enum InitialStates {
        /// None: devices begin without a state.
        case blank
        /// Those up to the stored states.
        case stored
    }

    let fences: FenceTimeline
    private let store: PicketStore
    private let policy: DecisionPolicy
    private let initialStates: InitialStates
    /// Whether every step is reported, and every deadline as its own step; otherwise only steps with transitions.
    private let reportsEveryStep: Bool
    private(set) var devices: [LoadedDevice] = []
    private var indices: [DeviceKey: Int?] = [:]
    private var transitions: [Transition] = []
    /// The change of the geofences that is not applied to all devices yet, and these devices; nil if that was not read yet.
    private var openChange: (number: Int64, devices: Set<DeviceKey>)?

    init(
        _ store: PicketStore, _ fences: FenceTimeline, policy: DecisionPolicy, initialStates beginning: InitialStates,
        reportsEveryStep isWatched: Bool = false
    ) {
        self.store = store
        self.fences = fences
        self.policy = policy
        self.initialStates = beginning
        self.reportsEveryStep = isWatched
    }

    // MARK: - Devices

    /// Adds a device with its current state.
    func add(_ device: LoadedDevice) {
        indices[device.key] = devices.count
        devices.append(device)
    }

    /// The index of a device in `devices`, which is loaded if needed; nil for a device that was deleted or is ignored.
    ///
    /// - Parameter number: The input number of the entry that is about to be applied.
    private func index(of key: DeviceKey, at number: Int64) throws(Problem) -> Int? {
        if let known = indices[key] { return known }
        guard let stored = try store.device(key: key) else {
            indices[key] = .some(nil)
            return nil
        }
        let settings = try store.settingsHistory(of: stored)
        let applied = initialStates == .stored ? try store.appliedInput(of: key) : 0
        let settingsIndex = settings.index(before: applied > 0 ? applied + 1 : number)
        let device = settings.device(settingsIndex)
        let state =
            initialStates == .stored
            ? try store.state(of: .init(key: key, device: device), policy: policy) : DeviceState(device: device, policy: policy)
        add(LoadedDevice(key: key, settings: settings, settingsIndex: settingsIndex, state: state, applied: applied))
        return devices.count - 1
    }

    /// Ignores all entries of a device.
    func ignoreDevice(_ key: DeviceKey) { indices[key] = .some(nil) }

    /// The state of a device; nil when the device is not loaded.
    func state(of key: DeviceKey) -> DeviceState? { (indices[key] ?? nil).map { devices[$0].state } }

    // MARK: - Inputs

    /// Applies an entry to the devices that it concerns, unless their states contain it already.
    ///
    /// - Parameter report: Called with each device's step.
    func apply(_ entry: LoggedInput, _ report: (Step) throws(Problem) -> Void) throws(Problem) {
        if entry.changesFences {
            guard let change = try change(by: entry) else { return }
            for index in try devicesConcerned(by: change, at: entry.number, except: devicesWithout(entry)) {
                try apply(
                    change.input, cause: .fences(change), to: index, at: devices[index].state.lateBefore ?? .earliest,
                    report: report)
                devices[index].applied = entry.number
            }
            return
        }
        guard let key = entry.device, let index = try index(of: key, at: entry.number), isNew(entry.number, index) else { return }
        switch entry.kind {
        case .fences, .backdating, .backdatingStart: break
        case .fix(let fix, let lag):
            try fireDeadlines(before: fix.time, index: index, report: report)
            try apply(.fix(fix), cause: .fix(fix), to: index, at: fix.time, report: report)
            devices[index].state.lag = lag
        case .settings:
            devices[index].settingsIndex += 1
            let device = devices[index].settings.device(devices[index].settingsIndex)
            try apply(
                .settings(device, policy), cause: .settings, to: index, at: devices[index].state.lateBefore ?? .earliest,
                report: report
            )
        case .clock(let moment):
            try fireDeadlines(before: moment, index: index, report: report)
            try apply(.clock(moment), cause: .deadline, to: index, at: moment, report: report)
        case .signOfLife(let moment):
            try fireDeadlines(before: moment, index: index, report: report)
            try apply(.signOfLife(moment), cause: .life, to: index, at: moment, report: report)
        case .report(let fence, let isInside, let moment):
            try fireDeadlines(before: moment, index: index, report: report)
            try apply(
                .report(fence, isInside: isInside, at: moment), cause: .report(fence, isInside: isInside), to: index, at: moment,
                report: report)
        }
        devices[index].applied = entry.number
    }

    /// The devices to which a change of the geofences is not applied yet, because a service applies it in steps.
    private func devicesWithout(_ entry: LoggedInput) throws(Problem) -> Set<DeviceKey> {
        guard case .fences = entry.kind else { return [] }
        if openChange == nil {
            openChange =
                try store.openFenceChange().map { open throws(Problem) in
                    (open.number, Set(try store.devices(without: open)))
                } ?? (0, [])
        }
        guard let openChange, openChange.number == entry.number else { return [] }
        return openChange.devices
    }

    /// Changes the geofences.
    ///
    /// - Returns: The change; nil if it concerns no device.
    private func change(by entry: LoggedInput) throws(Problem) -> FenceChange? {
        if case .fences(let revision) = entry.kind { return try fences.advance(to: revision, at: entry.number) }
        return fences.startBackdatings(after: entry.number)
    }

    /// The indices of the devices that a change of geofences may concern, without some.
    private func devicesConcerned(
        by change: FenceChange, at number: Int64, except others: Set<DeviceKey>
    ) throws(Problem) -> [Int] {
        let concerned = change.fences
        var found = devices.indices.filter {
            isNew(number, $0) && !others.contains(devices[$0].key)
                && (reportsEveryStep || change.mayConcern(devices[$0].state, concerned))
        }
        guard initialStates == .stored else { return found }
        let known = others.union(devices.map(\.key))
        for stored in try store.devices(affectedBy: concerned, in: change.ground, except: known) {
            if let index = try index(of: stored.key, at: number), isNew(number, index) { found.append(index) }
        }
        return found
    }

    /// Whether a state does not contain an entry yet. Without stored states this is always so; in order of time, input numbers do not
    /// ascend.
    private func isNew(_ number: Int64, _ index: Int) -> Bool { initialStates == .blank || number > devices[index].applied }

    private func apply(
        _ input: Input, cause: Step.Cause, to index: Int, at moment: Instant, report: (Step) throws(Problem) -> Void
    ) throws(Problem) {
        fences.engine.apply(input, to: &devices[index].state, into: &transitions)
        // Only states that will be stored need a list of changes.
        if initialStates == .blank { devices[index].state.dropChanges() }
        guard reportsEveryStep || !transitions.isEmpty else { return }
        defer { transitions.removeAll(keepingCapacity: true) }
        try report(
            Step(
                device: devices[index].key, cause: cause, occurredAt: moment, transitions: transitions,
                state: devices[index].state))
    }

    /// Applies each deadline before a moment as its own step, if the timeline is watched.
    private func fireDeadlines(before moment: Instant, index: Int, report: (Step) throws(Problem) -> Void) throws(Problem) {
        while reportsEveryStep, let deadline = devices[index].state.deadline, deadline < moment {
            let at = max(deadline, devices[index].state.newest?.time ?? deadline)
            try apply(.clock(deadline + 0.001), cause: .deadline, to: index, at: at, report: report)
        }
    }
}

extension LoggedInput {
    fileprivate var changesFences: Bool {
        switch kind {
        case .fences, .backdatingStart: true
        case .fix, .settings, .clock, .signOfLife, .report, .backdating: false
        }
    }
}
