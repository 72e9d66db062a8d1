import Model
import Registry

/// A device's simulated operating system, kept in a `RegistryFile`, as the registry that an app sees.
///
/// Nobody waits for it: `sleep(until:)` moves the system's clock. What the system tells by itself stays in the file until it is
/// taken (`takeReports()`).
public actor StoredRegistry: RegionRegistry, RegistryClock {
    public nonisolated let profile: PlatformProfile
    private let file: RegistryFile
    private let device: Device
    private let clock: @Sendable () -> Instant
    /// Why the file gave no answer, the last time that it did not.
    public private(set) var failure: Problem?

    /// - Parameter clock: What time it is outside of the simulation.
    public init(path: String, device: Device, clock: @escaping @Sendable () -> Instant) throws(Problem) {
        profile = PlatformProfile(device.platform ?? .ios)
        file = try RegistryFile(path: path)
        self.device = device
        self.clock = clock
    }

    public var now: Instant {
        do {
            return try file.change(device, at: clock()) { $0.now }
        } catch {
            failure = error
            return clock()
        }
    }

    public func sleep(until deadline: Instant) throws {
        try Task.checkCancellation()
        try file.change(device, at: clock()) { $0.advance(to: deadline) }
    }

    public func snapshot() throws(RegistryError) -> RegistrySnapshot {
        try call { os throws(RegistryError) in try os.snapshot() }
    }

    public func startMonitoring(_ region: Region) throws(RegistryError) {
        try call { os throws(RegistryError) in try os.startMonitoring(region) }
    }

    public func stopMonitoring(_ id: RegionID) throws(RegistryError) {
        try call { os throws(RegistryError) in try os.stopMonitoring(id) }
    }

    public func requestState(_ id: RegionID) throws(RegistryError) -> RegionState {
        try call { os throws(RegistryError) in try os.requestState(id) }
    }

    /// What was told since it was last taken, in order.
    public func takeReports() throws(Problem) -> [RegistryReport] {
        try file.change(device, at: clock()) { $0.takeReports() }
    }

    public var reports: AsyncStream<RegistryReport> {
        // Reports outlive the process in the file; whoever follows them takes them from there.
        AsyncStream { $0.finish() }
    }

    /// One call of the app's. A file that cannot be used is a system that gives no answer.
    private func call<Value>(
        _ body: (inout SimulatedOS) throws(RegistryError) -> Value
    ) throws(RegistryError) -> Value {
        let result: Result<Value, RegistryError>
        do throws(Problem) {
            failure = nil
            result = try file.change(device, at: clock()) { os in
                do throws(RegistryError) {
                    return .success(try body(&os))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            failure = error
            throw RegistryError(.unavailable)
        }
        return try result.get()
    }
}
