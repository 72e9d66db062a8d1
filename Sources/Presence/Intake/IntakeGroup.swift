import Core
import Model
import Monitor
import Places
import Store

/// The intake of one transaction: the positions of any number of inputs.
package struct IntakeGroup {
    private let service: ServiceWriter
    let engine: TransitionEngine
    let now: Instant
    /// The latest time that a fix may have.
    let latest: Instant
    /// The number of the newest event.
    var sequence: Int64
    /// The time of the newest fix in the group.
    package private(set) var newest: Instant?
    /// The devices whose state has to be saved.
    private var changedDevices: [Int] = []
    /// The fixes that simulated phones receive after the transaction is committed, by index.
    package private(set) var fixesForPhones: [Int: [Fix]] = [:]
    /// The number of the newest fix; nil if no fix was stored.
    package private(set) var newestNumber: Int64?
    /// The indices of devices whose positions are late behind one that is ahead of the clock.
    private var devicesAheadOfClock: Set<Int> = []
    /// A fix before this moment may come from a clock that is behind.
    let oldBefore: Instant
    /// The positions before that moment, by index.
    private var oldPositions: [Int: OldPositions] = [:]
    /// The devices whose id two senders use, by index.
    private var sharedIDs: [Int: SharedIDDetector.Detection] = [:]
    /// The refused inputs of the group.
    var refused = RefusedInputs()
    /// The tokens with which usable input arrived; see `FixBatch.sender`.
    var senders: Set<String> = []
    /// The number of events that the group takes before its next positions belong to another group. The last position may exceed it.
    var eventRoom: Int
    package var isFull: Bool { eventRoom <= 0 }

    /// Must be called within a transaction.
    ///
    /// - Parameter maxEvents: The number of events with which the group is full.
    package init(_ service: ServiceWriter, maxEvents: Int = .max) throws(Problem) {
        self.service = service
        eventRoom = maxEvents
        engine = try service.engine()
        now = service.clock.now()
        latest = now + SystemClock.tolerance
        oldBefore = now + -ClockLag.threshold
        sequence = try service.store.newestSequence()
    }

    /// Records that a fix has changed a device's state.
    ///
    /// - Parameters:
    ///   - number: The number of the fix; nil if the fix is not stored.
    ///   - sentAt: When the device sent the fix.
    mutating func recordChange(
        _ deviceIndex: Int, at device: PositionIntake.LoadedDevice, _ fix: Fix, number: Int64?, sentAt: Instant
    ) {
        if let number { newestNumber = number }
        let isSimulated = device.pointee.recordFix(fix, number: number, at: sentAt)
        if newest.map({ $0 < fix.time }) ?? true { newest = fix.time }
        if isSimulated { fixesForPhones[deviceIndex, default: []].append(fix) }
    }

    /// Records that a late fix was stored.
    mutating func recordLateFix(ofDeviceAt deviceIndex: Int) {
        if let frontier = service.loadedDevices[deviceIndex].state.lateBefore, frontier > latest {
            devicesAheadOfClock.insert(deviceIndex)
        }
    }

    /// Records that a fix before `oldBefore` was stored.
    mutating func recordOldFix(_ fix: Fix, ofDeviceAt deviceIndex: Int, isLate: Bool) {
        guard service.isServing else { return }
        oldPositions[deviceIndex, default: OldPositions(fix.time, isLate: isLate)].add(fix.time, isLate: isLate)
    }

    /// Follows a fix that can be a jump and was not evaluated yet.
    mutating func followJump(ofDeviceAt deviceIndex: Int, to fix: Fix) {
        guard service.isServing, let finding = service.followJump(ofDeviceAt: deviceIndex, to: fix) else { return }
        sharedIDs[deviceIndex] = finding
    }

    /// Records that a fix is about to change a device's state. If the transaction fails from here on, the device is read from the store
    /// again.
    mutating func willChange(_ deviceIndex: Int, _ device: PositionIntake.LoadedDevice) {
        guard !device.pointee.isChanging else { return }
        device.pointee.isChanging = true
        device.pointee.isEvaluated = true
        changedDevices.append(deviceIndex)
    }

    /// Saves the state of each changed device once, and records the refused input. Must be called before the transaction ends.
    package mutating func saveStates(in transaction: borrowing Transaction) throws(Problem) {
        if service.isServing {
            try service.record(refused, at: now, in: transaction)
            try service.recordAheadOfClock(devicesAheadOfClock, latest: latest, at: now, in: transaction)
            devicesAheadOfClock.removeAll()
            try service.recordUsableInput(
                ofDevicesAt: changedDevices, senders: senders, except: refused, at: now, in: transaction)
            try service.recordSharedIDs(sharedIDs, at: now, in: transaction)
            sharedIDs.removeAll()
            refused = RefusedInputs()
            senders.removeAll()
        }
        service.publishPositions(ofDevicesAt: changedDevices)
        service.undo?.evaluatedDevices += changedDevices
        for deviceIndex in changedDevices {
            try service.saveState(deviceIndex, in: transaction)
            service.loadedDevices[deviceIndex].isChanging = false
        }
        changedDevices.removeAll()
        try service.recordOldPositions(oldPositions, at: now, in: transaction)
        oldPositions.removeAll()
    }
}
