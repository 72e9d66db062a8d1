import CPrefetch
import Geodesy
import Model

/// All that the engine keeps of one device. Its owner stores it and hands it in with each fix.
public struct DeviceState: Sendable {
    // What a fix looks at that has nothing to tell comes first.
    var safeRegion = SafeRegion()
    /// The moment of `due`; `Instant.latest` for none.
    private var dueMoment: Instant
    /// The moment of `heardAt`; `Instant.earliest` for none.
    private var heardMoment: Instant
    private let silentAfter: Int64
    /// The newest fix that was judged; nil before the first.
    public internal(set) var newest: Fix?
    /// Where the device stays, or may be about to; nil while its policy does not ask, or its fixes do not tell.
    public internal(set) var stay: StayPoint?
    // Of its policy, here because every fix looks at it: so many standard deviations noise explains (0: it does not ask where the
    // device stays), and coarser fixes, in metres, do not tell it.
    private let stayLimit: Double
    private let stayAccuracy: Double

    /// Every fence that the device is not simply outside of, in no order.
    private(set) var fenceStates = FenceStates()
    /// The set of fences that `PackedFenceState.position` is about.
    private var stamp: UInt64 = 0
    /// Fences whose presence has changed since `takeChanges()`.
    private var changes: [FenceKey] = []
    /// Whether a presence has changed since `due` was reckoned.
    private(set) var isDueStale = false
    /// The device's own policy over the store's.
    let policy: DecisionPolicy
    /// Whether the device's silence has been told, and its return not.
    public internal(set) var isSilent: Bool
    /// A fix after the newest that is not believed, until the next one agrees with it or not: it implies too much speed, or lies
    /// elsewhere than the device stays.
    public internal(set) var suspect: Fix?
    /// The moment of `reached`, and that of `reportedAt`; `Instant.earliest` for none.
    private var reachedMoment: Instant
    private var reportedMoment: Instant
    /// By how many seconds the device's own time is behind the clock of whoever keeps this: its newest fix was so old when it
    /// came. The engine, which knows no clock, only keeps it.
    public var lag: Double
    let rules: Rules

    /// What holds for a device until it is edited.
    final class Rules: Sendable {
        let device: Device

        init(device: Device) { self.device = device }
    }

    /// A device as it was stored, or a new one.
    ///
    /// - Parameters:
    ///   - policy: The store's policy, over which the device's own is laid.
    ///   - due: As it was stored with the presences.
    ///   - heardAt: As it was stored; nil means the newest fix, believed or not.
    public init(
        device: Device, policy: DecisionPolicy, newest: Fix? = nil, presences: [FenceState] = [], due: Instant? = nil,
        heardAt: Instant? = nil, isSilent: Bool = false, reached: Instant? = nil, reportedAt: Instant? = nil,
        lag: Double = 0, suspect: Fix? = nil, stay: StayPoint? = nil
    ) {
        rules = Rules(device: device)
        self.policy = device.policy.applied(to: policy)
        self.newest = newest
        self.suspect = suspect
        stayLimit = self.policy.stay
        stayAccuracy = min(self.policy.maxAccuracy, StayPoint.coarsest)
        // A policy that does not ask forgets it.
        self.stay = self.policy.stay > 0 ? stay : nil
        self.isSilent = isSilent
        reachedMoment = reached ?? .earliest
        reportedMoment = reportedAt ?? .earliest
        self.lag = lag
        dueMoment = due ?? .latest
        heardMoment = heardAt ?? newest.map { max($0.time, suspect?.time ?? $0.time) } ?? .earliest
        silentAfter = device.silentAfter.isFinite ? Int64((device.silentAfter * 1000).rounded()) : .max
        for presence in presences { fenceStates.append(PackedFenceState(presence), presence.pending) }
    }

    /// Whom the fences are asked about: id, groups, policy and silence.
    public var device: Device { rules.device }

    /// Bytes that one device takes, its own description included; fences beyond the fourth and what is pending come on top.
    public static var bytes: Int { MemoryLayout<DeviceState>.stride + MemoryLayout<Device>.size + 16 }

    // MARK: - Time

    /// The earliest moment at which something happens between the device and a fence without a fix; nil when nothing will.
    public internal(set) var due: Instant? {
        get { dueMoment == .latest ? nil : dueMoment }
        set {
            dueMoment = newValue ?? .latest
            isDueStale = false
        }
    }

