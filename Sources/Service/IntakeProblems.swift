import Model
import Store

// Unusable input of devices. The app gets a positive answer, because it would otherwise send the same input again forever. A person is
// informed instead: by a counter for each device, kind and field, and by one open problem for each device.

extension Queries {
    package typealias RefusedInput = RegionStore.RefusedInput

    /// The source of problems with a device's input; see `record(_:source:)`.
    static func intakeSource(device: String) -> String { intakePrefix + device }

    static let intakePrefix = "intake/"

    /// The source of the problem that a device's clock was ahead. Its other input may have a problem at the same time.
    static func clockSource(device: String) -> String { clockPrefix + device }

    static let clockPrefix = "clock/"

    /// The source of problems with input that names no device.
    ///
    /// - Parameter sender: The name of the token that the input came with; empty if there was none.
    fileprivate static func intakeSource(sender: String) -> String {
        sender.isEmpty ? anonymousIntakeSource : "\(anonymousIntakeSource)-token/\(sender)"
    }

    /// The prefix of the sources of all input problems.
    static let anonymousIntakeSource = "intake"

    /// The refused input of a device, newest first.
    package func refusedInput(of device: String) throws(Problem) -> [RefusedInput] { try store.refusedInput(of: device) }
}

extension ServiceWriter {
    /// Counts refused input, and records a problem for each device or token that sent it. Must be called within a transaction.
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
            // A phone whose input cannot be used yet becomes a device as well, so that the person who set it up can see why nothing
            // arrives.
            if entry.sender != nil, let device = refusal.device { _ = try makeSlot(of: device) }
            try store.countRefusedInput(RefusedInput(refusal, count: entry.count, at: now))
            guard told.insert(source).inserted else { continue }
            let problem = Problem.inputRefused(
                device: refusal.device ?? "", field: refusal.field, value: refusal.shownValue, kind: refusal.kind,
                reason: refusal.reason)
            try recordInTransaction(problem, source: source, at: now)
            if refusal.device != nil { try withIntakeProblems { $0.insert(source) } }
        }
    }

    /// Resolves the input problems of devices and tokens that have sent usable input. Must be called within a transaction.
    ///
    /// - Parameter senders: The names of the tokens. Input without a token cannot be attributed to the same sender.
    func resolveIntake(ofSlots slots: [Int], senders: Set<String>, except refused: RefusedInputs) throws(Problem) {
        for sender in senders where !sender.isEmpty && !refused.entries.contains(where: { $0.sender == sender }) {
            try resolveInTransaction(source: Self.intakeSource(sender: sender))
        }
        var standing: Set<String> = []
        try withIntakeProblems { standing = $0 }
        if standing.isEmpty { return }
        let stillRefused = Set(refused.entries.compactMap(\.refusal.device))
        for slot in slots {
            let device = self.slots[slot].state.device.id
            let source = Self.intakeSource(device: device)
            if standing.contains(Self.clockSource(device: device)) { try resolveClockProblem(ofSlot: slot) }
            guard standing.contains(source), !stillRefused.contains(device) else { continue }
            try resolveInTransaction(source: source)
            try withIntakeProblems { $0.remove(source) }
        }
    }

    /// Records that late positions came from devices that had sent positions ahead of the clock before. Must be called within a
    /// transaction.
    func recordAheadOfClock(_ slots: Set<Int>, latest: Instant, at now: Instant) throws(Problem) {
        if slots.isEmpty { return }
        // The earliest position is found by a search of those that are not in order yet.
        let canSearch = try canReadTracks()
        for slot in slots.sorted() {
            let device = self.slots[slot].state.device.id
            let source = Self.clockSource(device: device)
            var hasProblem = false
            try withIntakeProblems { hasProblem = $0.contains(source) }
            // An open problem is not recorded again with each late position, except when the earliest position can be named now.
            if hasProblem, case .deviceAheadOfClock(_, let since) = try store.problem(ofSource: source)?.problem,
                since != nil || !canSearch
            {
                continue
            }
            // Without such a position, a deadline or a report is ahead.
            let earliest = canSearch ? try store.earliestFix(of: self.slots[slot].key, after: latest) ?? latest : nil
            try recordInTransaction(.deviceAheadOfClock(device: device, since: earliest), source: source, at: now)
            try withIntakeProblems { $0.insert(source) }
        }
    }

    /// Resolves the problem that a device has sent positions ahead of the clock, if there are none any more. Must be called within a
    /// transaction.
    func resolveClockProblem(ofSlot slot: Int) throws(Problem) {
        let state = slots[slot].state
        let source = Self.clockSource(device: state.device.id)
        guard state.lateBefore.map({ $0 <= clock.now() + SystemClock.tolerance }) ?? true,
            case .deviceAheadOfClock = try store.problem(ofSource: source)?.problem
        else { return }
        try resolveInTransaction(source: source)
        try withIntakeProblems { $0.remove(source) }
    }

    /// Calls `body` with the sources of open problems with the input or the clock of a device. They are read from the store on first use.
    private func withIntakeProblems(_ body: (inout Set<String>) -> Void) throws(Problem) {
        if intakeProblems == nil {
            intakeProblems = Set(
                try store.problemSources(startingWith: Self.intakePrefix)
                    + store.problemSources(startingWith: Self.clockPrefix))
        }
        if var sources = intakeProblems.take() {
            body(&sources)
            intakeProblems = sources
        }
    }
}

extension RegionStore.RefusedInput: JSONWritable {
    package static let output = JSONOutput<RegionStore.RefusedInput>(
        "RefusedInput", summary: "What was wrong with the input of a device, and how often",
        .init("kind", kind: .word, summary: "What was wrong", content: \.kind),
        .init("field", kind: .text, summary: "The field as the input writes it", content: \.field),
        .init("reason", summary: "The reason in English", reason: \.reason),
        .init("count", kind: .whole, summary: "How often it happened", content: \.count),
        .init("firstAt", kind: .time, summary: "The first time", content: \.firstAt),
        .init("lastAt", kind: .time, summary: "The last time", content: \.lastAt))

    package var json: JSONValue { json(in: AnswerLocale()) }
}
