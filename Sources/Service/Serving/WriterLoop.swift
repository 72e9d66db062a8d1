import Core
import Dispatch
import Foundation
import Model
import Presence
import SimulatedOS
import Store
import Workers

/// The work of the writer's thread. Created and used on that thread only, because neither this class nor its `ServiceWriter` is `Sendable`.
final class WriterLoop {
    private let service: ServiceWriter
    private let inbox: WriterInbox
    private let files: OpenStoreFiles
    private let log: WALSync
    private let checkpoint: WALCheckpoint
    private let isBehind: Flag
    /// Whether committed data counts as saved only after a sync.
    private let waitsForSync: Bool
    /// When the log was last synced without a caller waiting for it.
    private var syncedAt = ContinuousClock.now
    private let observer: Writer.Observer
    /// Whether the last attempt to write derived data failed.
    private var cannotWriteDerived = false
    private let failures: StoreFailures
    /// The answer of the edit whose change of the geofences is applied to devices in steps.
    private var heldAnswer: (@Sendable (Problem?) -> Void)?
    /// Whether derived data is written next, rather than a step of that change made.
    private var isTurnOfWriting = false
    /// How long the edits of the current turn have taken.
    private var editTime = Duration.zero
    /// The edits that wait until that change is applied to all devices, or for a later turn.
    private var waitingEdits: [WriterInbox.Edit] = []
    /// The callers that wait until derived data is written, and how much of it they need.
    private var settling: [(goal: WritingGoal, completion: (Problem?) -> Void)] = []
    /// Why fixes could not be sorted when this was last tried; nil if they were sorted.
    private var orderingProblem: Problem?
    /// The maximum number of times that a request waits until fixes are sorted.
    private static let mostSorts = 3
    /// The requests of the next transaction, and the rows of each that it includes.
    private var group: [IntakePart] = []
    private typealias IntakePart = (request: PositionRequest, rows: Range<Int>)
    private var rowsInGroup = 0
    /// The maximum number of fixes in a transaction, which limits how long others have to wait.
    private static let mostInGroup = 5_000
    /// The maximum number of fixes of one request in a transaction.
    private static let mostOfRequest = 1_500
    /// A request with at most this many fixes is evaluated entirely before later requests, however many events it causes.
    private static let mostInOrder = 200
    /// The number of events with which a transaction is full, which limits how long others have to wait. An event costs more than a fix.
    private static let mostEvents = 1_000
    /// Microseconds to wait for further requests if a commit costs more than evaluating the fixes.
    private static let linger: UInt32 = 100

    init(
        service: ServiceWriter, inbox: WriterInbox, files: OpenStoreFiles, log: WALSync, checkpoint: WALCheckpoint,
        isBehind: Flag, waitsForSync: Bool, observer: Writer.Observer
    ) {
        self.isBehind = isBehind
        self.checkpoint = checkpoint
        self.waitsForSync = waitsForSync
        self.service = service
        self.inbox = inbox
        self.files = files
        self.log = log
        self.observer = observer
        failures = StoreFailures(observer)
        service.keepNews()
        service.followsDevices = observer.followsDevices
        service.sortFixesInParallel = { [unowned self] in sortFixesInParallel() }
    }

    func run() {
        var work: [WriterInbox.Work] = []
        var hasCompany = false
        while true {
            editTime = .zero
            // If there is no sync to wait for, each request would get its own transaction, so the loop waits a little for others. A single
            // client does not have to wait.
            let linger = waitsForSync || !hasCompany ? 0 : Self.linger
            guard let taken = inbox.queue.takeAll(work, waitingAtMost: longestWait(), lingering: linger) else { break }
            hasCompany = taken.count > 1
            for item in taken {
                switch item {
                case .positions(let request):
                    add(request)
                case .sorted(let pass): continueOrder(pass)
                case .edit(let body):
                    processGroup()
                    // The order of edits stays.
                    if isChangingFences || !hasTimeForEdit { waitingEdits.append(body) } else { edit(body) }
                case .check(let body):
                    processGroup()
                    check(body)
                case .release(let completion): completion()
                case .settle(let isOfOrder, let completion):
                    processGroup()
                    writeDerived(order: isOfOrder, then: completion)
                }
            }
            processGroup()
            // One step at a time, in turn, because a position that comes meanwhile waits for it.
            let isWritingDue = service.isWritingDue(for: goal)
            if isChangingFences, !isWritingDue || !isTurnOfWriting {
                continueEdits()
                isTurnOfWriting = true
            } else if isWritingDue {
                writeDerived(all: false)
                isTurnOfWriting = false
            }
            completeWaiting()
            processGroup()
            do throws(Problem) {
                try checkpoint.startOrComplete(service.store, free: service.freeBytes)
            } catch {
                observer.problem(error)
            }
            work = taken
        }
        service.sortFixesInParallel = nil
        // The remaining rows of a request are added to the group again, and requests that wait for the order when it is complete.
        while !group.isEmpty || !settling.isEmpty {
            processGroup()
            writeDerived(all: false)
            completeWaiting()
        }
        while isChangingFences, continueEdits() { editTime = .zero }
        // The phones process everything that was passed to them, so that this can be recorded.
        service.phones.stop()
        writeDerived(all: true)
        recordStatesSaved()
        if !waitsForSync {
            do throws(Problem) {
                try service.store.endUnsyncedCommits()
            } catch {
                observer.problem(error)
            }
        }
    }

