import Core
import Foundation
import Model
import Monitor
import Places
import Presence
import Store
import Timeline

extension Queries {
    /// The states of all devices in the store, by id.
    package func storedStates() throws(Problem) -> [String: DeviceState] {
        var states: [String: DeviceState] = [:]
        for stored in try store.devices() { states[stored.device.id] = try store.state(of: stored, policy: policy) }
        return states
    }

    /// How the stored states of devices differ from those of another service in memory; nil when they do not.
    package func storedDifference(from other: ServiceWriter) throws(Problem) -> String? {
        if let difference = ServiceWriter.difference(between: try storedStates(), and: try other.states()) { return difference }
        let (notes, others) = (try replayNotes(), try other.replayNotes())
        return notes == others ? nil : "\(notes), \(others)"
    }

    fileprivate func replayNotes() throws(Problem) -> [String] {
        try store.replayNotes().sorted { $0.key < $1.key }.map { "notes of \($0.key.value): \($0.value)" }
    }

    /// All recorded events; unless `isOrdered`, sorted and without their numbers.
    package func allEvents(isOrdered: Bool = true) throws(Problem) -> [String] {
        var events: [String] = []
        try forEachEvent(.init()) { event in
            var event = event
            if !isOrdered { event.sequence = 0 }
            events.append(event.word)
        }
        return events
    }

    /// The status of all devices, and all visits, as text.
    package func answers() throws(Problem) -> [String] {
        var answers = try deviceStatuses(DeviceFilter(), after: nil, limit: 100, counting: true).items.map {
            String(describing: $0)
        }
        try forEachVisit(.init()) { answers.append(String(describing: $0)) }
        return answers
    }
}

extension ServiceWriter {
    /// The states of all devices, by id.
    package func states() throws(Problem) -> [String: DeviceState] {
        var states: [String: DeviceState] = [:]
        for device in try devices() {
            if let deviceIndex = try deviceIndex(of: device.id) { states[device.id] = loadedDevices[deviceIndex].state }
        }
        return states
    }

    /// The earliest real deadline of all devices; nil for none.
    package func trueDeadline() throws(Problem) -> Instant? {
        var deadlines: [Instant] = []
        for device in try devices() {
            guard let deviceIndex = try deviceIndex(of: device.id) else { continue }
            if let deadline = loadedDevices[deviceIndex].state.deadline {
                deadlines.append(deadline + loadedDevices[deviceIndex].state.lag)
            }
            if let deadline = ruleDeadline(ofDeviceAt: deviceIndex) { deadlines.append(deadline) }
        }
        return deadlines.min()
    }

    /// How the states of devices differ between two services; nil when they do not.
    package func difference(from other: ServiceWriter) throws(Problem) -> String? {
        let difference = Self.difference(between: try states(), and: try other.states())
        if difference != nil { return difference }
        for (mine, its) in zip(try memoryNotes(), try other.memoryNotes()) where mine != its { return "\(mine), \(its)" }
        return nil
    }

    private func memoryNotes() throws(Problem) -> [String] {
        ["next at \(Self.word(try trueDeadline()))"] + (try replayNotes())
    }

    package static func difference(between states: [String: DeviceState], and others: [String: DeviceState]) -> String? {
        guard states.keys.sorted() == others.keys.sorted() else {
            return "devices: \(states.keys.sorted()), \(others.keys.sorted())"
        }
        for (id, state) in states.sorted(by: { $0.key < $1.key }) {
            guard let other = others[id] else { continue }
            if let difference = state.difference(from: other) { return "\(id): \(difference)" }
            for (mine, its) in zip(texts(of: state), texts(of: other)) where mine != its { return "\(id): \(mine), \(its)" }
        }
        return nil
    }

    /// The parts of a state that `DeviceState.difference(from:)` does not compare.
    private static func texts(of state: DeviceState) -> [String] {
        [
            "\(state.device)", state.fenceStates.map(word).joined(separator: "; "), "due \(word(state.fenceDeadline))",
            "heard at \(word(state.lastHeard))",
            "silent \(state.isSilent)", "reached \(word(state.deadlinesFiredBefore))", "reported at \(word(state.lastReport))",
            "lag \(state.lag)",
            "suspect \(word(state.outlierCandidate))", "stay \(word(state.stay))", "newest \(word(state.newest))",
        ]
    }

    /// Of a fix that awaits confirmation, only time, position and accuracy are stored.
    private static func word(_ presence: FenceState) -> String {
        let fixes = [presence.pending?.fix, presence.pending?.before].map { fix in
            word(fix.map { "\($0.time) \($0.coordinate) \(word($0.accuracy))" })
        }
        let pending = presence.pending
        return "geofence \(presence.fence.value) \(presence.phase) \(word(presence.visit)) \(fixes) \(word(pending?.count)) "
            + "\(word(pending?.crossedAt)) \(word(pending?.leftAt))"
    }

    private static func word(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "none" }

    /// Copies the store's files as a crash would leave them.
    package func copyStore(to target: DataDirectory) throws {
        try FileManager.default.createDirectory(atPath: target.path, withIntermediateDirectories: true)
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: directory.storePath + end) {
            try FileManager.default.copyItem(atPath: directory.storePath + end, toPath: target.storePath + end)
        }
    }

    /// Starts to write states behind, like a running service.
    package func serve() {
        isServing = true
        beginWritingBehind()
    }
}
