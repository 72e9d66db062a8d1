import Core
import Model
import Places
import Service

extension API {
    /// Erases data of the store, and removes it from the service's memory: tokens, events in the event log, open streams, and events that
    /// wait for sinks. Returns after an attempt to remove the remains of the data from the files.
    ///
    /// The service refuses the tokens of the erased devices from the commit on, even if the remains cannot be removed. Otherwise
    /// a device that still reports would be created again. If nothing was erased, the streams stay open and the event log keeps
    /// its events.
    ///
    /// - Returns: The result of `erase`, and whether no traces are left in the files.
    func erase<Result: Sendable>(
        _ erase: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> (result: Result, isGone: Bool) {
        let (outcome, hasErased) = try await store.writer.perform { [self] service throws(Problem) in
            let before = try service.unfinishedErasures()
            let outcome = Swift.Result { () throws(Problem) in try erase(service) }
            if case .failure = outcome, try service.unfinishedErasures() == before { return (outcome, false) }
            acceptTokens(of: try service.accessList())
            log.discardEvents()
            return (outcome, true)
        }
        if hasErased {
            endOpenStreams()
            await delivery.processAllMessages()
        }
        let result = try outcome.get()
        let unfinished = try await store.writer.perform { service throws(Problem) in try service.unfinishedErasures() }
        let isGone = try await finish(unfinished, attempts: Self.erasureAttempts)
        // The phones are counted again, but no caller waits for that.
        updateHealthMetrics { _ in }
        return (result, isGone)
    }

    /// Erases a device, in steps if it has much data; see `ServiceWriter.eraseRecords(ofDevice:key:rewriting:)`.
    ///
    /// - Parameter key: The device's key; nil for the current device of this id.
    func eraseDevice(id: String, key: ServiceWriter.DeviceKey? = nil, rewriting: Bool) async throws(Problem) -> DeviceErasure {
        try await store.writer.prepareErasure()
        let job = try await store.writer.perform(DeviceErasureJob(ofDevice: id, key: key, rewriting: rewriting))
        try await store.writer.checkpointLog()
        var (erasure, isGone) = try await erase { service throws(Problem) in
            try service.eraseRecords(ofDevice: id, key: job.key, rewriting: rewriting)
        }
        erasure.isGone = isGone
        return erasure
    }

    /// The number of attempts to empty the write-ahead log while another connection reads an earlier state, 0.1 seconds apart. The writer
    /// does not wait for readers, because positions would wait as well.
    private static let erasureAttempts = 50

    /// The number of steps after which the log is emptied at once, because others write as fast as the steps shorten it.
    private static let mostSteps = 100

    /// Removes the remains of erased data from the files, and records that these erasures are finished. A reader checks whether the store
    /// has to be rewritten, because this check on the writer would make all writes wait.
    ///
    /// - Returns: Whether the erasures are finished. They are not finished while another connection reads an earlier state.
    func finish(_ erasures: [ServiceWriter.UnfinishedErasure], attempts: Int = 1) async throws(Problem) -> Bool {
        if erasures.isEmpty { return true }
        var isStoreDone = try await emptyLog(attempts: attempts)
        if isStoreDone, erasures.contains(where: \.rewritesStore) {
            let hasRemains = try await store.longReaders.ask { service throws(Problem) in try service.mayHaveRemains() }
            isStoreDone = try await store.writer.perform { service throws(Problem) in
                try service.rewriteStoreIfDue(hasRemains: hasRemains)
            }
            if !isStoreDone { isStoreDone = try await emptyLog(attempts: attempts) }
        }
        let phones = try await store.writer.phones.deviceIDs()
        let orphans = try await store.writer.perform { service throws(Problem) in try service.idsWithoutDevice(phones) }
        try await store.writer.phones.remove(orphans)
        let arePhonesDone = try await store.writer.phones.rewrite(isWhole: erasures.contains { $0.rewritesPhones })
        let isDone = isStoreDone && arePhonesDone
        try await store.writer.perform { service throws(Problem) in
            if isDone { try service.recordFinished(erasures) } else { try service.recordPhonesRewritten(after: erasures) }
        }
        return isDone
    }

    /// Empties the write-ahead log of the store.
    ///
    /// - Returns: Whether the log is empty. It is not empty while another connection reads an earlier state.
    private func emptyLog(attempts: Int) async throws(Problem) -> Bool {
        var (steps, failures) = (0, 0)
        while true {
            try await store.writer.checkpointLog()
            let isStep = steps < Self.mostSteps
            let truncation = try await store.writer.perform { service throws(Problem) -> ServiceWriter.LogTruncation in
                if isStep { return try service.emptyLogStep() }
                return try service.emptyLog() ? .complete : .blocked
            }
            switch truncation {
            case .complete: return true
            case .underWay:
                steps += 1
                continue
            case .blocked: failures += 1
            }
            if failures == attempts { return false }
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                throw .cancelled
            }
        }
    }
}
