import Model

/// What an operating system offers an app to watch regions with, and nothing more.
public protocol RegionRegistry: Sendable {
    var profile: PlatformProfile { get }

    /// Everything that can be read now.
    func snapshot() async throws(RegistryError) -> RegistrySnapshot

    /// Registers a region; one of the same identifier is replaced. May also fail later: see `RegistrySnapshot.failures` and
    /// `reports`.
    func startMonitoring(_ region: Region) async throws(RegistryError)

    /// Removes a region; one that is not there is no error.
    func stopMonitoring(_ id: RegionID) async throws(RegistryError)

    /// Asks where the system believes the device to be. Throws `unsupported` where `profile.canTellState` is false.
    func requestState(_ id: RegionID) async throws(RegistryError) -> RegionState

    /// What the system tells by itself, from now on. Each reading of this property is a subscription of its own.
    var reports: AsyncStream<RegistryReport> { get async }
}

/// The time that a registry lives in: a wall clock beside a phone, a manual one beside a simulation.
public protocol RegistryClock: Sendable {
    var now: Instant { get async }

    /// Returns at `deadline`, or throws `CancellationError` before it.
    func sleep(until deadline: Instant) async throws
}
