import Model

/// All that the engine keeps of one device. Its owner stores it and hands it in with each fix.
public struct DeviceState: Sendable {
    /// Whom the fences are asked about: id, groups, policy and silence.
    public let device: Device
    /// The newest fix that was judged; nil before the first.
    public internal(set) var newest: Fix?
    /// Every fence that the device is not simply outside of, in no order.
    public internal(set) var presences: [Presence]
    /// The earliest moment at which something happens without a fix; nil when nothing will.
    public internal(set) var deadline: Instant?
    /// Fences whose presence has changed since `takeChanges()`.
    var changes: [FenceKey] = []
    /// The device's own policy over the store's.
    let policy: DecisionPolicy

    /// A device as it was stored, or a new one.
    ///
    /// - Parameters:
    ///   - policy: The store's policy, over which the device's own is laid.
    ///   - deadline: As it was stored with the presences.
    public init(
        device: Device, policy: DecisionPolicy, newest: Fix? = nil, presences: [Presence] = [], deadline: Instant? = nil
    ) {
        self.device = device
        self.newest = newest
        self.presences = presences
        self.deadline = deadline
        self.policy = device.policy.applied(to: policy)
    }

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
        var copy = DeviceState(device: device, policy: policy, newest: newest, presences: presences, deadline: deadline)
        copy.changes = changes
        return copy
    }
}
