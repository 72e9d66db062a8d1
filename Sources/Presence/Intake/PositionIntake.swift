import Core
import Model
import Monitor
import Places
import Store

extension ServiceWriter {
    /// Accepts the positions of one request: evaluates and stores them in order of time, in one transaction.
    ///
    /// - Parameter policy: The decision policy that the devices get; nil to keep their policies.
    @discardableResult
    package func accept(_ request: FixBatch, policy: PolicyOverride? = nil) throws(Problem) -> IntakeResult {
        var intake = PositionIntake(service: self, policy: policy)
        return try intake.accept(TimeOrderedBatch(request))
    }
}

/// Accepts the positions of one input in batches.
package struct PositionIntake {
    private let service: ServiceWriter
    /// The decision policy that the devices of the input get; nil to keep their policies.
    private let policy: PolicyOverride?
    /// The devices of the batch, by the index of their names.
    private var devices: [KnownDevice] = []

    private enum KnownDevice {
        /// The device was not looked up yet.
        case unread
        /// The device did not exist in the store when it was looked up.
        case absent
        /// The device's index.
        case loaded(Int)
        /// The device's index; the device has the input's policy.
        case inUse(Int)
    }

    package init(service: ServiceWriter, policy: PolicyOverride?) {
        self.service = service
        self.policy = policy
    }

    /// The result of a batch.
    package typealias Result = IntakeResult

    /// The place of a device in memory; see `LoadedDeviceTable.place(of:)`.
    typealias LoadedDevice = UnsafeMutablePointer<ServiceWriter.LoadedDevice>

    /// Evaluates and stores a batch in one transaction. When this method returns, the fixes, the resulting states and the events are on
    /// disk.
    ///
    /// Without a service, fixes are put in order first when a search needs that.
    ///
    /// - Throws: `Problem.cancelled` if a service has to put fixes in order first; see `PicketStore.takeOrderRequest()`.
    package mutating func accept(_ batch: TimeOrderedBatch) throws(Problem) -> Result {
        do throws(Problem) {
            return try acceptSearching(batch)
        } catch {
            guard !service.isServing, service.store.takeOrderRequest() else { throw error }
            try service.sortFixes()
            return try acceptSearching(batch)
        }
    }

    private mutating func acceptSearching(_ batch: TimeOrderedBatch) throws(Problem) -> Result {
        do {
            var (result, seen, number) = try service.transaction(ofPositions: true) {
                (transaction: borrowing Transaction) throws(Problem) in
                var group = try IntakeGroup(service)
                var rows = batch.batch.rows.indices
                let result = try evaluate(batch, rows: &rows, in: &group, transaction)
                try group.saveStates(in: transaction)
                return (result, group.fixesForPhones, group.newestNumber)
            }
            result.phoneProblem = try service.passToPhones(seen, upTo: number)
            return result
        } catch {
            devices.removeAll()
            throw error
        }
    }

    private mutating func addDevices(of batch: FixBatch) {
        if devices.count < batch.deviceNames.count {
            devices += Array(repeating: .unread, count: batch.deviceNames.count - devices.count)
        }
    }

    /// The index of a device in the batch; nil if the device does not exist yet.
    private mutating func deviceIndex(_ device: Int32, of batch: FixBatch) throws(Problem) -> Int? {
        switch devices[Int(device)] {
        case .loaded(let deviceIndex), .inUse(let deviceIndex): return deviceIndex
        // Another request may have created the device in the meantime.
        case .absent: return service.indicesByID[batch.deviceNames[Int(device)]]
        case .unread:
            let deviceIndex = try service.deviceIndex(of: batch.deviceNames[Int(device)])
            devices[Int(device)] = deviceIndex.map { .loaded($0) } ?? .absent
            return deviceIndex
        }
    }

    /// Evaluates and stores rows of a batch within an open transaction, until the group is full. The parts of the batch other than rows are
    /// processed with the last row.
    ///
    /// - Parameter rows: The rows to evaluate; afterward those that were not, because the group is full.
    package mutating func evaluate(
        _ ordered: TimeOrderedBatch, rows: inout Range<Int>, in group: inout IntakeGroup, _ transaction: borrowing Transaction
    ) throws(Problem) -> Result {
        let batch = ordered.batch
        var result = Result()
        let engine = group.engine
        let revision = engine.fences.revision
        addDevices(of: batch)
        var transitions: [Transition] = []
        let first = rows.lowerBound
        while let index = rows.first, result.events.count < group.eventRoom {
            rows = index + 1..<rows.upperBound
            let row = batch.rows[index]
            guard let deviceIndex = try useDevice(of: row, of: batch, in: &group, &result, transaction) else { continue }
            guard row.isValid else {
                try storeInvalid(row, of: batch, deviceIndex, in: &group, &result, transaction)
                continue
            }
            let device = service.loadedDevices.place(of: deviceIndex)
            let (isLate, isRepeat) = try arrival(of: row.fix, deviceIndex, device)
            if isRepeat {
                result.counts.duplicates += 1
                continue
            }
            if service.hasOpenFenceChange {
                try service.applyOpenFenceChange(toDeviceAt: deviceIndex, in: transaction)
                group.sequence = try service.store.newestSequence()
            }
            if isLate { service.keepForUndo(deviceIndex) } else { group.willChange(deviceIndex, device) }
            let sentAt = batch.isRetained ? row.fix.time : group.now
            let number = try service.storeFix(
                row.fix, ofDeviceAt: deviceIndex, revision: revision, isLate: isLate,
                attributes: row.attributes < 0 ? nil : batch.attributes[Int(row.attributes)], at: sentAt, in: transaction)
            result.counts.accepted += 1
            if row.fix.time < group.oldBefore { group.recordOldFix(row.fix, ofDeviceAt: deviceIndex, isLate: isLate) }
            if isLate {
                result.counts.late += 1
                group.recordLateFix(ofDeviceAt: deviceIndex)
                if try service.recordLateFix(row.fix, ofDeviceAt: deviceIndex, at: group.now, in: transaction) {
                    result.counts.waiting += 1
                }
            } else {
                try evaluate(
                    row.fix, number: number, deviceIndex, device, sentAt: sentAt, by: engine, in: &group, &transitions, &result,
                    transaction)
            }
        }
        try complete(&result, with: batch, rows: first..<rows.lowerBound, in: &group, transaction)
        return result
    }

    /// The index of the device of a row, which is created if it does not exist; nil if the row is refused.
    @inline(__always)
    private mutating func useDevice(
        of row: FixBatch.Row, of batch: FixBatch, in group: inout IntakeGroup, _ result: inout Result,
        _ transaction: borrowing Transaction
    ) throws(Problem) -> Int? {
        if row.device >= 0, case .inUse(let known) = devices[Int(row.device)] { return known }
        return try beginToUseDevice(of: row, of: batch, in: &group, &result, transaction)
    }

    private mutating func beginToUseDevice(
        of row: FixBatch.Row, of batch: FixBatch, in group: inout IntakeGroup, _ result: inout Result,
        _ transaction: borrowing Transaction
    ) throws(Problem) -> Int? {
        if row.device < 0 {
            result.refusals.append(
                Refusal(
                    .unknownDevice, line: row.line, field: "device", value: "",
                    reason: .expecting(.missing, Phrase("the device's id, in the record or by --device"))))
            return nil
        }
        let name = batch.deviceNames[Int(row.device)]
        if let flaw = Identifier.flaw(inDevice: name) {
            result.refusals.append(
                Refusal(.unreadable, line: row.line, field: "device", value: name, reason: .expecting(flaw, .deviceID)))
            return nil
        }
        let known = try deviceIndex(row.device, of: batch)
        let deviceIndex = if let known { known } else { try service.makeDevice(named: name, in: transaction) }
        if let policy {
            result.events += try service.setPolicy(policy, ofDeviceAt: deviceIndex, in: transaction)
            group.sequence = try service.store.newestSequence()
        }
        devices[Int(row.device)] = .inUse(deviceIndex)
        return deviceIndex
    }

    /// Stores a fix that the device itself calls invalid. It has no position, but it is a sign of life.
    private func storeInvalid(
        _ row: FixBatch.Row, of batch: FixBatch, _ deviceIndex: Int, in group: inout IntakeGroup, _ result: inout Result,
        _ transaction: borrowing Transaction
    ) throws(Problem) {
        service.keepForUndo(deviceIndex)
        if try service.isStoredInvalidFix(row.fix, ofDeviceAt: deviceIndex) {
            result.counts.duplicates += 1
            return
        }
        try service.applyOpenFenceChange(toDeviceAt: deviceIndex, in: transaction)
        try service.storeInvalidFix(
            row.fix, ofDeviceAt: deviceIndex, revision: group.engine.fences.revision,
            attributes: row.attributes < 0 ? nil : batch.attributes[Int(row.attributes)], in: transaction)
        result.counts.accepted += 1
        if service.isServing {
            result.events += try service.recordSignOfLife(
                deviceId: service.loadedDevices[deviceIndex].state.device.id, at: group.now, in: transaction)
        }
        group.sequence = try service.store.newestSequence()
    }

    /// Whether a fix is late, and whether it is stored already. Only a fix that is late or not newer than the newest one can be a duplicate,
    /// so only such fixes are looked up.
    @inline(__always)
    private func arrival(
        of fix: Fix, _ deviceIndex: Int, _ device: LoadedDevice
    ) throws(Problem) -> (isLate: Bool, isRepeat: Bool) {
        switch device.pointee.arrival(of: fix) {
        case .next: return (false, false)
        case .repeated: return (false, true)
        case .repeatedMoreAccurately: return (true, try !service.isStoredLessAccurately(fix, ofDeviceAt: deviceIndex))
        case .notNewer(let isBehind):
            let isRepeat = try service.isStored(fix, ofDeviceAt: deviceIndex)
            // A more accurate repeat is evaluated instead of the stored fix, by a replay.
            if isRepeat, try service.isStoredLessAccurately(fix, ofDeviceAt: deviceIndex) { return (true, false) }
            return (isBehind, isRepeat)
        }
    }

    /// Evaluates a stored fix that is the newest one of its device.
    ///
    /// - Parameters:
    ///   - number: The number of the fix; nil if it is not stored.
    ///   - transitions: Empty before and afterward, so that its memory is used again.
    @inline(__always)
    private func evaluate(
        _ fix: Fix, number: Int64?, _ deviceIndex: Int, _ device: LoadedDevice, sentAt: Instant, by engine: TransitionEngine,
        in group: inout IntakeGroup, _ transitions: inout [Transition], _ result: inout Result,
        _ transaction: borrowing Transaction
    ) throws(Problem) {
        let revision = engine.fences.revision
        if device.pointee.isCheckpointDue(before: fix), let number {
            try service.keepCheckpoint(
                ofDeviceAt: deviceIndex, before: number, revision: revision, sequence: group.sequence, in: transaction)
        }
        if device.pointee.hasRules {
            try service.startRulesFromRecording(ofDeviceAt: deviceIndex, with: fix, at: group.now, in: transaction)
        }
        if device.pointee.canJump(to: fix) { group.followJump(ofDeviceAt: deviceIndex, to: fix) }
        engine.observe(fix, &device.pointee.state, into: &transitions)
        group.recordChange(deviceIndex, at: device, fix, number: number, sentAt: sentAt)
        if transitions.isEmpty, fix.time < device.pointee.ruleDue { return }
        result.events.add(
            try service.record(transitions, of: deviceIndex, at: group.now, sequence: &group.sequence, in: transaction) {
                key throws(Problem) in
                guard let geofence = engine.fences.geofence(key) else {
                    throw .storeCorrupt(path: service.directory.storePath, details: "a transition names no geofence")
                }
                return (geofence, revision)
            })
        result.events += try service.evaluateRules(
            ofDeviceAt: deviceIndex, after: transitions, upTo: fix.time, at: group.now, sequence: &group.sequence, in: transaction
        )
        transitions.removeAll(keepingCapacity: true)
    }

    /// Completes the result of rows: with the last row, the parts of the batch other than rows are processed.
    private func complete(
        _ result: inout Result, with batch: FixBatch, rows: Range<Int>, in group: inout IntakeGroup,
        _ transaction: borrowing Transaction
    ) throws(Problem) {
        let isLast = rows.upperBound == batch.rows.count
        if isLast {
            result.refusals += batch.refusals
            result.timesWithoutZone = batch.timesWithoutZone
        }
        if isLast, !batch.alarms.isEmpty { result.events += try service.recordAlarms(batch.alarms, in: &group, transaction) }
        result.refusals.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        if !result.refusals.isEmpty { group.refused.add(result.refusals, sender: batch.sender) }
        if result.counts.accepted > 0, let sender = batch.sender { group.senders.insert(sender) }
        result.counts.refused = result.refusals.count
        // A refusal without a line concerns the whole input, and is not counted as a fix.
        result.counts.fixes = rows.count + (isLast ? batch.refusals.count { $0.line != nil } : 0)
        result.counts.events = result.events.count
        group.eventRoom -= result.events.count
    }
}

