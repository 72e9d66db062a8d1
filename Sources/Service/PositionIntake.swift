import Geodesy
import Model
import Monitor
import Store

/// What became of positions.
public struct IntakeCounts: Hashable, Sendable {
    /// All that were read, refused ones included.
    public var fixes = 0
    public var accepted = 0
    /// Known already; they change nothing.
    public var duplicates = 0
    /// Accepted, but older than their device's newest: stored and marked, and judged by a replay.
    public var late = 0
    /// Late ones among them that no replay judges by itself: more than a day late.
    public var waiting = 0
    public var refused = 0
    public var events = 0

    public init() {}

    public mutating func add(_ part: IntakeCounts) {
        fixes += part.fixes
        accepted += part.accepted
        duplicates += part.duplicates
        late += part.late
        waiting += part.waiting
        refused += part.refused
        events += part.events
    }
}

/// What became of positions, one by one where there is more to say than a number.
public struct IntakeResult: Sendable {
    public var counts = IntakeCounts()
    public var events: [Event] = []
    public var refusals: [Refusal] = []
    /// Why a simulated phone could not be shown the fixes; they are stored and judged all the same.
    public var phoneProblem: Problem?
    /// The devices whose OwnTracks app sent its list of waypoints.
    public var listedDevices: Set<String> = []

    public init() {}

    /// Adds what became of later positions of the same request.
    mutating func add(_ part: IntakeResult) {
        counts.add(part.counts)
        events += part.events
        refusals += part.refusals
        phoneProblem = phoneProblem ?? part.phoneProblem
        listedDevices.formUnion(part.listedDevices)
    }
}

extension ServiceWriter {
    /// Takes the positions of one request: judges and stores them in order of time, in one transaction.
    ///
    /// - Parameter policy: What the devices shall decide by from now on.
    @discardableResult
    public func accept(_ request: FixBatch, policy: DecisionPolicy.Name? = nil) throws(Problem) -> IntakeResult {
        var intake = PositionIntake(service: self, policy: policy)
        return try intake.take(TimeOrderedBatch(request))
    }
}

/// What one transaction takes in: the positions of any number of inputs.
struct IntakeGroup {
    private let service: ServiceWriter
    let engine: TransitionEngine
    let now: Instant
    /// No fix can be later than this.
    let latest: Instant
    /// The number of the newest event.
    var sequence: Int64
    /// The time of the newest fix.
    private(set) var newest: Instant?
    /// The devices whose state is to be saved.
    private var touched: [Int] = []
    /// What simulated phones are to be shown once it is safe in the store, by slot.
    private(set) var seen: [Int: [Fix]] = [:]
    /// The number of the newest fix; nil when none is kept.
    private(set) var newestNumber: Int64?
    /// What could not be used.
    var refused = RefusedInputs()
    /// The tokens by which something came that could be used; see `FixBatch.sender`.
    var senders: Set<String> = []

    /// To be made within the transaction.
    init(_ service: ServiceWriter) throws(Problem) {
        self.service = service
        engine = try service.engine()
        now = service.clock.now()
        latest = now + SystemClock.tolerance
        sequence = try service.store.newestSequence()
    }

    /// Notes that a fix has changed a device's state.
    ///
    /// - Parameter number: Of the fix; nil when it is not kept.
    mutating func touch(_ slot: Int, _ fix: Fix, number: Int64?) {
        if let number { newestNumber = number }
        let isSimulated = service.slots[slot].note(fix, number: number, at: now)
        if newest.map({ $0 < fix.time }) ?? true { newest = fix.time }
        if isSimulated { seen[slot, default: []].append(fix) }
    }

    /// Notes that a fix is about to change a device's state. What fails from here on has the device read anew.
    mutating func begin(_ slot: Int) {
        guard !service.slots[slot].isTouched else { return }
        service.slots[slot].isTouched = true
        touched.append(slot)
    }

    /// The newest position of each device that was touched. Empty once the states are saved.
    var newestPositions: [LivePosition] {
        touched.compactMap { slot in
            let state = service.slots[slot].state
            return state.newest.map { LivePosition(deviceId: state.device.id, fix: $0) }
        }
    }

    /// Stores the states of all devices that were touched, each once, and what is to be told of refused input. To be called before
    /// the transaction ends.
    mutating func saveStates() throws(Problem) {
        if service.isServing {
            try service.record(refused, at: now)
            try service.resolveIntake(ofSlots: touched, senders: senders, except: refused)
            refused = RefusedInputs()
            senders.removeAll()
        }
        service.undo?.judged += touched
        for slot in touched {
            try service.keepState(slot)
            service.slots[slot].isTouched = false
        }
        touched.removeAll()
    }
}

