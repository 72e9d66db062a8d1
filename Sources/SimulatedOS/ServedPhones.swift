import Model
import Synchronization
import Workers

/// The thread of a running service that runs the simulated phones.
final class ServedPhones: Sendable {
    enum Work: Sendable {
        /// Committed positions, and the number of the newest one; nil if positions are not stored.
        case show([RegistryFile.Positions], upTo: Int64?)
        /// A call with the file and the reason why phones have not received all positions; nil if they have.
        case call(@Sendable (LockedRegistryFile, Problem?) -> Void)
    }

    /// How far the phones have processed the committed positions. Shared by several threads.
    final class PhoneProgress: Sendable {
        /// The phones have processed all positions up to this number; negative while the number is unknown.
        let shownUpTo = Atomic<Int64>(-1)
        /// The number of unfinished work items that may change `shownUpTo`.
        let waiting = Atomic<Int>(0)
        /// Whether positions were missed, so that they have to be read from the store.
        let isBehind = Atomic<Bool>(true)
    }

    private let queue = WorkQueue<Work>()
    private let progress = PhoneProgress()
    private let threads: WorkThreads
    private let failed: @Sendable (Problem) -> Void
    private let othersChanged: @Sendable () -> Void
    /// Whether the thread has been asked at least once whether other processes have changed phones.
    private let hasLooked = Atomic<Bool>(false)
    /// Whether the thread still has to answer.
    private let isLooking = Atomic<Bool>(false)

    init(_ file: LockedRegistryFile, _ observer: PhoneObserver) {
        failed = observer.failed
        othersChanged = observer.othersChanged
        let (queue, progress) = (queue, progress)
        threads = WorkThreads("picket phones") {
            var loop = Loop(file: file, observer: observer, progress: progress)
            loop.run(queue)
        }
    }

    var shownUpTo: Int64? {
        let number = progress.shownUpTo.load(ordering: .acquiring)
        return number < 0 ? nil : number
    }

    /// Adds a work item. Returns false if the thread was stopped.
    func add(_ work: Work) -> Bool {
        if case .call = work { return queue.add(work) }
        progress.waiting.add(1, ordering: .acquiringAndReleasing)
        if queue.add(work) { return true }
        // The next run of the service passes these positions to the phones.
        progress.isBehind.store(true, ordering: .releasing)
        return false
    }

    /// See `SimulatedPhones.committed(_:upTo:)`. Must be called by one thread only.
    func committed(_ positions: [RegistryFile.Positions], upTo number: Int64?) {
        if !positions.isEmpty { _ = add(.show(positions, upTo: number)) }
        // The order of these two reads matters: failing work sets `isBehind` before it decreases `waiting`.
        guard positions.isEmpty, let number, progress.waiting.load(ordering: .acquiring) == 0,
            !progress.isBehind.load(ordering: .acquiring)
        else { return }
        progress.shownUpTo.store(number, ordering: .releasing)
    }

    /// Changes the file, if it exists, after all work that was added before. Returns at once; errors are passed to the observer.
    func changeLater(_ body: @escaping @Sendable (RegistryFile) throws(Problem) -> Void) {
        _ = queue.add(
            .call { [failed] file, _ in
                guard file.exists else { return }
                do throws(Problem) {
                    try file.use(body)
                } catch {
                    failed(error)
                }
            })
    }

    /// See `SimulatedPhones.checkForForeignChanges()`.
    func checkForForeignChanges() {
        guard !isLooking.exchange(true, ordering: .relaxed) else { return }
        _ = queue.add(
            .call { [self] file, _ in
                defer { isLooking.store(false, ordering: .relaxed) }
                let isFirst = !hasLooked.exchange(true, ordering: .relaxed)
                guard file.exists else { return }
                do throws(Problem) {
                    let hasChanged = try file.use { file throws(Problem) in try file.hasForeignChange() }
                    if hasChanged, !isFirst { othersChanged() }
                } catch {
                    // A file that cannot be used is reported by the work that needs it.
                }
            })
    }

