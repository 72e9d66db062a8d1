import CPrefetch
import Model

/// Everything that the engine keeps about one device. The caller stores it and passes it in with each input.
package struct DeviceState: Sendable {
    // The fields that a fix inside the safe region reads come first, so that they share cache lines.
    var safeRegion = SafeRegion()
    /// The moment of `due`; `Instant.latest` for none.
    private var fenceDeadlineMoment: Instant
    /// The moment of `heardAt`; `Instant.earliest` for none.
    private var lastHeardMoment: Instant
    private let silentAfter: Int64
    /// The newest fix that was believed; nil before the first.
    package internal(set) var newest: Fix?
    /// The place where the device stays, or may be about to stay; nil when its policy does not use stays, or its fixes are unsuitable.
    package internal(set) var stay: StayPoint?
    // Copied from the policy, because every fix reads them: the number of standard deviations that noise explains (0: stays are off), and
    // the coarsest accuracy in meters that takes part in a stay.
    private let stayDeviations: Double
    private let coarsestStayAccuracy: Double

    /// Every fence that the device is not simply outside of, in no order.
    private(set) var packedStates = FenceStates()
    /// The `FenceSet.stamp` of the set to which `PackedFenceState.position` refers.
    private var fenceSetStamp: UInt64 = 0
    /// Fences whose state has changed since the last `takeChanges()`.
    private var changedFences: [FenceKey] = []
    /// Whether a fence's state has changed since `due` was computed.
    private(set) var isFenceDeadlineStale = false
    /// The store's policy with the device's overrides applied.
    package let policy: DecisionPolicy
    /// Whether a `silent` transition was emitted and no `returned` since.
    package internal(set) var isSilent: Bool
    /// A fix after the newest that is not believed yet, because it implies too much speed or lies away from the device's stay point. The
    /// next fix confirms or drops it.
    package internal(set) var outlierCandidate: Fix?
    /// The values of `reached` and `reportedAt`; `Instant.earliest` for none.
    private var deadlinesFiredMoment: Instant
    private var lastReportMoment: Instant
    /// How many seconds the device's own time is behind the caller's clock: the age of its newest fix on arrival. The engine, which has no
    /// clock, only keeps the value.
    package var lag: Double
    let sharedDevice: SharedDevice

    /// The device's description, which applies until it is edited.
    final class SharedDevice: Sendable {
        let device: Device

        init(device: Device) { self.device = device }
    }

    /// A device with its stored state, or a new device.
    ///
    /// - Parameters:
    ///   - policy: The store's policy; the device's overrides are applied to it.
    ///   - due: The stored value that belongs to `presences`.
    ///   - heardAt: The stored value; nil means the time of the newest fix, believed or not.
    package init(
        device: Device, policy: DecisionPolicy, newest: Fix? = nil, fenceStates presences: [FenceState] = [],
        fenceDeadline due: Instant? = nil,
        lastHeard heardAt: Instant? = nil, isSilent: Bool = false, deadlinesFiredBefore reached: Instant? = nil,
        lastReport reportedAt: Instant? = nil,
        lag: Double = 0, outlierCandidate suspect: Fix? = nil, stay: StayPoint? = nil
    ) {
        sharedDevice = SharedDevice(device: device)
        self.policy = device.policy.applied(to: policy)
        self.newest = newest
        self.outlierCandidate = suspect
        stayDeviations = self.policy.stay
        coarsestStayAccuracy = min(self.policy.maxAccuracy, StayPoint.coarsestAccuracy)
        // A stay is discarded when the policy does not use stays.
        self.stay = self.policy.stay > 0 ? stay : nil
        self.isSilent = isSilent
        deadlinesFiredMoment = reached ?? .earliest
        lastReportMoment = reportedAt ?? .earliest
        self.lag = lag
        fenceDeadlineMoment = due ?? .latest
        lastHeardMoment = heardAt ?? newest.map { max($0.time, suspect?.time ?? $0.time) } ?? .earliest
        silentAfter = device.silentAfter.isFinite ? Int64((device.silentAfter * 1000).rounded()) : .max
        for presence in presences { packedStates.append(PackedFenceState(presence), presence.pending) }
    }

    /// The device's description: id, groups, policy and silence.
    package var device: Device { sharedDevice.device }

    /// Bytes that one device takes, with its own description, without pending transitions and without the states of a fifth and further
    /// fence.
    package static var bytes: Int { MemoryLayout<DeviceState>.stride + MemoryLayout<Device>.size + 16 }

    // MARK: - Time

    /// The earliest moment at which a pending transition or a dwell becomes due; nil when none will.
    package internal(set) var fenceDeadline: Instant? {
        get { fenceDeadlineMoment == .latest ? nil : fenceDeadlineMoment }
        set {
            fenceDeadlineMoment = newValue ?? .latest
            isFenceDeadlineStale = false
        }
    }

    /// The time of the newest sign of life, with or without a position; nil before the first fix.
    package internal(set) var lastHeard: Instant? {
        get { lastHeardMoment == .earliest ? nil : lastHeardMoment }
        set { lastHeardMoment = newValue ?? .earliest }
    }

    /// Every deadline before this moment has fired, and none at or after it; nil while no deadline has fired.
    package internal(set) var deadlinesFiredBefore: Instant? {
        get { deadlinesFiredMoment == .earliest ? nil : deadlinesFiredMoment }
        set { deadlinesFiredMoment = newValue ?? .earliest }
    }

    /// The time of the latest report by the phone's system that changed a fence's state; nil while there is none.
    package internal(set) var lastReport: Instant? {
        get { lastReportMoment == .earliest ? nil : lastReportMoment }
        set { lastReportMoment = newValue ?? .earliest }
    }

    /// When the device becomes silent if nothing more is heard from it; nil when it is silent, has no `silentAfter`, or has sent
    /// no fix.
    package var silenceAt: Instant? {
        guard !isSilent, let lastHeard, device.silentAfter.isFinite else { return nil }
        return lastHeard + device.silentAfter
    }

    /// The earliest deadline of any sort: pending transition, dwell or silence; nil when there is none.
    package var deadline: Instant? {
        guard let fenceDeadline else { return silenceAt }
        return silenceAt.map { min($0, fenceDeadline) } ?? fenceDeadline
    }

    /// When a clock that is ahead of the device's own time by `lag` fires `deadline`; nil when there is none.
    ///
    /// - Parameter start: The device does not become silent before its `silentAfter` has passed since this moment of the clock.
    package func deadlineByClock(listeningSince start: Instant) -> Instant? {
        guard let silence = silenceAt, fenceDeadline.map({ silence <= $0 }) ?? true else { return fenceDeadline.map { $0 + lag } }
        return max(silence + lag, start + device.silentAfter)
    }

    /// The time of the newest fix, believed or not; nil before the first.
    package var newestFixTime: Instant? { newest.map { max($0.time, outlierCandidate?.time ?? $0.time) } }

    /// A fix before this moment is late, because a newer fix was seen, a later deadline has fired, or the phone's system reported something
    /// newer. Nil before the first fix of a device that has no past. A device that starts again after positions were removed has a past: its
    /// deadlines before the start count as fired.
    package var lateBefore: Instant? {
        let latest = max(newestFixTime ?? .earliest, deadlinesFiredMoment, lastReportMoment)
        return latest == .earliest ? nil : latest
    }

    /// Whether a deadline falls before a moment.
    func hasDeadline(before moment: Instant) -> Bool {
        fenceDeadlineMoment < moment || !isSilent && moment.milliseconds &- lastHeardMoment.milliseconds > silentAfter
    }

    // MARK: - Safe region

    /// Accepts a fix that changes only the device's last position and time.
    ///
    /// - Returns: False when the fix has to be evaluated against the fences; then nothing has changed.
    @inline(__always)
    mutating func staysInSafeRegion(_ fix: Fix, among fences: UInt64) -> Bool {
        guard fix.time < fenceDeadlineMoment, fix.time.milliseconds &- lastHeardMoment.milliseconds <= silentAfter else {
            return false
        }
        if stayDeviations > 0 {
            // A region that was computed for a staying device is not valid for a moving one, and vice versa.
            let wasStaying = stay?.isSettled ?? false
            guard wasStaying || safeRegion.contains(fix.coordinate, among: fences) else { return false }
            let stayUpdate = stayUpdate(of: fix)
            guard stayUpdate.isStaying == wasStaying,
                !wasStaying || safeRegion.contains(stayUpdate.stay?.place ?? fix.coordinate, among: fences)
            else { return false }
            stay = stayUpdate.stay
        } else {
            guard safeRegion.contains(fix.coordinate, among: fences) else { return false }
        }
        newest = fix
        lastHeardMoment = max(lastHeardMoment, fix.time)
        return true
    }

    // MARK: - Stays

    /// How a fix changes a stay.
    struct StayUpdate {
        /// The stay after the fix.
        var stay: StayPoint?
        /// Whether the device stays and the fix agrees with that. Then fences are evaluated at the stay point.
        var isStaying = false
        /// Whether the device was staying and the fix lies elsewhere.
        var isLeaving = false
    }

    /// How the next fix changes the device's stay.
    ///
    /// A fix without an accuracy is taken as exact and ends the stay; a coarse fix leaves the stay as it is.
    @inline(__always)
    func stayUpdate(of fix: Fix) -> StayUpdate {
        let accuracy = fix.accuracyOrZero
        guard stayDeviations > 0, accuracy > 0 else { return StayUpdate(stay: nil) }
        guard accuracy <= coarsestStayAccuracy else { return StayUpdate(stay: stay) }
        guard let stay else { return StayUpdate(stay: StayPoint(at: fix)) }
        if let joined = stay.adding(fix, limit: stayDeviations) {
            return StayUpdate(stay: joined, isStaying: joined.isSettled)
        }
        return stay.isSettled ? StayUpdate(stay: stay, isLeaving: true) : StayUpdate(stay: StayPoint(at: fix))
    }

    /// Whether the suspect fix may mean that a staying device has left.
    @inline(__always)
    var isLeaving: Bool { outlierCandidate != nil && stay?.isSettled ?? false }

    /// Whether the device may be elsewhere than in a fence that it entered. Then its dwell waits.
    func isUncertain(about standing: PackedFenceState) -> Bool {
        isSilent || isLeaving && standing.enteredAt < outlierCandidate?.time ?? .earliest
    }

    /// Whether fixes have come since a pending transition was first shown. Coarse ones, which decide nothing, do not count, unless fixes come
    /// so often that a precise one should have come, too.
    func hasNewer(than pending: PendingTransition) -> Bool {
        guard let newest, newest.time > pending.fix.time else { return false }
        guard newest.accuracyOrZero > policy.maxAccuracy, let precise = stay?.last else { return true }
        let isFrequent = pending.before.map { pending.fix.time - $0.time <= Self.frequent } ?? false
        return isFrequent || precise > pending.fix.time
    }

    /// Seconds between fixes up to which a device reports often.
    static let frequent = 10.0

    /// The point where the device stays; nil while fences are evaluated at its fixes.
    package var settledStay: StayPoint? { stay.flatMap { $0.isSettled ? $0 : nil } }

    /// The stay point, if the given fix is the newest and was evaluated at the stay point; else nil.
    package func stayPoint(usedFor fix: Fix) -> StayPoint? {
        fix == newest && fix.accuracyOrZero <= coarsestStayAccuracy ? settledStay : nil
    }

    // MARK: - Fence states

    /// The states of all fences that the device is not simply outside of, sorted by key.
    package var fenceStates: [FenceState] { packedStates.indices.map(fenceState(at:)).sorted { $0.fence < $1.fence } }

    /// The state of a fence; nil means outside.
    package func fenceState(of fence: FenceKey) -> FenceState? { index(of: fence).map(fenceState(at:)) }

    func fenceState(at index: Int) -> FenceState {
        let state = packedStates[index]
        return FenceState(fence: state.fence, phase: state.phase, pending: packedStates.pending(state), visit: state.visit)
    }

    var hasPending: Bool { packedStates.hasPending }

    /// Whether the device has a state for a fence.
    func hasState(of fence: FenceKey) -> Bool { index(of: fence) != nil }

    /// Whether the device has a state for at least one of the fences.
    ///
    /// - Complexity: O(min(states, fences)), O(states) for up to 64 states.
    package func hasState(ofAny fences: Set<FenceKey>) -> Bool { packedStates.containsAny(of: fences) }

    func index(of fence: FenceKey) -> Int? { packedStates.index(of: fence) }

    /// Updates the position of every fence state to the given set of fences.
    @inline(__always)
    mutating func updatePositions(in fences: FenceSet) {
        guard unsafe fenceSetStamp != fences.stamp else { return }
        for index in packedStates.indices {
            let position = fences.rawPosition(of: packedStates[index].fence)
            packedStates[index].position = position
            packedStates[index].isPlain = position >= 0 && fences.isPlain(Int(position))
        }
        fenceSetStamp = unsafe fences.stamp
    }

    /// Replaces a fence's state; nil is outside.
    mutating func setState(_ state: FenceState?, of fence: FenceKey) {
        if let index = index(of: fence) {
            setState(state.map(PackedFenceState.init), pending: state?.pending, at: index)
        } else if let state {
            addState(PackedFenceState(state), pending: state.pending)
        }
    }

    /// Replaces the fence state at an index; nil is outside.
    mutating func setState(_ state: PackedFenceState?, pending: PendingTransition?, at index: Int) {
        let fence = packedStates[index].fence
        if let state { packedStates.update(at: index, state, pending) } else { packedStates.remove(at: index) }
        recordChange(of: fence)
    }

    /// Adds the state of a fence that the device was outside of.
    mutating func addState(_ state: PackedFenceState, pending: PendingTransition?) {
        if state.position < 0 { fenceSetStamp = 0 }
        packedStates.append(state, pending)
        recordChange(of: state.fence)
    }

    private mutating func recordChange(of fence: FenceKey) {
        changedFences.append(fence)
        isFenceDeadlineStale = true
    }

    /// How often a fence's state has changed since the last `takeChanges()`.
    package var changeCount: Int { changedFences.count }

    /// The fences whose state has changed since the last call, sorted, each once; the caller stores them.
    package mutating func takeChanges() -> [FenceKey] {
        if changedFences.isEmpty { return [] }
        defer { changedFences.removeAll(keepingCapacity: true) }
        return Set(changedFences).sorted()
    }

    /// Forgets the changes, for a caller that stores nothing.
    package mutating func dropChanges() { changedFences.removeAll(keepingCapacity: true) }
}

