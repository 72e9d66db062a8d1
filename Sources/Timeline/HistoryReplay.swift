import Model
import Monitor
import Store

/// Replays all stored inputs and compares the result with the recorded events and states.
///
/// It reads the input log once and applies it to all devices together. Devices that were corrected after late fixes can only be
/// reproduced in order of time, so they are replayed afterward, one by one (`DeviceReplay`).
///
/// Memory: the states of all devices, the geofences of one revision, and the events of one corrected device. Other inputs and events are
/// streamed.
package final class HistoryReplay {
    private let store: PicketStore
    private let policy: DecisionPolicy
    /// Geofences that apply to the past instead of those on record; nil for none.
    private let backdating: Backdating?
    /// Whether a corrected device differs when one of its events was only confirmed at another time or with another fix. Earlier versions
    /// did not correct that, and their stores are sound.
    private let comparesConfirmation: Bool
    private let progress: (_ done: Int) -> Void
    private let timeline: Timeline
    private let notes: [DeviceKey: PicketStore.ReplayNotes]
    /// The progress of the comparison of each device.
    private var devices: [DeviceKey: DeviceProgress] = [:]
    private var report = ReplayReport()
    /// The number of fixes read.
    private var fixesRead = 0

    private struct DeviceProgress {
        /// The sequence of the last reproduced event.
        var sequence: Int64
        /// The first difference from the record; nothing after it is compared.
        var difference: String?
        /// The number of fixes evaluated.
        var fixes = 0
        /// The number of decisions reproduced.
        var decisions = 0
        /// Whether late fixes wait for a replay.
        var hasWaiting = false
    }

    private init(
        _ store: PicketStore, _ policy: DecisionPolicy, _ backdating: Backdating?, comparesConfirmation: Bool,
        _ progress: @escaping (Int) -> Void
    ) throws(Problem) {
        self.store = store
        self.policy = policy
        self.backdating = backdating
        self.comparesConfirmation = comparesConfirmation
        self.progress = progress
        timeline = Timeline(
            store,
            try FenceTimeline(store, from: 0, policy: policy, backdatings: backdating?.backdatings(since: nil) ?? []),
            policy: policy, initialStates: .blank)
        notes = try store.replayNotes()
        for (key, note) in notes {
            devices[key] = DeviceProgress(sequence: note.after)
            // The events of a corrected device are in order of time, not of the log.
            if note.gaps.contains(.corrected) { timeline.ignoreDevice(key) }
        }
    }

    /// Replays a store. The caller holds a snapshot of the store.
    ///
    /// - Parameters:
    ///   - flaws: Receives the differences that have no known reason.
    ///   - progress: Called with the number of fixes read.
    package static func run(
        _ store: PicketStore, policy: DecisionPolicy, flaws: inout StoreFlaws, progress: @escaping (Int) -> Void
    ) throws(Problem) -> ReplayReport {
        let replay = try HistoryReplay(store, policy, nil, comparesConfirmation: false, progress)
        try replay.replayLog()
        try replay.replayCorrectedDevices()
        try replay.finishReport(&flaws)
        return replay.report
    }

    /// Finds the devices whose events or states a replay would change. The caller holds a snapshot of the store.
    ///
    /// - Parameters:
    ///   - backdating: Geofences that apply to the past instead of those on record; nil for none.
    ///   - progress: Called with the number of fixes read.
    package static func findDifferingDevices(
        _ store: PicketStore, policy: DecisionPolicy, backdating: Backdating?, progress: @escaping (Int) -> Void
    ) throws(Problem) -> DifferingDevices {
        let replay = try HistoryReplay(store, policy, backdating, comparesConfirmation: true, progress)
        try replay.replayLog()
        try replay.replayCorrectedDevices()
        try replay.compareEnds()
        var found = DifferingDevices()
        for (key, device) in replay.devices.sorted(by: { $0.key < $1.key }) {
            if device.difference != nil || device.hasWaiting {
                found.devices.append(key)
            } else if device.fixes > 0 {
                found.others += 1
                found.fixes += device.fixes
                found.decisions += device.decisions
            }
        }
        return found
    }

    /// The devices that a replay would change, and totals of the others.
    package struct DifferingDevices: Sendable {
        /// Devices whose replay differs, or that have late fixes that no replay has evaluated.
        package internal(set) var devices: [DeviceKey] = []
        /// The number of other devices that have fixes.
        /// The number of fixes of those devices.
        package internal(set) var others = 0
        /// The number of decisions of those devices.
        package internal(set) var fixes = 0
        package internal(set) var decisions = 0
    }

    // MARK: - In the order of the log

    private func replayLog() throws(Problem) {
        let log = try InputLogReader(store, after: 0)
        while let entry = try log.next() {
            switch entry.kind {
            case .fix:
                guard let device = entry.device else { continue }
                if entry.needsReplay {
                    report.lateFixes += 1
                    devices[device]?.hasWaiting = true
                }
                guard let notes = notes[device], !notes.gaps.contains(.corrected) else { continue }
                fixesRead += 1
                if fixesRead % 4096 == 0 { progress(fixesRead) }
                if entry.isLate { continue }
                devices[device]?.fixes += 1
            case .fences(let revision): report.revisions = revision
            case .settings, .clock, .signOfLife, .report, .backdating, .backdatingStart: break
            }
            try timeline.apply(entry) { step throws(Problem) in try compare(step) }
        }
    }

    // MARK: - Corrected devices

    /// Replays corrected devices in order of time.
    private func replayCorrectedDevices() throws(Problem) {
        let corrected = notes.filter { $0.value.gaps.contains(.corrected) }.keys.sorted()
        if corrected.isEmpty { return }
        // At the end of the log the geofences are the current ones.
        let past = PastFences(store, present: timeline.fences.engine)
        try store.withTemporaryOrder(of: corrected) { () throws(Problem) in
            for key in corrected { try replayCorrectedDevice(key, past) }
        }
    }

    /// Compares one corrected device: its recorded events that are not retracted must be what its inputs give, without late fixes that
    /// still wait.
    private func replayCorrectedDevice(_ key: DeviceKey, _ past: PastFences) throws(Problem) {
        guard let stored = try store.device(key: key) else { return }
        let known = try store.state(of: stored, policy: policy)
        var options = DeviceReplay.ReplayOptions()
        options.lateFixesUpTo = 0
        options.backdating = backdating
        guard
            let replay = try DeviceReplay(
                store, of: stored, from: nil, past: { past }, policy: policy, options: options)
        else { return recordDifference(of: key, "positions that a replay takes were removed") }
        var isDone = false
        while !isDone {
            let before = replay.fixes
            isDone = try replay.replay(atMost: 4096)
            fixesRead += replay.fixes - before
            progress(fixesRead)
        }
        let correction = try replay.correction(comparesConfirmation: comparesConfirmation)
        devices[key]?.fixes = replay.fixes
        devices[key]?.decisions = correction.reproducedCount
        if let surplus = correction.wrongEvents.first {
            recordDifference(of: key, surplus: surplus)
        } else if let missing = correction.missingDecisions.first {
            recordDifference(of: key, missing: missing.transition)
        } else if let difference = known.difference(from: replay.state) {
            recordDifference(of: key, difference)
        }
    }

    // MARK: - Comparing

    /// Compares a step's transitions with the next recorded events of the device.
    private func compare(_ step: Timeline.Step) throws(Problem) {
        let key = step.device
        for transition in step.transitions {
            guard let known = devices[key], known.difference == nil else { return }
            guard let recorded = try store.decision(of: key, after: known.sequence) else {
                return recordDifference(of: key, missing: transition)
            }
            guard recorded.transition.hasSameRecord(as: transition) else {
                return recordDifference(
                    of: key,
                    "event \(recorded.sequence) is \(describe(recorded.transition)), but a replay gives \(describe(transition))")
            }
            devices[key]?.sequence = recorded.sequence
            devices[key]?.decisions += 1
        }
    }

    /// Compares what is left of each device at the end of the log: recorded events that no input led to, and its state.
    private func compareEnds() throws(Problem) {
        for key in devices.keys.sorted() {
            guard let device = devices[key], device.difference == nil, notes[key]?.gaps.contains(.corrected) == false,
                let stored = try store.device(key: key)
            else { continue }
            if let surplus = try store.decision(of: key, after: device.sequence) {
                recordDifference(of: key, surplus: surplus)
            } else {
                let replayed = timeline.state(of: key) ?? DeviceState(device: stored.device, policy: policy)
                if let difference = try store.state(of: stored, policy: policy).difference(from: replayed) {
                    recordDifference(of: key, difference)
                }
            }
        }
    }

    private func finishReport(_ flaws: inout StoreFlaws) throws(Problem) {
        try compareEnds()
        for (key, device) in devices.sorted(by: { $0.key < $1.key }) {
            report.fixes += device.fixes
            report.decisions += device.decisions
            guard let difference = device.difference else {
                report.devices += 1
                continue
            }
            if notes[key]?.gaps.contains(.positionsRemoved) == true {
                report.unprovenDevices += 1
            } else {
                flaws.add(.replay, "\(try store.device(key: key)?.device.id ?? "device number \(key.value)"): \(difference)")
            }
        }
        if report.unprovenDevices > 0 { report.unproven = [("positionsRemoved", report.unprovenDevices)] }
    }

    private func recordDifference(of key: DeviceKey, _ difference: String) { devices[key]?.difference = difference }

    private func recordDifference(of key: DeviceKey, surplus recorded: PicketStore.RecordedDecision) {
        recordDifference(of: key, "event \(recorded.sequence) is \(describe(recorded.transition)), which a replay does not give")
    }

    private func recordDifference(of key: DeviceKey, missing transition: Transition) {
        recordDifference(of: key, "a replay gives \(describe(transition)), which is not on record")
    }

    private func describe(_ transition: Transition) -> String {
        let place =
            transition.fence.map {
                " " + (timeline.fences.decidingVersion(of: $0)?.geofence.id ?? "of geofence number \($0.value)")
            } ?? ""
        return "\(transition.type.rawValue)\(place) "
            + "at \(transition.occurredAt) (sure at \(transition.confirmedAt), \(transition.cause.rawValue))"
    }
}

extension Transition {
    /// Whether another transition is the same decision, in everything that is recorded.
    fileprivate func hasSameRecord(as other: Transition) -> Bool {
        type == other.type && fence == other.fence && occurredAt == other.occurredAt && confirmedAt == other.confirmedAt
            && crossedAt == other.crossedAt && cause == other.cause && inferred == other.inferred
            && fix.hasSameRecord(as: other.fix) && visit?.enteredAt == other.visit?.enteredAt
            && visit?.cause == other.visit?.cause
            && lastHeard == other.lastHeard
    }
}
