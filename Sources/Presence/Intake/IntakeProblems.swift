import Core
import Model
import Monitor
import Store

// Unusable input of devices. The app gets a positive answer, because it would otherwise send the same input again forever. A person is
// informed instead: by a counter for each device, kind and field, and by one open problem for each device, or for each token when many
// devices have one.

extension Queries {
    package typealias RefusedInput = PicketStore.RefusedInput

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
    /// Counts refused input, and records a problem for each device or token that sent it.
    func record(_ refused: RefusedInputs, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        var named: Set<String> = []
        for entry in refused.entries {
            let refusal = entry.refusal
            var device = refusal.device
            var source: String
            switch (refusal.device, entry.sender) {
            case (let device?, _): source = DeviceProblem.intake.source(of: device)
            case (nil, let sender?): source = Self.intakeSource(sender: sender)
            case (nil, nil): continue
            }
            // A phone whose input cannot be used yet becomes a device as well, so that the person who set it up can see why nothing
            // arrives.
            if entry.sender != nil, let device = refusal.device { _ = try loadOrCreateDevice(of: device, in: transaction) }
            try store.countRefusedInput(RefusedInput(refusal, count: entry.count, at: now), in: transaction)
            try readIntakeProblems()
            if device != nil, let open = intakeProblems, open.isFull, !open.contains(source) {
                device = nil
                source = Self.intakeSource(sender: entry.sender ?? "")
            }
            guard named.insert(source).inserted else { continue }
            let problem = Problem.inputRefused(
                device: device ?? "", field: refusal.field, value: refusal.shownValue, kind: refusal.kind,
                reason: refusal.reason)
            try record(problem, source: source, at: now, in: transaction)
            intakeProblems?.recordCause(of: source, device: device, at: now, isSaved: true)
        }
    }

    /// Records that devices and tokens have sent usable input, and resolves their problems that have ended.
    ///
    /// - Parameter senders: The names of the tokens. Input without a token cannot be attributed to the same sender.
    func recordUsableInput(
        ofDevicesAt loadedDevices: [Int], senders: Set<String>, except refused: RefusedInputs, at now: Instant,
        in transaction: borrowing Transaction
    ) throws(Problem) {
        try readIntakeProblems()
        for sender in senders where !sender.isEmpty && !refused.entries.contains(where: { $0.sender == sender }) {
            try recordUsableInput(of: Self.intakeSource(sender: sender), at: now, in: transaction)
        }
        guard let devices = intakeProblems?.devices, !devices.isEmpty else { return }
        let stillRefused = Set(refused.entries.compactMap(\.refusal.device))
        for deviceIndex in loadedDevices {
            let device = self.loadedDevices[deviceIndex].state.device.id
            guard devices.contains(device) else { continue }
            if intakeProblems?.contains(DeviceProblem.clock.source(of: device)) == true {
                try resolveClockProblem(ofDeviceAt: deviceIndex, in: transaction)
            }
            if !stillRefused.contains(device) {
                try recordUsableInput(of: DeviceProblem.intake.source(of: device), at: now, in: transaction)
            }
            try recordUsableInput(of: DeviceProblem.sharedID.source(of: device), at: now, in: transaction)
            if let newest = self.loadedDevices[deviceIndex].state.newest, now - newest.time < ClockLag.threshold {
                try recordUsableInput(of: DeviceProblem.clockBehind.source(of: device), at: now, in: transaction)
            }
        }
    }

    private func recordUsableInput(of source: String, at now: Instant, in transaction: borrowing Transaction) throws(Problem) {
        if intakeProblems?.recordUsableInput(of: source, at: now) == true { try resolveIntakeProblem(source, in: transaction) }
    }

    private func resolveIntakeProblem(_ source: String, in transaction: borrowing Transaction) throws(Problem) {
        try resolve(source: source, in: transaction)
        intakeProblems?.remove(source, device: ProblemSource(source).deviceID)
    }

