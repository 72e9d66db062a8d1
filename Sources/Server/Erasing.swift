import Model
import Service

extension API {
    /// Erases data of the store, and removes it from the service's memory: tokens, logged events, open streams and what
    /// waits for sinks. Returns after the files were rewritten.
    ///
    /// Tokens of the erased devices are refused from the commit on, also if the files cannot be rewritten. Otherwise a device that still
    /// reports would be created again. If nothing was erased, streams and logged events stay.
    ///
    /// - Returns: The result of `erase`, and whether no traces are left in the files.
    func erase<Result: Sendable>(
        _ erase: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> (result: Result, isGone: Bool) {
        let (outcome, hasErased) = try await writer.perform { [self] service throws(Problem) in
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
        let unfinished = try await writer.perform { service throws(Problem) in try service.unfinishedErasures() }
        let isGone = try await finish(unfinished, attempts: Self.erasureAttempts)
        // The phones are counted again, but no caller waits for that.
        updateHealthMetrics { _ in }
        return (result, isGone)
    }

    /// Erases a device, in steps if it has much data; see `ServiceWriter.eraseDevice(id:rewriting:)`.
    ///
    /// - Parameter key: The device's key; nil for the present device of this id.
    func eraseDevice(id: String, key: ServiceWriter.DeviceKey? = nil, rewriting: Bool) async throws(Problem) -> DeviceErasure {
        try await writer.prepareErasure()
        let present = try await writer.perform { service throws(Problem) in try service.knownKey(ofDevice: id) }
        let key = key ?? present
        while try await writer.perform({ service throws(Problem) in
            try service.eraseStep(ofDevice: id, key: key, rewriting: rewriting)
        }) {}
        try await writer.checkpointLog()
        var (erasure, isGone) = try await erase { service throws(Problem) in
            try service.eraseRecords(ofDevice: id, key: key, rewriting: rewriting)
        }
        erasure.isGone = isGone
        return erasure
    }

    /// How often an erasure tries to empty the log while another connection reads an earlier state, 0.1 seconds apart. The writer does not
    /// wait for readers, because positions would wait as well.
    private static let erasureAttempts = 50

    /// Removes what is left of erased data in the files, and records that these erasures are finished. A reader looks whether the store has to be
    /// rewritten, because all writers would wait meanwhile.
    ///
    /// - Returns: Whether they are finished. They are not while another connection reads an earlier state.
    func finish(_ erasures: [ServiceWriter.UnfinishedErasure], attempts: Int = 1) async throws(Problem) -> Bool {
        if erasures.isEmpty { return true }
        var isStoreDone = try await emptyLog(attempts: attempts)
        if isStoreDone, erasures.contains(where: \.rewritesStore) {
            let hasRemains = try await longReaders.ask { service throws(Problem) in try service.mayHaveRemains() }
            isStoreDone = try await writer.perform { service throws(Problem) in
                try service.rewriteStoreIfDue(hasRemains: hasRemains)
            }
            if !isStoreDone { isStoreDone = try await emptyLog(attempts: attempts) }
        }
        let phones = try await writer.phones.deviceIDs()
        let orphans = try await writer.perform { service throws(Problem) in try service.idsWithoutDevice(phones) }
        try await writer.phones.remove(orphans)
        let arePhonesDone = try await writer.phones.rewrite(isWhole: erasures.contains { $0.rewritesPhones })
        let isDone = isStoreDone && arePhonesDone
        try await writer.perform { service throws(Problem) in
            if isDone { try service.recordFinished(erasures) } else { try service.recordPhonesRewritten(after: erasures) }
        }
        return isDone
    }

    /// - Returns: Whether the log of the store is empty. It is not while another connection reads an earlier state.
    private func emptyLog(attempts: Int) async throws(Problem) -> Bool {
        for attempt in 1...attempts {
            try await writer.checkpointLog()
            var truncation: ServiceWriter.LogTruncation
            repeat {
                truncation = try await writer.perform { service throws(Problem) in try service.emptyLogStep() }
            } while truncation == .underWay
            if truncation == .complete { return true }
            if attempt == attempts { break }
            do {
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                throw .cancelled
            }
        }
        return false
    }
}