extension DeviceState {
    /// The same state for the device with a new description.
    package func replacingDevice(_ device: Device, policy: DecisionPolicy) -> DeviceState {
        var copy = DeviceState(
            device: device, policy: policy, newest: newest, fenceStates: fenceStates, fenceDeadline: fenceDeadline,
            lastHeard: lastHeard,
            isSilent: isSilent, deadlinesFiredBefore: deadlinesFiredBefore, lastReport: lastReport, lag: lag,
            outlierCandidate: outlierCandidate, stay: stay)
        copy.changedFences = changedFences
        return copy
    }

    /// The same state, with the states of some fences as they are in another state of the device. The caller recomputes the deadline
    /// (`TransitionEngine.updateFenceDeadline`).
    package func replacingStates(of fences: Set<FenceKey>, by other: DeviceState, policy: DecisionPolicy) -> DeviceState {
        DeviceState(
            device: device, policy: policy, newest: newest,
            fenceStates: fenceStates.filter { !fences.contains($0.fence) }
                + other.fenceStates.filter { fences.contains($0.fence) },
            fenceDeadline: fenceDeadline, lastHeard: lastHeard, isSilent: isSilent, deadlinesFiredBefore: deadlinesFiredBefore,
            lastReport: lastReport, lag: lag, outlierCandidate: outlierCandidate, stay: stay)
    }
}
