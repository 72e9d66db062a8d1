import Foundation
import Model
import Store
import Synchronization

/// What the writer's thread does, which makes it and keeps it: neither it nor its `ServiceWriter` is `Sendable`.
final class WriterLoop {
    private let service: ServiceWriter
    private let inbox: WriterInbox
    private let ordering: FixOrdering
    private let log: LogSync
    private let checkpoint: LogCheckpoint
    /// How many pages had been written when the log was last brought into the file.
    private var pages = 0
    private let isBehind: Flag
    /// Whether what was committed counts as kept only when it is synced.
    private let waitsForSync: Bool
    /// When the log was last synced though nobody waits for it.
    private var syncedAt = ContinuousClock.now
    private let observer: Writer.Observer
    /// Whether something was written that is not yet known to be kept.
    private var hasWritten = false
    /// Whether what is derived could not be written the last time.
    private var cannotWriteDerived = false
    private let failures: StoreFailures
    /// Events that are committed, and not yet known to be kept.
    private var committed: [Event] = []
    private var committedNotices: [ServiceNotice] = []
    /// Whether the edit at hand has phones forgotten.
    private var removesPhones = false
    /// Who waits until what is derived is written, and how much of it.
    private var settling: [(goal: ServiceWriter.WritingGoal, told: @Sendable () -> Void)] = []
    /// Requests that go on once all fixes are in order.
    private var waitingForOrder: [PositionRequest] = []
    /// The requests of the next transaction, and the rows of each that it takes.
    private var group: [(request: PositionRequest, intake: PositionIntake, rows: Range<Int>)] = []
    private var rowsInGroup = 0
    /// So many fixes go into one transaction at most: others wait no longer than for these.
    private static let mostInGroup = 5_000
    /// So many fixes of a request are judged at once at most.
    private static let mostOfRequest = 1_500
    /// Microseconds for others to come along, where a transaction costs more than to judge its fixes.
    private static let linger: UInt32 = 100

    init(
        service: ServiceWriter, inbox: WriterInbox, ordering: FixOrdering, log: LogSync, checkpoint: LogCheckpoint,
        isBehind: Flag, waitsForSync: Bool, observer: Writer.Observer
    ) {
        self.isBehind = isBehind
        self.checkpoint = checkpoint
        self.waitsForSync = waitsForSync
        self.service = service
        self.inbox = inbox
        self.ordering = ordering
        self.log = log
        self.observer = observer
        failures = StoreFailures(observer)
        service.onCommit = { [unowned self] in committed += $0 }
        service.onNotice = { [unowned self] in committedNotices += $0 }
        service.onPhonesRemoved = { [unowned self] in removesPhones = true }
        service.onWritten = { [unowned self] in hasWritten = true }
        service.onStoreFailure = { [unowned self] problem in
            // What was written before it does not say that the store can be written now.
            hasWritten = false
            failures.add(problem)
        }
    }

    func run() {
        var work: [WriterInbox.Work] = []
        var hasCompany = false
        while true {
            // Without a sync to wait for, requests would come to a transaction one by one. A client alone waits for nobody.
            let linger = waitsForSync || !hasCompany ? 0 : Self.linger
            guard let taken = inbox.queue.takeAll(work, waitingAtMost: patience(), lingering: linger) else { break }
            hasCompany = taken.count > 1
            for item in taken {
                switch item {
                case .positions(let request):
                    add(request)
                case .ordered:
                    let requests = waitingForOrder
                    waitingForOrder.removeAll()
                    for request in requests { add(request, isInOrder: true) }
                case .edit(let body):
                    takeGroup()
                    if let problem = mend() {
                        body(.failure(problem))(nil)
                    } else {
                        let told = body(.success(service))
                        noteBehind()
                        afterSync(removesPhones ? tellingAfterPhones(told) : told)
                        removesPhones = false
                    }
                case .settle(let told):
                    takeGroup()
                    settle(told)
                }
            }
            takeGroup()
            if service.isWritingDue || !settling.isEmpty { write(all: false) }
            tellSettled()
            do throws(Problem) {
                try checkpoint.run(service.store, since: &pages)
            } catch {
                observer.problem(error)
            }
            work = taken
        }
        for request in waitingForOrder { add(request, isInOrder: true) }
        // What is left of a request comes back into the group.
        while !group.isEmpty { takeGroup() }
        // Phones see what was handed in, so that it is noted as shown.
        service.phones.stop()
        write(all: true)
        for (_, told) in settling { told() }
        noteStatesSaved()
        if !waitsForSync {
            do throws(Problem) {
                try service.store.endUnsyncedCommits()
            } catch {
                observer.problem(error)
            }
        }
    }

