import Model
import Registry
import Synchronization

/// The simulated phone of one device, as the registry that an app sees.
///
/// `sleep(until:)` does not wait: it advances the phone's clock. The phone's reports stay in the registry file until they are removed with
/// `removeReports(_:)`.
package final class SimulatedPhone: RecordedRegistry, RegistryClock {
    private let device: Device
    private let phones: SimulatedPhones
    private let clock: @Sendable () -> Instant
    private let lastFailure = Mutex<Problem?>(nil)
    private let lastProfile: Mutex<PlatformProfile>

    /// - Parameter clock: The current time outside of the simulation.
    package init(of device: Device, in phones: SimulatedPhones, clock: @escaping @Sendable () -> Instant) {
        lastProfile = Mutex(PlatformProfile(device.platform ?? .ios))
        self.device = device
        self.phones = phones
        self.clock = clock
    }

    /// The phone's profile as of the last call or reading; before the first one, its platform's standard profile.
    package var profile: PlatformProfile { lastProfile.withLock { $0 } }

    /// Why the registry file could not be used in the last call; nil if it could be used.
    package var failure: Problem? { lastFailure.withLock { $0 } }

    // MARK: - Health

    /// The phone's registry. While a service runs, this changes nothing. Without a service it is a call of the app, which a fault may
    /// suppress.
    package func reading() throws(Problem) -> RegistryReading {
        let (reading, profile): (Result<RegistryReading, Problem>, PlatformProfile)
        if phones.isServing {
            var os = try phones.phone(of: device, at: clock())
            (reading, profile) = (os.reading(), os.profile)
        } else {
            let now = clock()
            (reading, profile) = try phones.onThisThread { file throws(Problem) in
                try file.change(device, at: now) { ($0.reading(), $0.profile) }
            }
        }
        lastProfile.withLock { $0 = profile }
        return try reading.get()
    }

    /// The phone's registry, always by a call of the app.
    package func readingByAppCall() async throws(Problem) -> RegistryReading { try await change { $0.reading() }.get() }

    // MARK: - Time

    package var now: Instant {
        get async {
            do {
                return try await change { $0.now }
            } catch {
                return clock()
            }
        }
    }

    package func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        try await change { $0.advance(to: deadline) }
    }

    // MARK: - Calls

    package func snapshot() async throws(RegistryError) -> RegistrySnapshot {
        try await call { os throws(RegistryError) in try os.snapshot() }
    }

    package func startMonitoring(_ region: Region) async throws(RegistryError) {
        try await call { os throws(RegistryError) in try os.startMonitoring(region) }
    }

    package func stopMonitoring(_ id: RegionID) async throws(RegistryError) {
        try await call { os throws(RegistryError) in try os.stopMonitoring(id) }
    }

    package func requestState(_ id: RegionID) async throws(RegistryError) -> RegionState {
        try await call { os throws(RegistryError) in try os.requestState(id) }
    }

    // MARK: - Reports

    /// Ends at once: reports are stored in the registry file, and are read from there with `waitingReports()`.
    package var reports: AsyncStream<RegistryReport> { AsyncStream { $0.finish() } }

    /// The reports that were sent and not removed yet, in order.
    package func waitingReports() async throws(Problem) -> [RegistryReport] { try await change { $0.waitingReports } }

    /// Removes reports that have been recorded elsewhere.
    package func removeReports(_ reports: [RegistryReport]) async throws(Problem) {
        if !reports.isEmpty { try await change { $0.remove(reports) } }
    }

    @discardableResult
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout SimulatedOS) -> Value
    ) async throws(Problem) -> Value {
        do throws(Problem) {
            let (value, profile) = try await phones.change(device, at: clock()) { os in (body(&os), os.profile) }
            lastFailure.withLock { $0 = nil }
            lastProfile.withLock { $0 = profile }
            return value
        } catch {
            lastFailure.withLock { $0 = error }
            throw error
        }
    }

    /// Makes one call of the app. If the registry file cannot be used, the operating system gives no answer.
    ///
    /// - Throws: `RegistryError.Code.unavailable` if the registry file cannot be used, and the errors of `body`.
    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (inout SimulatedOS) throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        let result: Result<Value, RegistryError>
        do throws(Problem) {
            result = try await change { os in
                Result { () throws(RegistryError) in try body(&os) }
            }
        } catch {
            throw RegistryError(.unavailable)
        }
        return try result.get()
    }
}

extension SimulatedOS {
    /// The reports that were sent and not removed yet, in order.
    var waitingReports: [RegistryReport] { outbox }

    /// Removes reports that have been recorded elsewhere.
    mutating func remove(_ reports: [RegistryReport]) {
        for report in reports { if let index = outbox.firstIndex(of: report) { outbox.remove(at: index) } }
    }

    /// The answer to a call of the app, with the reports that were not removed yet.
    fileprivate mutating func reading() -> Result<RegistryReading, Problem> {
        do throws(RegistryError) {
            var reading = RegistryReading(try snapshot(), reports: outbox, profile: profile)
            reading.changesAt = nextDeadline
            return .success(reading)
        } catch {
            return .failure(.registryUnavailable(details: .systemSilent))
        }
    }
}