    /// The maximum number of seconds to wait for further work.
    private func longestWait() -> Double {
        if heldAnswer != nil || !waitingEdits.isEmpty { return 0 }
        // Data that could not be written is tried again with the next work.
        if cannotWriteDerived, settling.isEmpty || service.isSortingFixes { return .infinity }
        if service.isWritingDue(for: goal) { return 0 }
        return service.isBehind ? WriteBehind.statePatience.seconds : .infinity
    }

    /// Whether a change of the geofences is not applied to all devices yet, or callers wait for that.
    private var isChangingFences: Bool { service.hasOpenFenceChange || heldAnswer != nil || !waitingEdits.isEmpty }

    /// Performs an edit. If it changes geofences for so many devices that this is done in steps, its caller gets the result after the last one.
    private func edit(_ body: WriterInbox.Edit) {
        let start = ContinuousClock.now
        defer { editTime += ContinuousClock.now - start }
        if let problem = refusal() { return body(.failure(problem))(nil) }
        let completion = body(.success(service))
        noteCommits()
        guard service.hasOpenFenceChange else { return afterSync(completion) }
        heldAnswer = completion
        // The events of this transaction are published when they are saved.
        afterSync { _ in }
    }

    /// Performs a check that changes nothing. It does not wait for edits.
    private func check(_ body: WriterInbox.Edit) {
        if let problem = refusal() { return body(.failure(problem))(nil) }
        afterSync(body(.success(service)))
    }

    /// Whether the current turn has time for another edit. Edits that come together take several turns, so that positions that come meanwhile
    /// do not wait for all of them.
    private var hasTimeForEdit: Bool { editTime <= service.editTimeInTurn }

    /// Applies the open change of the geofences to the next devices. After the last ones, answers the edit that made the change. If there is no
    /// such change, performs edits that wait. If a step fails, so do all these; the next work or the next start continues the change.
    ///
    /// - Returns: False if the step failed.
    @discardableResult
    private func continueEdits() -> Bool {
        do throws(Problem) {
            if service.hasOpenFenceChange {
                if let problem = refusal() { throw problem }
                try service.continueFenceChange()
                noteCommits()
            }
            let answer = service.hasOpenFenceChange ? nil : heldAnswer.take()
            afterSync(answer ?? { _ in })
            while !service.hasOpenFenceChange, hasTimeForEdit, !waitingEdits.isEmpty { edit(waitingEdits.removeFirst()) }
            return true
        } catch {
            noteCommits()
            heldAnswer.take()?(error)
            for body in waitingEdits { body(.failure(error))(nil) }
            waitingEdits.removeAll()
            return false
        }
    }

    /// What callers wait for; nil if none waits.
    private var goal: WritingGoal? { settling.isEmpty ? nil : .all(settling.map(\.goal)) }

    /// Writes derived data. If that fails, the data stays in memory, and it is tried again later.
    ///
    /// - Parameter isAll: Whether all states and indexes are written; otherwise only a part of a table, which takes a few milliseconds.
    private func writeDerived(all isAll: Bool) {
        do {
            try isAll ? service.writeAllDerived() : service.writeDerived(for: goal)
            cannotWriteDerived = false
        } catch {
            cannotWrite(service.lastWrittenTable, error)
        }
        noteCommits()
    }

    /// Reports the problem that prevented writing a table to those who wait for it.
    private func cannotWrite(_ table: DerivedTable?, _ problem: Problem) {
        cannotWriteDerived = true
        observer.problem(problem)
        completeWaiting { service.needs(table, for: $0) ? problem : nil }
    }

    /// Writes all states and indexes, or the order, of what is stored now, in parts. Then calls `completion`, not before this returns.
    private func writeDerived(order isOfOrder: Bool, then completion: @escaping (Problem?) -> Void) {
        do throws(Problem) {
            settling.append(
                (isOfOrder ? try service.orderGoal() : try service.writingGoal(isOnly: settling.isEmpty), completion))
        } catch {
            observer.problem(error)
            settling.append((.all([]), { _ in completion(error) }))
        }
    }

