import Model
import Registry
import Synchronization
import Workers

/// The thread of a running service on which simulated phones live.
final class ServedPhones: Sendable {
    enum Work: Sendable {
        /// Positions that are committed; the newest has this number.
        case show([RegistryFile.Positions], upTo: Int64?)
        /// Is also told why phones have not been shown all positions; nil when they have.
        case call(@Sendable (LockedRegistryFile, Problem?) -> Void)
    }

    /// How far the phones have come.
    final class Progress: Sendable {
        /// Phones have been shown all positions up to this number; negative while that is not known.
        let shownUpTo = Atomic<Int64>(-1)
        /// Work that may change `shownUpTo` and is not done.
        let waiting = Atomic<Int>(0)
        /// Whether positions are missing that the store has to be asked for.
        let isBehind = Atomic<Bool>(true)
    }

    private let queue = WorkQueue<Work>()
    private let progress = Progress()
    private let threads: WorkThreads
    private let failed: @Sendable (Problem) -> Void

    init(_ file: LockedRegistryFile, _ observer: PhoneObserver) {
        failed = observer.failed
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

    /// Adds something to do; false when the thread has been stopped.
    func add(_ work: Work) -> Bool {
        if case .call = work { return queue.add(work) }
        progress.waiting.add(1, ordering: .acquiringAndReleasing)
        if queue.add(work) { return true }
        // What is not shown is shown by the next run.
        progress.isBehind.store(true, ordering: .releasing)
        return false
    }

    /// See `SimulatedPhones.committed(_:upTo:)`. One thread alone may call it.
    func committed(_ positions: [RegistryFile.Positions], upTo number: Int64?) {
        if !positions.isEmpty { _ = add(.show(positions, upTo: number)) }
        // In this order: work that has failed says that positions are missing before it waits no longer.
        guard positions.isEmpty, let number, progress.waiting.load(ordering: .acquiring) == 0,
            !progress.isBehind.load(ordering: .acquiring)
        else { return }
        progress.shownUpTo.store(number, ordering: .releasing)
    }

    /// Changes the file, if there is one, after everything that was handed in before. Nobody waits for it.
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

    func stop() {
        queue.close()
        threads.join()
    }

    /// What the thread does.
    private struct Loop {
        let file: LockedRegistryFile
        let observer: PhoneObserver
        let progress: Progress
        /// Why positions are missing.
        private var flaw: Problem?
        private var triedAt = ContinuousClock.now
        /// The next to be shown, and the number of the newest.
        private var positions: [RegistryFile.Positions] = []
        private var upTo: Int64?
        private var batches = 0

        /// Seconds from a failure to the next attempt, at least.
        private static let pause = 1.0
        /// Positions that are shown in one transaction, at most.
        private static let most = 10_000

        init(file: LockedRegistryFile, observer: PhoneObserver, progress: Progress) {
            self.file = file
            self.observer = observer
            self.progress = progress
        }

        mutating func run(_ queue: WorkQueue<Work>) {
            catchUp()
            var emptied: [Work] = []
            while let work = queue.takeAll(emptied, waitingAtMost: flaw == nil ? .infinity : Self.pause) {
                if flaw != nil, ContinuousClock.now - triedAt >= .seconds(Self.pause) { catchUp() }
                for item in work {
                    switch item {
                    case .show(let more, let number):
                        positions += more
                        if let number { upTo = number }
                        batches += 1
                        if positions.count >= Self.most { show() }
                    case .call(let body):
                        show()
                        body(file, flaw)
                    }
                }
                show()
                emptied = work
            }
        }

        /// Shows what was handed in. While the file cannot be used, nothing of it is kept: the store has it.
        private mutating func show() {
            guard batches > 0 else { return }
            if flaw == nil {
                do throws(Problem) {
                    if !positions.isEmpty { try show(positions) }
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

        private func show(_ positions: [RegistryFile.Positions]) throws(Problem) {
            let shown = try file.use { file throws(Problem) in try file.show(positions.merged) }
            for (device, reports) in shown.reports { observer.told(device, reports) }
            for problem in shown.problems { observer.failed(problem) }
        }

        private mutating func fail(_ problem: Problem) {
            flaw = problem
            triedAt = .now
            progress.isBehind.store(true, ordering: .releasing)
        }

        /// Shows the positions that phones have missed: before a kill of the process, or while the file could not be used.
        private mutating func catchUp() {
            do throws(Problem) {
                let number = progress.shownUpTo.load(ordering: .relaxed)
                var from = number < 0 ? nil : number
                while true {
                    let missing = try observer.missing(from)
                    if !missing.positions.isEmpty { try show(missing.positions) }
                    from = missing.upTo
                    progress.shownUpTo.store(missing.upTo, ordering: .releasing)
                    if !missing.hasMore { break }
                }
                flaw = nil
                progress.isBehind.store(false, ordering: .releasing)
            } catch {
                let isNews = flaw == nil
                fail(error)
                if isNews { observer.failed(error) }
            }
        }
    }
}

extension [RegistryFile.Positions] {
    /// The same with one element for each device.
    var merged: [RegistryFile.Positions] {
        var merged: [RegistryFile.Positions] = []
        var places: [String: Int] = [:]
        for one in self {
            if let place = places[one.device.id] {
                merged[place].fixes += one.fixes
                // As it is now.
                merged[place].device = one.device
            } else {
                places[one.device.id] = merged.count
                merged.append(one)
            }
        }
        return merged
    }
}
