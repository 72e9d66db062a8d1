import Model

/// Runs the work of tasks one after the other, in the order in which they request it.
actor Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` when all earlier work has finished.
    func run<Result: Sendable>(
        _ body: @Sendable () async throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        if isTaken { await withCheckedContinuation { waiting.append($0) } }
        isTaken = true
        defer { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
        return try await body()
    }
}
