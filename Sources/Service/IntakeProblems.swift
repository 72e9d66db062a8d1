import Model
import Store

// Input of devices that cannot be used. An app is told that all is well, or it would repeat the same for ever; so a person is told:
// by a counter for each device, kind and field, and by one standing problem for each device.

extension Queries {
    public typealias RefusedInput = RegionStore.RefusedInput

    /// The source of the problems of what a device sends; see `record(_:source:)`.
    static func intakeSource(device: String) -> String { intakePrefix + device }

    static let intakePrefix = "intake/"

    /// The source of the problems of input that names no device.
    ///
    /// - Parameter sender: The name of the token that it came with; empty when there was none.
    fileprivate static func intakeSource(sender: String) -> String {
        sender.isEmpty ? namelessIntake : "\(namelessIntake)-token/\(sender)"
    }

    /// What the sources of all input begin with.
    static let namelessIntake = "intake"

    /// What was refused of a device, the newest first.
    public func refusedInput(of device: String) throws(Problem) -> [RefusedInput] { try store.refusedInput(of: device) }
}

extension ServiceWriter {
    /// Counts what was refused, and records a problem for each device that sent it. To be called within a transaction.
    func record(_ refused: RefusedInputs, at now: Instant) throws(Problem) {
        var told: Set<String> = []
        for entry in refused.entries {
            let refusal = entry.refusal
            let source: String
            switch (refusal.device, entry.sender) {
            case (let device?, _): source = Self.intakeSource(device: device)
            case (nil, let sender?): source = Self.intakeSource(sender: sender)
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

    /// Ends the problems of devices, and of tokens, that have sent something that could be used. To be called within a transaction.
    ///
    /// - Parameter senders: The names of the tokens. Without one nothing says that it is the same sender.
    func resolveIntake(ofSlots slots: [Int], senders: Set<String>, except refused: RefusedInputs) throws(Problem) {
        for sender in senders where !sender.isEmpty && !refused.entries.contains(where: { $0.sender == sender }) {
            try resolveWithin(source: Self.intakeSource(sender: sender))
        }
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
