import Model

/// Lets tasks do something one after the other, in the order in which they ask.
actor Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Does something when all that asked before have finished.
    func run<Result: Sendable>(
        _ body: @Sendable () async throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
        return try await body()
    }
}