    func stop() {
        queue.close()
        threads.join()
    }

    /// The state and the work of the thread.
    private struct Loop {
        let file: LockedRegistryFile
        let observer: PhoneObserver
        let progress: PhoneProgress
        /// Why positions were missed; nil if none were.
        private var lastProblem: Problem?
        private var triedAt = ContinuousClock.now
        /// The positions to pass to the phones next. `upTo` is the number of the newest one.
        private var positions: [RegistryFile.Positions] = []
        private var upTo: Int64?
        private var batches = 0

        /// The minimum number of seconds between a failure and the next attempt.
        private static let pause = 1.0
        /// The number of positions from which on they are passed to the phones at once.
        private static let most = 10_000

        init(file: LockedRegistryFile, observer: PhoneObserver, progress: PhoneProgress) {
            self.file = file
            self.observer = observer
            self.progress = progress
        }

        mutating func run(_ queue: WorkQueue<Work>) {
            catchUp()
            var emptied: [Work] = []
            while let work = queue.takeAll(emptied, waitingAtMost: lastProblem == nil ? .infinity : Self.pause) {
                if lastProblem != nil, ContinuousClock.now - triedAt >= .seconds(Self.pause) { catchUp() }
                for item in work {
                    switch item {
                    case .show(let more, let number):
                        positions += more
                        if let number { upTo = number }
                        batches += 1
                        if positions.count >= Self.most { flush() }
                    case .call(let body):
                        flush()
                        body(file, lastProblem)
                    }
                }
                flush()
                emptied = work
            }
        }

        /// Passes the collected positions to the phones. While the file cannot be used, the positions are discarded, because they can be
        /// read from the store later.
        private mutating func flush() {
            guard batches > 0 else { return }
            if lastProblem == nil {
                do throws(Problem) {
                    if !positions.isEmpty { try observe(positions) }
                    if let upTo { progress.shownUpTo.store(upTo, ordering: .releasing) }
                } catch {
                    fail(error)
                    observer.failed(error)
                }
            }
            positions.removeAll(keepingCapacity: true)
            upTo = nil
            progress.waiting.subtract(batches, ordering: .acquiringAndReleasing)
            batches = 0
        }

        private func observe(_ positions: [RegistryFile.Positions]) throws(Problem) {
            let shown = try file.use { file throws(Problem) in try file.observe(positions.merged) }
            for (device, reports) in shown.reports { observer.reportsReceived(device, reports) }
            for problem in shown.problems { observer.failed(problem) }
        }

        private mutating func fail(_ problem: Problem) {
            lastProblem = problem
            triedAt = .now
            progress.isBehind.store(true, ordering: .releasing)
        }

        /// Passes the positions to the phones that they missed, because the process was killed or the file could not be used.
        private mutating func catchUp() {
            do throws(Problem) {
                let number = progress.shownUpTo.load(ordering: .relaxed)
                var from = number < 0 ? nil : number
                while true {
                    let missing = try observer.missedPositions(from)
                    if !missing.positions.isEmpty { try observe(missing.positions) }
                    from = missing.upTo
                    progress.shownUpTo.store(missing.upTo, ordering: .releasing)
                    if !missing.hasMore { break }
                }
                lastProblem = nil
                progress.isBehind.store(false, ordering: .releasing)
            } catch {
                let isNews = lastProblem == nil
                fail(error)
                if isNews { observer.failed(error) }
            }
        }
    }
}

extension [RegistryFile.Positions] {
    /// The same positions with one element per device.
    var merged: [RegistryFile.Positions] {
        var merged: [RegistryFile.Positions] = []
        var places: [String: Int] = [:]
        for one in self {
            if let place = places[one.device.id] {
                merged[place].fixes += one.fixes
                // Use the newest version of the device.
                merged[place].device = one.device
            } else {
                places[one.device.id] = merged.count
                merged.append(one)
            }
        }
        return merged
    }
}