    /// The newest sign of life: a fix, or what came without a position; nil before the first fix.
    public internal(set) var heardAt: Instant? {
        get { heardMoment == .earliest ? nil : heardMoment }
        set { heardMoment = newValue ?? .earliest }
    }

    /// Every deadline before this moment has fired, none at or after it; nil while none has.
    public internal(set) var reached: Instant? {
        get { reachedMoment == .earliest ? nil : reachedMoment }
        set { reachedMoment = newValue ?? .earliest }
    }

    /// The moment of the latest report by the phone itself that told something new; nil while none has.
    public internal(set) var reportedAt: Instant? {
        get { reportedMoment == .earliest ? nil : reportedMoment }
        set { reportedMoment = newValue ?? .earliest }
    }

    /// When the device falls silent if nothing is heard of it; nil when it has, or before its first fix.
    public var silenceAt: Instant? {
        guard !isSilent, let heardAt, device.silentAfter.isFinite else { return nil }
        return heardAt + device.silentAfter
    }

    /// The earliest moment at which something happens without a fix; nil when nothing will.
    public var deadline: Instant? {
        guard let due else { return silenceAt }
        return silenceAt.map { min($0, due) } ?? due
    }

    /// The time of the newest fix, believed or not; nil before the first.
    public var seenAt: Instant? { newest.map { max($0.time, suspect?.time ?? $0.time) } }

    /// A fix before this moment is late: a newer one was seen, a deadline after it has fired, or the phone itself has reported
    /// something newer. Nil before the first fix.
    public var frontier: Instant? { seenAt.map { max($0, reached ?? $0, reportedAt ?? $0) } }

    /// Takes note that every deadline before a moment has fired.
    public mutating func note(reached moment: Instant) { reached = moment }

    /// Takes over from another state of the device what is known of its life beside its fixes.
    ///
    /// The deadline has to be renewed (`TransitionEngine.renewDeadline`).
    public mutating func takeLife(of other: DeviceState) {
        heardMoment = max(heardMoment, other.heardMoment)
        isSilent = other.isSilent
    }

    /// Whether something happens before a moment if no fix comes.
    func isDue(before moment: Instant) -> Bool {
        dueMoment < moment || !isSilent && moment.milliseconds &- heardMoment.milliseconds > silentAfter
    }

    // MARK: - Nothing to tell