extension ServiceWriter {
    /// The index of a device. An unknown device is created.
    package func loadOrCreateDevice(of name: String, in transaction: borrowing Transaction) throws(Problem) -> Int {
        if let deviceIndex = try deviceIndex(of: name) { return deviceIndex }
        return try makeDevice(named: name, in: transaction)
    }

    /// Creates a device, and returns its index.
    fileprivate func makeDevice(named name: String, in transaction: borrowing Transaction) throws(Problem) -> Int {
        // A display name has a shorter maximum length than an id.
        let device = try inheriting(Device(id: name, name: String(name.prefix(120))))
        let stored = PicketStore.StoredDevice(key: try store.insertDevice(device, in: transaction), device: device)
        try updateRules(of: stored, in: transaction)
        publish(ServiceNotice(ofDevice: name))
        return try addLoadedDevice(stored, isNew: true)
    }

    /// Sets the decision policy of a device, and returns the events that follow immediately.
    func setPolicy(
        _ override: PolicyOverride, ofDeviceAt deviceIndex: Int, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        var device = loadedDevices[deviceIndex].state.device
        guard device.policy != override else { return [] }
        device.policy = override
        device.inherit(device.inherited)
        keepForUndo(deviceIndex)
        try store.saveDevice(device, in: transaction)
        return try apply(.settings(device, policy), toDeviceAt: deviceIndex, in: transaction)
    }
}
