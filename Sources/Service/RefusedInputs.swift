import Model
import Store

// Input of devices that cannot be used. An app is told that all is well, or it would repeat the same for ever; so a person is told:
// by a counter for each device, kind and field, and by one standing problem for each device.

/// What a transaction has refused so far: one entry for each device, kind and field.
struct RefusedInputs {
    private struct Key: Hashable {
        var device: String?
        var kind: Refusal.Kind
        var field: String
    }

    private var places: [Key: Int] = [:]
    /// In the order in which they came; the first refusal stands for all of its key.
    private(set) var entries: [(refusal: Refusal, sender: String?, count: Int)] = []

    /// - Parameter sender: See `FixBatch.sender`.
    mutating func add(_ refusals: [Refusal], sender: String?) {
        for refusal in refusals {
            let key = Key(device: refusal.device, kind: refusal.kind, field: refusal.field)
            if let place = places[key] {
                entries[place].count += 1
            } else {
                places[key] = entries.count
                entries.append((refusal, sender, 1))
            }
        }
    }
}

extension GeofenceService {
    public typealias RefusedInput = RegionStore.RefusedInput

    /// The source of the problems of what a device sends; see `record(_:source:)`.
    static func intakeSource(device: String) -> String { intakePrefix + device }

    static let intakePrefix = "intake/"

    /// Counts what was refused, and records a problem for each device that sent it. To be called within a transaction.
    func record(_ refused: RefusedInputs, at now: Instant) throws(Problem) {
        var told: Set<String> = []
        for entry in refused.entries {
            let refusal = entry.refusal
            let source: String
            switch (refusal.device, entry.sender) {
            case (let device?, _): source = Self.intakeSource(device: device)
            case (nil, ""?): source = "intake"
            case (nil, let sender?): source = "intake-token/\(sender)"
            case (nil, nil): continue
            }
            // A phone that cannot be used yet is a device all the same: somebody has set it up, and asks why nothing comes.
            if entry.sender != nil, let device = refusal.device { _ = try makeSlot(of: device) }
            try store.count(RefusedInput(refusal, count: entry.count, at: now))
            guard told.insert(source).inserted else { continue }
            let problem = Problem.inputRefused(
                device: refusal.device ?? "", field: refusal.field, kind: refusal.kind, reason: refusal.reason)
            try recordWithin(problem, source: source, at: now)
            if let device = refusal.device { try readIntakeProblems { $0.insert(device) } }
        }
    }

    /// Ends the problems of devices that have sent something that could be used. To be called within a transaction.
    func resolveIntake(ofSlots slots: [Int], except refused: RefusedInputs) throws(Problem) {
        var standing: Set<String> = []
        try readIntakeProblems { standing = $0 }
        if standing.isEmpty { return }
        let stillRefused = Set(refused.entries.compactMap(\.refusal.device))
        for slot in slots {
            let device = self.slots[slot].state.device.id
            guard standing.contains(device), !stillRefused.contains(device) else { continue }
            try resolveWithin(source: Self.intakeSource(device: device))
            try readIntakeProblems { $0.remove(device) }
        }
    }

    /// The devices whose input has a standing problem, read from the store when first asked for.
    private func readIntakeProblems(_ body: (inout Set<String>) -> Void) throws(Problem) {
        if intakeProblems == nil {
            intakeProblems = Set(
                try store.problemSources(startingWith: Self.intakePrefix).map { String($0.dropFirst(Self.intakePrefix.count)) })
        }
        if var devices = intakeProblems.take() {
            body(&devices)
            intakeProblems = devices
        }
    }

    /// What was refused of a device, the newest first.
    public func refusedInput(of device: String) throws(Problem) -> [RefusedInput] { try store.refusedInput(of: device) }
}

extension RegionStore.RefusedInput {
    /// `{"kind","field","reason","count","firstAt","lastAt"}`
    public var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "field": .string(field), "reason": .string(reason), "count": JSONValue(count),
            "firstAt": JSONValue(firstAt), "lastAt": JSONValue(lastAt),
        ]
    }
}
