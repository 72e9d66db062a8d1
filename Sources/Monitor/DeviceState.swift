import Model

/// All that the engine keeps of one device. Its owner stores it and hands it in with each fix.
public struct DeviceState: Sendable {
    /// Whom the fences are asked about: id, groups, policy and silence.
    public let device: Device
    /// The newest fix that was judged; nil before the first.
    public internal(set) var newest: Fix?
    /// Every fence that the device is not simply outside of, in no order.
    public internal(set) var presences: [Presence]
    /// The earliest moment at which something happens between the device and a fence without a fix; nil when nothing will.
    public internal(set) var due: Instant?
    /// The newest sign of life: a fix, or what came without a position; nil before the first fix.
    public internal(set) var heardAt: Instant?
    /// Whether the device's silence has been told, and its return not.
    public internal(set) var isSilent: Bool
    /// Every deadline before this moment has fired, none at or after it; nil while none has.
    public internal(set) var reached: Instant?
    /// By how many seconds the device's own time is behind the clock of whoever keeps this: its newest fix was so old when it
    /// came. The engine, which knows no clock, only keeps it.
    public var lag: Double
    /// Fences whose presence has changed since `takeChanges()`.
    var changes: [FenceKey] = []
    /// The device's own policy over the store's.
    let policy: DecisionPolicy

    /// A device as it was stored, or a new one.
    ///
    /// - Parameters:
    ///   - policy: The store's policy, over which the device's own is laid.
    ///   - due: As it was stored with the presences.
    ///   - heardAt: As it was stored; nil means the newest fix.
    public init(
        device: Device, policy: DecisionPolicy, newest: Fix? = nil, presences: [Presence] = [], due: Instant? = nil,
        heardAt: Instant? = nil, isSilent: Bool = false, reached: Instant? = nil, lag: Double = 0
    ) {
        self.device = device
        self.newest = newest
        self.presences = presences
        self.due = due
        self.heardAt = heardAt ?? newest?.time
        self.isSilent = isSilent
        self.reached = reached
        self.lag = lag
        self.policy = device.policy.applied(to: policy)
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

    /// A fix before this moment is late: a newer one was judged, or a deadline after it has fired. Nil before the first fix.
    public var frontier: Instant? { newest.map { max($0.time, reached ?? $0.time) } }

    /// What is known of a fence; nil means outside.
    public func presence(_ fence: FenceKey) -> Presence? { index(of: fence).map { presences[$0] } }

    func index(of fence: FenceKey) -> Int? { presences.firstIndex { $0.fence == fence } }

    /// The fences whose presence has changed since the last call, each once and in order: what has to be stored.
    public mutating func takeChanges() -> [FenceKey] {
        if changes.isEmpty { return [] }
        defer { changes.removeAll(keepingCapacity: true) }
        return Set(changes).sorted()
    }
}

extension DeviceState {
    /// The same state, of a device whose own description has changed.
    public func with(_ device: Device, policy: DecisionPolicy) -> DeviceState {
        var copy = DeviceState(
            device: device, policy: policy, newest: newest, presences: presences, due: due, heardAt: heardAt,
            isSilent: isSilent, reached: reached, lag: lag)
        copy.changes = changes
        return copy
    }
}