    /// Takes a fix that changes nothing but where and when the device was seen last; false when it has to be judged.
    @inline(__always)
    mutating func staysInSafeRegion(_ fix: Fix, among fences: UInt64) -> Bool {
        guard fix.time < dueMoment, fix.time.milliseconds &- heardMoment.milliseconds <= silentAfter else { return false }
        if stayLimit > 0 {
            // A zone was found for a device that stays, or for one that does not.
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
        heardMoment = max(heardMoment, fix.time)
        return true
    }

    // MARK: - Stays

    /// What the place where a device stays makes of a fix.
    struct StayUpdate {
        /// The stay as it is with the fix.
        var stay: StayPoint?
        /// Whether the device stays, and the fix does not contradict it: then it is judged by where it stays.
        var isStaying = false
        /// Whether the device has stayed, and the fix lies elsewhere.
        var isLeaving = false
    }

    /// What the next fix makes of where the device stays.
    ///
    /// A device that says nothing of its accuracy is taken at its word; a coarse fix says nothing of where the device stays.
    @inline(__always)
    func stayUpdate(of fix: Fix) -> StayUpdate {
        let accuracy = fix.reckonedAccuracy
        guard stayLimit > 0, accuracy > 0 else { return StayUpdate(stay: nil) }
        guard accuracy <= stayAccuracy else { return StayUpdate(stay: stay) }
        guard let stay, let newest else { return StayUpdate(stay: StayPoint(at: fix)) }
        if let joined = stay.joined(by: fix, after: fix.time - newest.time, limit: stayLimit) {
            return StayUpdate(stay: joined, isStaying: joined.isSettled)
        }
        return stay.isSettled ? StayUpdate(stay: stay, isLeaving: true) : StayUpdate(stay: StayPoint(at: fix))
    }

    /// Whether a fix is doubted while the device is taken to stay: it may have left.
    @inline(__always)
    var isLeaving: Bool { suspect != nil && stay?.isSettled ?? false }

    /// Whether it may be elsewhere than is known: then dwells wait.
    var isUncertain: Bool { isSilent || isLeaving }

    /// Where the device is taken to stay; nil while it is judged by its fixes as they lie.
    public var settled: StayPoint? { stay.flatMap { $0.isSettled ? $0 : nil } }

    /// Where the device stays, if its newest fix was judged by that and not by where it lies.
    public func stay(judging fix: Fix) -> StayPoint? {
        fix == newest && fix.reckonedAccuracy <= stayAccuracy ? settled : nil
    }

    // MARK: - Presences

    /// Every fence that the device is not simply outside of, by key.
    public var presences: [FenceState] { fenceStates.indices.map(presence(at:)).sorted { $0.fence < $1.fence } }

    /// What is known of a fence; nil means outside.
    public func presence(_ fence: FenceKey) -> FenceState? { index(of: fence).map(presence(at:)) }

    func presence(at index: Int) -> FenceState {
        let state = fenceStates[index]
        return FenceState(fence: state.fence, phase: state.phase, pending: fenceStates.pending(state), visit: state.visit)
    }

    var hasPending: Bool { fenceStates.hasPending }

    /// The fences that the device is not simply outside of, where they are too many to look through for each.
    var crowd: Set<FenceKey>? {
        fenceStates.count <= Self.few ? nil : Set(fenceStates.indices.lazy.map { [fenceStates] in fenceStates[$0].fence })
    }

    private static let few = 64

    /// Whether a fence is one of those that the device is not simply outside of.
    ///
    /// - Parameter crowd: As it was before others came.
    func knows(_ fence: FenceKey, among crowd: Set<FenceKey>?) -> Bool { crowd?.contains(fence) ?? (index(of: fence) != nil) }

    func index(of fence: FenceKey) -> Int? { fenceStates.firstIndex { $0.fence == fence } }

    /// Sees to it that every standing knows where its fence is.
    @inline(__always)
    mutating func locate(in fences: FenceSet) {
        guard unsafe stamp != fences.stamp else { return }
        for index in fenceStates.indices {
            let position = fences.place(of: fenceStates[index].fence)
            fenceStates[index].position = position
            fenceStates[index].isPlain = position >= 0 && fences.isPlain(Int(position))
        }
        stamp = unsafe fences.stamp
    }

    /// Writes what has become of a fence's state; nil is outside.
    mutating func put(_ state: FenceState?, of fence: FenceKey) {
        if let index = index(of: fence) {
            put(state.map(PackedFenceState.init), state?.pending, at: index)
        } else if let state {
            add(PackedFenceState(state), state.pending)
        }
    }

    /// Writes what has become of a fence's state; nil is outside.
    mutating func put(_ state: PackedFenceState?, _ pending: PendingTransition?, at index: Int) {
        let fence = fenceStates[index].fence
        if let state { fenceStates.update(at: index, state, pending) } else { fenceStates.remove(at: index) }
        note(changed: fence)
    }

    /// Takes in a fence that the device was outside of.
    mutating func add(_ state: PackedFenceState, _ pending: PendingTransition?) {
        if state.position < 0 { stamp = 0 }
        fenceStates.append(state, pending)
        note(changed: state.fence)
    }

    private mutating func note(changed fence: FenceKey) {
        changes.append(fence)
        isDueStale = true
    }

    /// The fences whose presence has changed since the last call, each once and in order: what has to be stored.
    public mutating func takeChanges() -> [FenceKey] {
        if changes.isEmpty { return [] }
        defer { changes.removeAll(keepingCapacity: true) }
        return Set(changes).sorted()
    }

    /// Forgets what has changed: for one that stores nothing.
    public mutating func dropChanges() { changes.removeAll(keepingCapacity: true) }
}

extension DeviceState {
    /// The same state, of a device whose own description has changed.
    public func with(_ device: Device, policy: DecisionPolicy) -> DeviceState {
        var copy = DeviceState(
            device: device, policy: policy, newest: newest, presences: presences, due: due, heardAt: heardAt,
            isSilent: isSilent, reached: reached, reportedAt: reportedAt, lag: lag, suspect: suspect, stay: stay)
        copy.changes = changes
        return copy
    }
}