/// Takes the positions of one input, batch by batch.
struct PositionIntake {
    private let service: ServiceWriter
    /// What the devices of this input shall decide by from now on.
    private let policy: DecisionPolicy.Name?
    /// What is known of each of the batch's device names.
    private var devices: [KnownDevice] = []

    private enum KnownDevice {
        /// Nobody has looked yet.
        case unread
        /// The store had no such device when somebody looked.
        case absent
        /// Its slot.
        case loaded(Int)
        /// Its slot, and it decides as the input wants.
        case inUse(Int)
    }

    init(service: ServiceWriter, policy: DecisionPolicy.Name?) {
        self.service = service
        self.policy = policy
    }

    /// What a batch came to.
    typealias Result = IntakeResult

    /// Judges and stores a batch in one transaction: when this returns, its fixes, the states they led to and their events are
    /// on disk together.
    mutating func take(_ batch: TimeOrderedBatch) throws(Problem) -> Result {
        do {
            var (result, seen, number) = try service.transaction { () throws(Problem) in
                var group = try IntakeGroup(service)
                let result = try judge(batch, rows: batch.batch.rows.indices, in: &group)
                try group.saveStates()
                return (result, group.seen, group.newestNumber)
            }
            result.phoneProblem = try service.show(seen, upTo: number)
            return result
        } catch {
            devices.removeAll()
            throw error
        }
    }

    /// Whether some rows of a batch may be stored already, so that they are to be searched for in the order of fixes by device and time. To be
    /// called outside of a transaction.
    mutating func mayRepeat(_ ordered: TimeOrderedBatch, rows: Range<Int>) throws(Problem) -> Bool {
        try service.finishUndo()
        let batch = ordered.batch
        addDevices(of: batch)
        for row in batch.rows[rows] where row.device >= 0 {
            guard let slot = try slot(row.device, of: batch) else { continue }
            if service.slots[slot].mayBeStored(row), service.keepsPositions(ofSlot: slot) { return true }
        }
        return false
    }

    private mutating func addDevices(of batch: FixBatch) {
        if devices.count < batch.deviceNames.count {
            devices += Array(repeating: .unread, count: batch.deviceNames.count - devices.count)
        }
    }

    /// The slot of one of the batch's devices; nil when there is no such device yet.
    private mutating func slot(_ device: Int32, of batch: FixBatch) throws(Problem) -> Int? {
        switch devices[Int(device)] {
        case .loaded(let slot), .inUse(let slot): return slot
        // Another request may have made it meanwhile.
        case .absent: return service.slotNumbers[batch.deviceNames[Int(device)]]
        case .unread:
            let slot = try service.slot(of: batch.deviceNames[Int(device)])
            devices[Int(device)] = slot.map { .loaded($0) } ?? .absent
            return slot
        }
    }