    /// Resolves the problems with input that have ended. Of input without a device, nothing indicates the end, so its problems end if no such
    /// input has arrived for a day. Call it every minute.
    package func resolveEndedIntakeProblems() throws(Problem) {
        let now = clock.now()
        try readIntakeProblems()
        var ended = intakeProblems?.sourcesOver(at: now) ?? []
        for source in try store.problemSources(startingWith: Self.anonymousIntakeSource)
        where !source.hasPrefix(DeviceProblem.intake.rawValue) && !ended.contains(source) {
            guard let standing = try store.problem(ofSource: source), standing.lastAt < endOfDismissal else { continue }
            ended.append(source)
        }
        if ended.isEmpty { return }
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            for source in ended { try resolveIntakeProblem(source, in: transaction) }
        }
    }

    /// Records a problem of a device whose cause continues. It is saved once a minute at most.
    private func recordContinuing(
        _ problem: Problem, source: String, device: String, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try readIntakeProblems()
        let mustSave = intakeProblems?.mustSave(source, at: now) ?? true
        if mustSave { try record(problem, source: source, at: now, in: transaction) }
        intakeProblems?.recordCause(of: source, device: device, at: now, isSaved: mustSave)
    }

    // MARK: - Clocks that are ahead

    /// Records that late positions came from devices that had sent positions ahead of the clock before.
    func recordAheadOfClock(
        _ loadedDevices: Set<Int>, latest: Instant, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        if loadedDevices.isEmpty { return }
        // The earliest position is found by a search of those that are not in order yet.
        let canSearch = try canReadTracks()
        try readIntakeProblems()
        for deviceIndex in loadedDevices.sorted() {
            let device = self.loadedDevices[deviceIndex].state.device.id
            let source = DeviceProblem.clock.source(of: device)
            // An open problem is not recorded again with each late position, except when the earliest position can be named now.
            if intakeProblems?.contains(source) == true,
                case .deviceAheadOfClock(_, let since) = try store.problem(ofSource: source)?.problem, since != nil || !canSearch
            {
                continue
            }
            // Without such a position, a deadline or a report is ahead.
            let earliest =
                canSearch ? try store.earliestFix(of: self.loadedDevices[deviceIndex].key, after: latest) ?? latest : nil
            try record(.deviceAheadOfClock(device: device, since: earliest), source: source, at: now, in: transaction)
            intakeProblems?.recordCause(of: source, device: device, at: now, isSaved: true)
        }
    }

    /// Resolves the problem that a device has sent positions ahead of the clock, if there are none anymore.
    package func resolveClockProblem(ofDeviceAt deviceIndex: Int, in transaction: borrowing Transaction) throws(Problem) {
        let state = loadedDevices[deviceIndex].state
        let source = DeviceProblem.clock.source(of: state.device.id)
        guard state.lateBefore.map({ $0 <= clock.now() + SystemClock.tolerance }) ?? true,
            case .deviceAheadOfClock = try store.problem(ofSource: source)?.problem
        else { return }
        try readIntakeProblems()
        try resolveIntakeProblem(source, in: transaction)
    }

    // MARK: - Clocks that are behind

    /// Processes positions that are at least `ClockLag.threshold` old. If they come from a clock that is behind, the device has a problem;
    /// late ones are signs of life. Must be called within a transaction, after the states of the devices were saved.
    func recordOldPositions(
        _ spans: [Int: OldPositions], at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        for (deviceIndex, span) in spans.sorted(by: { $0.key < $1.key }) {
            let key = loadedDevices[deviceIndex].key
            var lag = clockLags[key] ?? ClockLag()
            lag.add(oldest: span.oldest, newest: span.newest, receivedAt: now)
            clockLags[key] = lag
            let device = loadedDevices[deviceIndex].state.device
            if span.hasLate, lag.isLive, needsSignOfLife(deviceIndex, at: now) {
                try recordSignOfLife(deviceId: device.id, at: now, in: transaction)
            }
            guard lag.isClockBehind else { continue }
            let problem = Problem.deviceBehindClock(
                device: device.id, time: span.newest, lag: (now - span.newest).rounded())
            try recordContinuing(
                problem, source: DeviceProblem.clockBehind.source(of: device.id), device: device.id, at: now, in: transaction)
        }
    }

    /// Whether a sign of life is worth recording: once a minute, or more often if the device is silent soon after.
    private func needsSignOfLife(_ deviceIndex: Int, at now: Instant) -> Bool {
        let state = loadedDevices[deviceIndex].state
        guard let heard = state.lastHeard, !state.isSilent else { return true }
        return now + -state.lag - heard >= min(60, state.device.silentAfter / 4)
    }

    // MARK: - Two senders

    /// Follows the jumps of a device's positions. Must be called before a fix that is not late is evaluated, if `canJump(to:)` of
    /// its device is true.
    ///
    /// - Returns: What was detected; nil if it can be outliers.
    func followJump(ofDeviceAt deviceIndex: Int, to fix: Fix) -> SharedIDDetector.Detection? {
        let state = loadedDevices[deviceIndex].state
        guard let newest = state.newest else { return nil }
        let before = state.outlierCandidate.map { $0.time >= newest.time ? $0 : newest } ?? newest
        guard SharedIDDetector.isJump(from: before, to: fix, state.policy) else { return nil }
        return sharedIDs[loadedDevices[deviceIndex].key, default: SharedIDDetector()].addJump(from: before, to: fix)
    }

    /// Records that two senders use the ids of devices.
    func recordSharedIDs(
        _ findings: [Int: SharedIDDetector.Detection], at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        for (deviceIndex, finding) in findings.sorted(by: { $0.key < $1.key }) {
            let device = loadedDevices[deviceIndex].state.device.id
            try recordContinuing(
                finding.problem(device: device), source: DeviceProblem.sharedID.source(of: device), device: device, at: now,
                in: transaction)
        }
    }

    /// Reads the sources of open problems from the store, on first use.
    private func readIntakeProblems() throws(Problem) {
        if intakeProblems != nil { return }
        var open = OpenIntakeProblems()
        let prefixes = [DeviceProblem.clock, .clockBehind, .sharedID].map(\.rawValue)
        for prefix in [Self.anonymousIntakeSource] + prefixes {
            for source in try store.problemSources(startingWith: prefix) {
                guard let standing = try store.problem(ofSource: source) else { continue }
                open.recordCause(of: source, device: ProblemSource(source).deviceID, at: standing.lastAt, isSaved: true)
            }
        }
        intakeProblems = open
    }
}

/// The positions of a device that arrived together and are at least `ClockLag.threshold` old.
struct OldPositions {
    private(set) var oldest: Instant
    private(set) var newest: Instant
    /// Whether one of them is late.
    private(set) var hasLate: Bool

    init(_ time: Instant, isLate: Bool) { (oldest, newest, hasLate) = (time, time, isLate) }

    mutating func add(_ time: Instant, isLate: Bool) {
        (oldest, newest, hasLate) = (min(oldest, time), max(newest, time), hasLate || isLate)
    }
}

extension PicketStore.RefusedInput: JSONWritable {
    package static let output = JSONOutput<PicketStore.RefusedInput>(
        "RefusedInput", summary: "Why data of a device was invalid, and how often",
        .init("kind", kind: .word, summary: "What was wrong", content: \.kind),
        .init("field", kind: .text, summary: "The field as the input writes it", content: \.field),
        .init("reason", summary: "The reason in English", reason: \.reason),
        .init("count", kind: .whole, summary: "How often it happened", content: \.count),
        .init("firstAt", kind: .time, summary: "The first time", content: \.firstAt),
        .init("lastAt", kind: .time, summary: "The last time", content: \.lastAt))

    package var json: JSONValue { json(in: AnswerLocale()) }
}
