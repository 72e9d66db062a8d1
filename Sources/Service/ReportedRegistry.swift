import Model
import Registry

/// The registry of a phone whose app reports it by itself: what it has reported last. The app makes all calls on its own.
struct ReportedRegistry: RecordedRegistry {
    var profile: PlatformProfile
    /// Nil before the first report.
    var last: RegistryReading?

    init(_ profile: PlatformProfile, last: RegistryReading? = nil) {
        self.profile = profile
        self.last = last
    }

    func reading() throws(Problem) -> RegistryReading {
        guard let last else { throw .registryUnavailable(details: "the app has not reported its regions yet") }
        return last
    }

    func snapshot() throws(RegistryError) -> RegistrySnapshot {
        guard let last else { throw RegistryError(.unavailable) }
        return last.snapshot
    }

    func startMonitoring(_ region: Region) throws(RegistryError) { throw RegistryError(.unsupported) }
    func stopMonitoring(_ id: RegionID) throws(RegistryError) { throw RegistryError(.unsupported) }
    func requestState(_ id: RegionID) throws(RegistryError) -> RegionState { throw RegistryError(.unsupported) }

    /// What the app tells comes with its reports.
    var reports: AsyncStream<RegistryReport> { AsyncStream { $0.finish() } }
}