    /// Judges and stores rows of a batch within a transaction that is open. What the batch has besides rows goes with the last of them.
    mutating func judge(
        _ ordered: TimeOrderedBatch, rows: Range<Int>, in group: inout IntakeGroup
    ) throws(Problem) -> Result {
        let batch = ordered.batch
        let isLast = rows.upperBound == batch.rows.count
        var result = Result()
        if isLast { result.refusals = batch.refusals }
        let engine = group.engine
        let revision = engine.fences.revision
        addDevices(of: batch)
        var transitions: [Transition] = []
        for row in batch.rows[rows] {
            let fix = row.fix
            if fix.time > group.latest {
                result.refusals.append(
                    Refusal(
                        .aheadOfClock, device: row.device < 0 ? nil : batch.deviceNames[Int(row.device)], line: row.line,
                        field: "timestamp", value: fix.time.description,
                        reason: "\(SystemClock.isTooFarAhead); expected the time of the fix, in UTC"))
                continue
            }
            if row.device < 0 {
                result.refusals.append(
                    Refusal(
                        .unknownDevice, line: row.line, field: "device", value: "",
                        reason: "it is missing; expected the device's id, in the record or by --device"))
                continue
            }
            let slot: Int
            if case .inUse(let known) = devices[Int(row.device)] {
                slot = known
            } else {
                let name = batch.deviceNames[Int(row.device)]
                if let flaw = Identifier.flaw(inDevice: name) {
                    result.refusals.append(
                        Refusal(
                            .unreadable, line: row.line, field: "device", value: name,
                            reason: "\(flaw); expected 1 to 128 characters, none of them a control character"))
                    continue
                }
                if let known = try self.slot(row.device, of: batch) {
                    slot = known
                } else {
                    slot = try service.makeDevice(named: name)
                }
                if let policy {
                    let events = try service.setPolicy(policy, ofSlot: slot)
                    result.events += events
                    group.sequence += Int64(events.count)
                }
                devices[Int(row.device)] = .inUse(slot)
            }
            guard row.isValid else {
                service.remember(slot)
                if try !service.isKnownUnjudged(fix, ofSlot: slot) {
                    try service.keepUnjudged(
                        fix, ofSlot: slot, revision: revision,
                        attributes: row.attributes < 0 ? nil : batch.attributes[Int(row.attributes)])
                    result.counts.accepted += 1
                    // It says nothing of where the device is, and yet that it is alive.
                    if service.isServing {
                        let events = try service.hear(deviceId: service.slots[slot].state.device.id, at: group.now)
                        result.events += events
                        group.sequence += Int64(events.count)
                    }
                } else {
                    result.counts.duplicates += 1
                }
                continue
            }
            var isLate = false
            var isRepeat = false
            // Only a fix that is no newer than the newest, or late, can be a repeat, so only these are looked up.
            switch service.slots[slot].arrival(of: fix) {
            case .next: break
            case .again: isRepeat = true
            case .behind(let isBehind):
                isRepeat = try service.isKnown(fix, ofSlot: slot)
                isLate = isBehind
            }
            if isRepeat {
                result.counts.duplicates += 1
                continue
            }
            if isLate { service.remember(slot) } else { group.begin(slot) }
            let number = try service.keep(
                fix, ofSlot: slot, revision: revision, isLate: isLate,
                attributes: row.attributes < 0 ? nil : batch.attributes[Int(row.attributes)], at: group.now)
            result.counts.accepted += 1
            if isLate {
                result.counts.late += 1
                if try service.noteLate(fix, ofSlot: slot, at: group.now) { result.counts.waiting += 1 }
                continue
            }
            if service.slots[slot].isCheckpointDue(before: fix), let number {
                try service.keepCheckpoint(ofSlot: slot, before: number, revision: revision, sequence: group.sequence)
            }
            if service.slots[slot].hasRules { try service.beginRecording(ofSlot: slot, with: fix, at: group.now) }
            engine.observe(fix, &service.slots[slot].state, &transitions)
            group.touch(slot, fix, number: number)
            if transitions.isEmpty, fix.time < service.slots[slot].ruleDue { continue }
            result.events += try service.record(transitions, of: slot, at: group.now, sequence: &group.sequence) {
                key throws(Problem) in
                guard let geofence = engine.fences.geofence(key) else {
                    throw .storeCorrupt(path: service.directory.store, details: "a transition names no geofence")
                }
                return (geofence, revision)
            }
            result.events += try service.judgeRules(
                ofSlot: slot, after: transitions, upTo: fix.time, at: group.now, sequence: &group.sequence)
            transitions.removeAll(keepingCapacity: true)
        }
        if isLast, !batch.alarms.isEmpty { result.events += try service.record(batch.alarms, in: &group) }
        result.refusals.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        if !result.refusals.isEmpty { group.refused.add(result.refusals, sender: batch.sender) }
        if result.counts.accepted > 0, let sender = batch.sender { group.senders.insert(sender) }
        result.counts.refused = result.refusals.count
        // A refusal without a line is about the input as a whole, and no fix.
        result.counts.fixes = rows.count + (isLast ? batch.refusals.count { $0.line != nil } : 0)
        result.counts.events = result.events.count
        return result
    }

}

extension ServiceWriter {
    /// The slot of a device; one that nobody knows yet is made.
    func makeSlot(of name: String) throws(Problem) -> Int {
        if let slot = try slot(of: name) { return slot }
        return try makeDevice(named: name)
    }

    /// Makes a device that nobody knows yet, and gives its slot.
    fileprivate func makeDevice(named name: String) throws(Problem) -> Int {
        // A name for people is shorter than an id may be.
        let device = Device(id: name, name: String(name.prefix(120)))
        let stored = RegionStore.StoredDevice(key: try store.add(device), device: device)
        try settleRules(of: stored)
        return try addSlot(stored, isNew: true)
    }

    /// Lets a device decide by a named policy from now on, and records what follows at once.
    func setPolicy(_ name: DecisionPolicy.Name, ofSlot slot: Int) throws(Problem) -> [Event] {
        var device = slots[slot].state.device
        guard device.policy != PolicyOverride(base: name) else { return [] }
        device.policy = PolicyOverride(base: name)
        remember(slot)
        try store.put(device)
        return try apply(.rules(device, policy), toSlot: slot)
    }
}