    /// Calls the waiting functions whose data is written or cannot be written.
    private func completeWaiting(failure: (WritingGoal) -> Problem? = { _ in nil }) {
        let waiting = settling
        settling.removeAll()
        for (goal, completion) in waiting {
            let problem = failure(goal)
            if problem != nil || service.hasReached(goal) { completion(problem) } else { settling.append((goal, completion)) }
        }
    }

    /// Reads and sorts fixes on another thread, while this one writes.
    private func sortFixesInParallel() {
        let (path, removals) = (service.directory.storePath, service.store.fixRemovals)
        DispatchQueue.global().async { [inbox] in
            let pass = Result { () throws(Problem) in
                let store = try PicketStore(reading: path)
                return try store.snapshot { () throws(Problem) in try store.fixOrderPass(removals: removals) }
            }
            _ = inbox.queue.add(.sorted(pass))
        }
    }

    private func continueOrder(_ pass: Result<FixOrderPass?, Problem>) {
        do throws(Problem) {
            try service.continueOrder(pass)
        } catch {
            cannotWrite(.fixOrder, error)
        }
    }

    /// Records that all states are written, so that the next process to open the store need not search for missing ones.
    private func recordStatesSaved() {
        do {
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.recordStatesSaved(in: transaction)
            }
        } catch {
            observer.problem(error)
        }
    }

    /// Updates the flag that shows readers whether there is data that they cannot read yet, and reports failures of the store. Must be called
    /// before a caller gets the result of a transaction.
    private func noteCommits() {
        isBehind.value.store(service.isBehind, ordering: .releasing)
        for problem in service.takeStoreFailures() { failures.add(problem) }
    }

    /// Adds a request, or the next part of a large one, to the next transaction.
    private func add(_ request: PositionRequest) {
        let rows = request.rows(atMost: Self.mostOfRequest)
        // Requests that came before a part of a large request do not wait for it.
        if rowsInGroup + rows.count > Self.mostInGroup || rows.count < request.batch.batch.rows.count { processGroup() }
        group.append((request, rows))
        rowsInGroup += rows.count
    }

    /// Lets a request wait until fixes are sorted.
    private func waitForOrder(_ request: PositionRequest) {
        var request = request
        request.sorts += 1
        writeDerived(order: true) { [unowned self, request] problem in
            orderingProblem = problem
            add(request)
        }
    }

    private func processGroup() {
        if group.isEmpty { return }
        let requests = group
        group.removeAll()
        rowsInGroup = 0
        processAll(requests)
    }

    /// Evaluates and stores positions of requests in as many transactions as they need.
    private func processAll(_ requests: [IntakePart]) {
        var waiting = requests
        while !waiting.isEmpty { waiting = process(waiting) }
    }

    /// Whether a request may still be processed. If not, reports that.
    private func isAdmitted(_ request: PositionRequest, _ rows: Range<Int>) -> Bool {
        do throws(Problem) {
            try request.admission?()
            if rows.lowerBound == 0 { try service.evaluateTimes(of: request.batch.batch) }
            return true
        } catch {
            fail(request, rows, error)
            return false
        }
    }

    /// Reports why the rows of a request from `rows` on were not saved.
    private func fail(_ request: PositionRequest, _ rows: Range<Int>, _ problem: Problem) {
        inbox.removeWaiting(request.batch.batch.rows.count - rows.lowerBound)
        request.completion(.failure(problem))
    }

    /// Evaluates and stores positions of requests in one transaction.
    ///
    /// - Returns: What is left because the positions have caused so many events. It precedes later requests, so that positions stay in order.
    ///   The rest of a long request is not included, but gets its next turn after other requests.
    private func process(_ waiting: [IntakePart]) -> [IntakePart] {
        let requests = waiting.filter { isAdmitted($0.request, $0.rows) }
        // While the clock is doubted, an alarm is recorded before its request is refused.
        if requests.isEmpty {
            afterSync { _ in }
            return []
        }
        if let problem = refusal() ?? freeSpaceProblem() {
            for (request, rows) in requests { fail(request, rows, problem) }
            afterSync { _ in }
            return []
        }
        let start = ContinuousClock.now
        // The place of the request that is being evaluated.
        var current = 0
        do {
            var seen: [Int: [Fix]] = [:]
            var number: Int64?
            var newest: Instant?
            let results = try service.transaction(ofPositions: true) { (transaction: borrowing Transaction) throws(Problem) in
                var group = try IntakeGroup(service, maxEvents: Self.mostEvents)
                var results: [(IntakeResult, rows: Range<Int>)] = []
                results.reserveCapacity(requests.count)
                for (place, (request, rows)) in requests.enumerated() where !group.isFull {
                    current = place
                    var (intake, left) = (PositionIntake(service: service, policy: request.policy), rows)
                    let result = try intake.evaluate(request.batch, rows: &left, in: &group, transaction)
                    results.append((result, rows.lowerBound..<left.lowerBound))
                }
                try group.saveStates(in: transaction)
                seen = group.fixesForPhones
                number = group.newestNumber
                newest = group.newest
                return results
            }
            noteCommits()
            // Passed to the phones before any caller gets a result, so that a following query for a phone's health waits until the phone
            // has processed them.
            service.queueForPhones(seen, upTo: number)
            observer.group(.init(results: results.map(\.0), newest: newest, seconds: (ContinuousClock.now - start).seconds))
            var done: [PositionRequest] = []
            var rest: [PositionRequest] = []
            var left = Array(requests[results.count...])
            for ((request, rows), (result, evaluated)) in zip(requests, results) {
                var request = request
                inbox.removeWaiting(evaluated.count)
                if request.addResult(result, rows: evaluated) {
                    done.append(request)
                } else if evaluated.upperBound == rows.upperBound || request.batch.batch.rows.count > Self.mostInOrder {
                    rest.append(request)
                } else {
                    left.insert((request, evaluated.upperBound..<rows.upperBound), at: 0)
                }
            }
            afterSync { [done] problem in
                for request in done { request.reportResult(problem) }
            }
            for request in rest where !inbox.queue.add(.positions(request)) { add(request) }
            return left
        } catch {
            noteCommits()
            // Too many positions had to be searched for among those that are not in order.
            if service.store.takeOrderRequest() {
                let (request, rows) = requests[current]
                if orderingProblem == nil || request.sorts == 0, request.sorts < Self.mostSorts {
                    waitForOrder(request)
                } else {
                    fail(request, rows, orderingProblem ?? error)
                }
                return Array(requests[..<current] + requests[(current + 1)...])
            }
            // A request must not fail because of another one. Each is processed separately, unless the store itself has failed.
            if requests.count > 1, !error.concernsStore {
                for part in requests { processAll([part]) }
            } else {
                for (request, rows) in requests { fail(request, rows, error) }
            }
            return []
        }
    }

    /// The problem that positions would use up the last megabyte of the disk, which edits, deletions and the next start need.
    private func freeSpaceProblem() -> Problem? {
        guard let problem = service.freeSpaceProblem else { return nil }
        failures.add(problem)
        return problem
    }

    /// Why nothing can be written now; nil if it can.
    private func refusal() -> Problem? {
        guard let problem = files.problem() else { return recoverFromFailedSync() }
        failures.add(problem)
        return problem
    }

    /// After a failed sync of the log, writes the log's content into the database file.
    ///
    /// - Returns: Why that is not possible yet; nil if there is no problem.
    private func recoverFromFailedSync() -> Problem? {
        guard let problem = log.problem else { return nil }
        let newest: Int64
        do throws(Problem) {
            guard try service.store.checkpointAndTruncate() else {
                failures.add(problem)
                return problem
            }
            newest = try service.store.newestSequence()
        } catch {
            failures.add(error)
            return error
        }
        log.clearFailure()
        observer.recovered(newest)
        return nil
    }

    /// Delays `completion` until the owner of the phones has done its work, because a client may use a new device's phone as soon as it
    /// gets the response.
    private func waitingForPhones(_ completion: @escaping @Sendable (Problem?) -> Void) -> @Sendable (Problem?) -> Void {
        { [phones = service.phones] problem in phones.afterAll { completion(problem) } }
    }

    /// Calls `completion` when the committed data is saved, and publishes its events before that.
    private func afterSync(_ completion: @escaping @Sendable (Problem?) -> Void) {
        noteCommits()
        let news = service.takeNews()
        if !news.removals.isEmpty { observer.removed(news.removals) }
        let completion = news.removesPhones ? waitingForPhones(completion) : completion
        let (observer, isWrite, events, notices) = (observer, news.hasWritten, news.events, news.notices)
        let (hasPositions, moved) = (news.hasPositions, news.moved)
        // A failure after this point is newer than this success.
        let failuresBefore = failures.count
        let all: @Sendable (Problem?) -> Void = { [failures] problem in
            if let problem {
                // A store that is gone is a problem before anything is written.
                let isGone = if case .storeReplaced = problem { true } else { false }
                if isWrite || isGone { failures.add(problem) }
            } else if isWrite, failures.count == failuresBefore {
                observer.storeWritten()
            }
            if !events.isEmpty, problem == nil { observer.events(events) }
            if !notices.isEmpty, problem == nil { observer.notices(notices) }
            if hasPositions, problem == nil { observer.positionsSaved(moved) }
            completion(problem)
        }
        if waitsForSync { return log.afterSync(all) }
        all(files.problem())
        // No caller waits for this sync. Without it, the whole log would be written to the disk at once later, and delay other requests.
        let now = ContinuousClock.now
        if now - syncedAt > .milliseconds(20) {
            syncedAt = now
            log.afterSync { [failures] problem in if let problem { failures.add(problem) } }
        }
    }
}
