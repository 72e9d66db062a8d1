import Model
import Store

// What the writer of a service does about a clock that cannot be relied on.

extension ServiceWriter {
    /// The source of the problem that the clock of this machine cannot be relied on.
    package static let clockSource = "job/clock"

    /// Milliseconds after which the problem counts as another failure, so that it escalates.
    private static let clockFailureInterval: Int64 = 60_000

    /// The interval in seconds between two saves of the trusted time.
    private static let trustSaveInterval = 3600.0
    /// The smallest change of the clock, in milliseconds, that is saved at once.
    private static let minSavedClockChange = ClockTrust.leastStep / 6

    /// Records the clock's problem when the doubt begins or changes, and again every `clockFailureInterval` while it lasts. Resolves it when
    /// the doubt ends. Also saves the moment while the clock can be relied on.
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

    /// Saves the current moment once an hour, and soon after the clock was set, so that the next start can compare its clock with
    /// it. The saved moment is then at most an hour old; a doubt needs a difference of more than a day. `line`: see `ClockTrust`.
    private func recordTrustedClock() throws(Problem) {
        guard let now = serviceClock?.trustedClock else { return }
        if let recorded = recordedTrust, abs(now.line - recorded.line) < Self.minSavedClockChange,
            abs(now.time - recorded.time) < Self.trustSaveInterval
        {
            return
        }
        // Before it is saved, because a store that cannot be written is not tried again each second.
        recordedTrust = now
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(now, in: transaction)
        }
    }

    /// Adjusts `listeningSince` after the clock was set, so that the change makes no device silent.
    func followClock(at now: Instant) {
        guard let serviceClock else { return }
        let since = now + -Double(serviceClock.uptime - listeningUptime) / 1000
        guard abs(since - listeningSince) * 1000 >= Double(ClockTrust.leastStep) else { return }
        listeningSince = since
        deadlines = nil
    }
}