    /// Seconds until there is something to do though nothing comes.
    private func patience() -> Double {
        if !settling.isEmpty { return 0 }
        // What cannot be written now is tried again with what comes next.
        if !service.isBehind || cannotWriteDerived { return .infinity }
        return service.isWritingDue ? 0 : WriteBehind.patience.seconds
    }

    /// Writes what is derived. When that fails, it waits on: nothing is lost, and whoever writes next finds out.
    ///
    /// - Parameter isAll: Whether all of it is written; else a part, which takes some milliseconds.
    private func write(all isAll: Bool) {
        do {
            try isAll ? service.writeAllDerived() : service.writeDerived(for: settling.first?.goal)
            cannotWriteDerived = false
        } catch {
            cannotWriteDerived = true
            observer.problem(error)
        }
        noteBehind()
    }

    /// Has everything written that waits now, some of it at a time, and then calls `told`.
    private func settle(_ told: @escaping @Sendable () -> Void) {
        guard service.isBehind else { return told() }
        do throws(Problem) {
            settling.append((try service.writingGoal(isOnly: settling.isEmpty), told))
        } catch {
            observer.problem(error)
            told()
        }
    }

    /// Tells those that what they wait for is written, or cannot be.
    private func tellSettled() {
        settling.removeAll { goal, told in
            guard cannotWriteDerived || service.hasReached(goal) else { return false }
            told()
            return true
        }
    }

    /// Notes that all states are written, so that whoever opens the store next need not look for others.
    private func noteStatesSaved() {
        do {
            try service.transaction { () throws(Problem) in try service.noteStatesSaved() }
        } catch {
            observer.problem(error)
        }
    }

    /// Tells readers whether there is something that they cannot read yet. To be called before anybody is told of it.
    private func noteBehind() { isBehind.value.store(service.isBehind, ordering: .releasing) }

    /// Adds a request to the next transaction, or the next part of one with many positions. What has to be searched for in the order of fixes
    /// waits until that is up to date.
    private func add(_ request: PositionRequest, isInOrder: Bool = false) {
        let rows = request.rows(atMost: Self.mostOfRequest)
        // Those who came before a part of a large request do not wait for it. They are done with before anything is looked up: when they
        // fail, the slots of their devices are given away.
        if rowsInGroup + rows.count > Self.mostInGroup || rows.count < request.batch.batch.rows.count { takeGroup() }
        var intake = PositionIntake(service: service, policy: request.policy)
        if !isInOrder, mustWaitForOrder(&intake, request.batch, rows) {
            waitingForOrder.append(request)
            if waitingForOrder.count == 1 {
                // While the queue is closed, this loop ends, and does what waits.
                ordering.order { [inbox] in _ = inbox.queue.add(.ordered) }
            }
            return
        }
        group.append((request, intake, rows))
        rowsInGroup += rows.count
    }

    /// Whether a request has to search for positions while many are not in order. What goes wrong with that, whoever judges finds out.
    private func mustWaitForOrder(_ intake: inout PositionIntake, _ batch: TimeOrderedBatch, _ rows: Range<Int>) -> Bool {
        do throws(Problem) {
            guard try intake.mayRepeat(batch, rows: rows) else { return false }
            return try service.store.unorderedFixCount() > FixOrdering.most
        } catch {
            return false
        }
    }

    private func takeGroup() {
        if group.isEmpty { return }
        let requests = group
        group.removeAll()
        rowsInGroup = 0
        take(requests)
    }

    /// Tells why the rows of a request from `rows` on are not kept.
    private func fail(_ request: PositionRequest, _ rows: Range<Int>, _ problem: Problem) {
        inbox.judged(request.batch.batch.rows.count - rows.lowerBound)
        request.told(.failure(problem))
    }

