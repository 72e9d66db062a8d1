import Model

/// Reads a store from a thread beside its writer's. What it cannot give now is asked for again a second later.
final class StoreReader {
    private let directory: DataDirectory
    private let clock: any WallClock
    private let failed: (Problem) -> Void
    private var open: ServiceReader?
    /// When to read again after the store could not be read.
    private var againAt: ContinuousClock.Instant?
    /// What the store's counter of changes was when `hasChanged` was last asked.
    private var counter: Int?

    /// - Parameter failed: Is told why the store could not be read.
    init(_ directory: DataDirectory, clock: any WallClock, failed: @escaping (Problem) -> Void) {
        self.directory = directory
        self.clock = clock
        self.failed = failed
    }

    /// Whether it can be read, as far as is known.
    var works: Bool { againAt == nil }

    /// Reads something, unless the store could not be read a moment ago.
    func read(_ body: (Queries) throws(Problem) -> Void) {
        if let againAt, ContinuousClock.now < againAt { return }
        do throws(Problem) {
            let service = if let open { open } else { try ServiceReader(directory, isSettled: false, clock: clock) }
            open = service.hasStore ? service : nil
            if open == nil { counter = nil }
            try body(service)
            againAt = nil
        } catch {
            close()
            againAt = ContinuousClock.now + .seconds(1)
            failed(error)
        }
    }

    /// Whether anything was written since this was last asked, or that is not known.
    func hasChanged(_ service: Queries) throws(Problem) -> Bool {
        let now = try service.changeCounter()
        defer { counter = now }
        return counter != now
    }

    /// Has `hasChanged` say so next time.
    func forgetChanges() { counter = nil }

    func close() {
        open = nil
        counter = nil
    }
}
