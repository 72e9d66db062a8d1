import Model
import Registry
import Synchronization

/// The simulated phone of one device as the registry that an app sees.
///
/// Nobody waits for it: `sleep(until:)` moves the system's clock. What the system tells by itself stays with it until it is removed
/// (`removeReports(_:)`).
public final class SimulatedPhone: RecordedRegistry, RegistryClock {
    public let profile: PlatformProfile
    private let device: Device
    private let phones: SimulatedPhones
    private let clock: @Sendable () -> Instant
    private let lastFailure = Mutex<Problem?>(nil)

    /// - Parameter clock: What time it is outside of the simulation.
    public init(of device: Device, in phones: SimulatedPhones, clock: @escaping @Sendable () -> Instant) {
        profile = PlatformProfile(device.platform ?? .ios)
        self.device = device
        self.phones = phones
        self.clock = clock
    }

    /// Why the phones' file could not be used in the last call; nil when it could.
    public var failure: Problem? { lastFailure.withLock { $0 } }

    // MARK: - Health

    /// While a service runs, this changes nothing. Without a service it is a call of the app's, which a fault may swallow.
    public func reading() throws(Problem) -> RegistryReading {
        guard phones.isServing else { return try phones.changeNow(device, at: clock()) { $0.reading() }.get() }
        var os = try phones.phone(of: device, at: clock())
        return try os.reading().get()
    }

    /// The same by a call of the app's.
    public func ask() async throws(Problem) -> RegistryReading { try await change { $0.reading() }.get() }

    // MARK: - Time

    public var now: Instant {
        get async {
            do {
                return try await change { $0.now }
            } catch {
                return clock()
            }
        }
    }

    public func sleep(until deadline: Instant) async throws {
        try Task.checkCancellation()
        try await change { $0.advance(to: deadline) }
    }

    // MARK: - Calls

    public func snapshot() async throws(RegistryError) -> RegistrySnapshot {
        try await call { os throws(RegistryError) in try os.snapshot() }
    }

    public func startMonitoring(_ region: Region) async throws(RegistryError) {
        try await call { os throws(RegistryError) in try os.startMonitoring(region) }
    }

    public func stopMonitoring(_ id: RegionID) async throws(RegistryError) {
        try await call { os throws(RegistryError) in try os.stopMonitoring(id) }
    }

    public func requestState(_ id: RegionID) async throws(RegistryError) -> RegionState {
        try await call { os throws(RegistryError) in try os.requestState(id) }
    }

    // MARK: - Reports

    /// Reports outlive the process in the file; whoever follows them takes them from there.
    public var reports: AsyncStream<RegistryReport> { AsyncStream { $0.finish() } }

    /// What the system has told and nobody has taken note of, in order.
    public func waitingReports() async throws(Problem) -> [RegistryReport] { try await change { $0.waitingReports } }

    /// Removes reports that have been taken note of.
    public func removeReports(_ reports: [RegistryReport]) async throws(Problem) {
        if !reports.isEmpty { try await change { $0.remove(reports) } }
    }

    @discardableResult
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout SimulatedOS) -> Value
    ) async throws(Problem) -> Value {
        do throws(Problem) {
            let value = try await phones.change(device, at: clock(), body)
            lastFailure.withLock { $0 = nil }
            return value
        } catch {
            lastFailure.withLock { $0 = error }
            throw error
        }
    }

    /// One call of the app's. A file that cannot be used is a system that gives no answer.
    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (inout SimulatedOS) throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        let result: Result<Value, RegistryError>
        do throws(Problem) {
            result = try await change { os in
                do throws(RegistryError) {
                    return .success(try body(&os))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw RegistryError(.unavailable)
        }
        return try result.get()
    }
}

extension SimulatedOS {
    /// What was told and not yet removed, in order.
    var waitingReports: [RegistryReport] { outbox }

    /// Removes reports that have been taken note of.
    mutating func remove(_ reports: [RegistryReport]) {
        for report in reports { if let index = outbox.firstIndex(of: report) { outbox.remove(at: index) } }
    }

    /// What a call of the app's answers, with what waits to be taken note of.
    fileprivate mutating func reading() -> Result<RegistryReading, Problem> {
        do throws(RegistryError) {
            return .success(RegistryReading(try snapshot(), reports: outbox))
        } catch {
            return .failure(.registryUnavailable(details: "the device's system gave no answer"))
        }
    }
}
