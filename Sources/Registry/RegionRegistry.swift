import Model

/// The region monitoring that an operating system offers to an app.
public protocol RegionRegistry: Sendable {
    /// How the operating system handles regions.
    var profile: PlatformProfile { get }

    /// Everything that the app can read now.
    func snapshot() async throws(RegistryError) -> RegistrySnapshot

    /// Registers a region, and replaces a region with the same identifier. The registration may also fail after the call has returned: see
    /// `RegistrySnapshot.failures` and `reports`.
    func startMonitoring(_ region: Region) async throws(RegistryError)

    /// Removes a region. Does nothing if the region is not registered.
    func stopMonitoring(_ id: RegionID) async throws(RegistryError)

    /// Requests where the operating system believes the device to be relative to a region. Throws `unsupported` if `profile.supportsStateRequests`
    /// is false.
    func requestState(_ id: RegionID) async throws(RegistryError) -> RegionState

    /// The reports of the operating system from now on. Each access to this property creates a new subscription.
    var reports: AsyncStream<RegistryReport> { get async }
}
