import Core
import Model
import Presence

/// Reads a store on another thread than the writer's. After a failure, reading is tried again one second later at the earliest.
final class StoreReader {
    private let directory: DataDirectory
    private let clock: any WallClock
    private let failed: (Problem) -> Void
    private var open: ServiceReader?
    /// When the store may be read again after a failure; nil if there was none.
    private var againAt: ContinuousClock.Instant?
    /// The value of the store's change counter at the last call of `hasChanged`.
    private var counter: Int?

    /// - Parameter failed: Called with the problem when the store could not be read.
    init(_ directory: DataDirectory, clock: any WallClock, failed: @escaping (Problem) -> Void) {
        self.directory = directory
        self.clock = clock
        self.failed = failed
    }

    /// Whether the last attempt to read was successful.
    var works: Bool { againAt == nil }

    /// Reads from the store, unless reading failed less than a second ago.
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

    /// Whether anything was written since the last call, or whether that is unknown.
    func hasChanged(_ service: Queries) throws(Problem) -> Bool {
        let now = try service.changeCounter()
        defer { counter = now }
        return counter != now
    }

    /// Makes the next call of `hasChanged` return true.
    func resetChangeCounter() { counter = nil }

    func close() {
        open = nil
        counter = nil
    }
}