    /// Judges and stores positions of requests in one transaction.
    private func take(_ requests: [(request: PositionRequest, intake: PositionIntake, rows: Range<Int>)]) {
        if let problem = mend() {
            for (request, _, rows) in requests { fail(request, rows, problem) }
            return
        }
        let start = ContinuousClock.now
        do {
            var seen: [Int: [Fix]] = [:]
            var number: Int64?
            var newest: Instant?
            var moved: [LivePosition] = []
            let followsDevices = observer.followsDevices()
            let results = try service.transaction(ofPositions: true) { () throws(Problem) in
                var group = try IntakeGroup(service)
                var results: [IntakeResult] = []
                results.reserveCapacity(requests.count)
                for (request, intake, rows) in requests {
                    var intake = intake
                    results.append(try intake.judge(request.batch, rows: rows, in: &group))
                }
                if followsDevices { moved = group.newestPositions }
                try group.saveStates()
                seen = group.seen
                number = group.newestNumber
                newest = group.newest
                return results
            }
            noteBehind()
            // Handed in before anybody is answered: whoever asks for a phone's health then waits until it has seen them.
            service.handIn(seen, upTo: number)
            observer.group(.init(results: results, newest: newest, seconds: (ContinuousClock.now - start).seconds))
            var done: [PositionRequest] = []
            var rest: [PositionRequest] = []
            for (index, (request, _, rows)) in requests.enumerated() {
                var request = request
                inbox.judged(rows.count)
                if request.add(results[index], rows: rows) { done.append(request) } else { rest.append(request) }
            }
            afterSync { [observer, moved, done] problem in
                if problem == nil { observer.kept(moved) }
                for request in done { request.tell(problem) }
            }
            for request in rest where !inbox.queue.add(.positions(request)) { add(request, isInOrder: true) }
        } catch {
            noteBehind()
            // One request must not fail for what is wrong with another: each by itself, unless it is the store.
            if requests.count > 1, !error.isOfStore {
                for (request, _, rows) in requests {
                    take([(request, PositionIntake(service: service, policy: request.policy), rows)])
                }
            } else {
                for (request, _, rows) in requests { fail(request, rows, error) }
            }
        }
    }

    /// After a sync of the log that failed, brings what is in the log into the file itself.
    ///
    /// - Returns: Why that cannot be done yet; nil when all is well.
    private func mend() -> Problem? {
        guard waitsForSync, let problem = log.problem else { return nil }
        let newest: Int64
        do throws(Problem) {
            guard try service.store.emptyLog() else {
                failures.add(problem)
                return problem
            }
            newest = try service.store.newestSequence()
        } catch {
            failures.add(error)
            return error
        }
        log.mend()
        observer.recovered(newest)
        return nil
    }

    /// Lets the owner of the phones do first what it was asked for: whoever is answered that a device was made may go on with its phone
    /// beside the service.
    private func tellingAfterPhones(_ told: @escaping @Sendable (Problem?) -> Void) -> @Sendable (Problem?) -> Void {
        { [phones = service.phones] problem in phones.afterAll { told(problem) } }
    }

    /// Tells of what was committed when it is kept, and then of its events.
    private func afterSync(_ told: @escaping @Sendable (Problem?) -> Void) {
        let (events, notices) = (committed, committedNotices)
        committed.removeAll()
        committedNotices.removeAll()
        let observer = observer
        let isWrite = hasWritten
        hasWritten = false
        // A failure since then is newer than this success.
        let failuresBefore = failures.count
        let all: @Sendable (Problem?) -> Void = { [failures] problem in
            if let problem {
                if isWrite { failures.add(problem) }
            } else if isWrite, failures.count == failuresBefore {
                observer.storeWritten()
            }
            if !events.isEmpty, problem == nil { observer.events(events) }
            if !notices.isEmpty, problem == nil { observer.notices(notices) }
            told(problem)
        }
        if waitsForSync { return log.afterSync(all) }
        all(nil)
        // Nobody waits for it; but left alone, all of the log would go to the disk at once, and hold up whoever comes then.
        let now = ContinuousClock.now
        if now - syncedAt > .milliseconds(20) {
            syncedAt = now
            log.afterSync { _ in }
        }
    }
}

/// How often the store could not be written. Any thread may add a failure.
private final class StoreFailures: Sendable {
    private let number = Atomic<Int>(0)
    private let observer: Writer.Observer

    init(_ observer: Writer.Observer) { self.observer = observer }

    var count: Int { number.load(ordering: .relaxed) }

    /// Counts a failure and tells of it.
    func add(_ problem: Problem) {
        number.add(1, ordering: .relaxed)
        observer.storeFailed(problem)
    }
}
