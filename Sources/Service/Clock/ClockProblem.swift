import Model
import Store

// What the writer of a service does about a clock that cannot be relied on.

extension ServiceWriter {
    /// The source of the problem that the clock of this machine cannot be relied on.
    static let clockSource = "job/clock"

    /// Milliseconds after which the problem counts as another failure, so that it escalates.
    private static let clockFailureInterval: Int64 = 60_000

    /// Seconds after which the time at which the clock was relied on is recorded again.
    private static let trustInterval = 3600.0
    /// Milliseconds by which the clock was set, at least, to be recorded at once.
    private static let leastLineChange = ClockTrust.leastStep / 6

    /// Evaluates the times of the positions of a request. Must be called before they are stored, outside of a transaction.
    ///
    /// Alarms are recorded at once all the same. Positions of a command stay in their file, so those that are ahead are refused.
    ///
    /// - Throws: `Problem.clockImplausible` if the sender has to keep the positions; see `ServiceClock.evaluate(_:)`.
    func evaluateTimes(of batch: FixBatch) throws(Problem) {
        if batch.isOfCommand { return }
        do throws(Problem) {
            try serviceClock?.evaluate(batch)
        } catch {
            _ = try recordClock()
            if !batch.alarms.isEmpty {
                var alarms = FixBatch()
                alarms.alarms = batch.alarms
                try accept(alarms)
            }
            throw error
        }
    }

    /// Records or resolves the problem of the clock if that has changed.
    ///
    /// - Returns: Whether the clock can be relied on.
    package func recordClock() throws(Problem) -> Bool {
        guard let serviceClock else { return true }
        let (doubt, uptime) = (serviceClock.doubt, serviceClock.uptime)
        try recordTrustedClock()
        if let recorded = recordedDoubt, recorded.doubt == doubt,
            doubt == nil || uptime - recorded.uptime < Self.clockFailureInterval
        {
            return doubt == nil
        }
        try record(outcome: doubt.map(serviceClock.problem), source: Self.clockSource)
        recordedDoubt = (doubt, uptime)
        return doubt == nil
    }

    /// Records the moment once an hour, and when the clock was set, so that the next start knows it. The time and the line are those of an
    /// hour ago at most then, which is little compared with what makes a clock doubted.
    private func recordTrustedClock() throws(Problem) {
        guard let now = serviceClock?.trustedClock else { return }
        if let recorded = recordedTrust, abs(now.line - recorded.line) < Self.leastLineChange,
            abs(now.time - recorded.time) < Self.trustInterval
        {
            return
        }
        // Before it is saved, because a store that cannot be written is not tried again each second.
        recordedTrust = now
        try transaction(ofJournal: true) { () throws(Problem) in try store.save(now) }
    }

    /// Follows a clock that was set: moves the moment since which the service listens, so that no device becomes silent because of that.
    func followClock(at now: Instant) {
        guard let serviceClock else { return }
        let since = now + -Double(serviceClock.uptime - listeningUptime) / 1000
        guard abs(since - listeningSince) * 1000 >= Double(ClockTrust.leastStep) else { return }
        listeningSince = since
        deadlines = nil
    }
}
