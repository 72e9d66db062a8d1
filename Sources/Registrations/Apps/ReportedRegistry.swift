import Model
import Registry

/// The registry of a phone whose app reports its regions: the content of its last report. Only the app itself can change the regions.
struct ReportedRegistry: RecordedRegistry {
    var profile: PlatformProfile
    /// The last report; nil before the first one.
    var last: RegistryReading?

    init(_ profile: PlatformProfile, last: RegistryReading? = nil) {
        self.profile = profile
        self.last = last
    }

    func reading() throws(Problem) -> RegistryReading {
        guard let last else { throw .registryUnavailable(details: Phrase("the app has not reported its regions yet")) }
        return last
    }

    func snapshot() throws(RegistryError) -> RegistrySnapshot {
        guard let last else { throw RegistryError(.unavailable) }
        return last.snapshot
    }

    func startMonitoring(_ region: Region) throws(RegistryError) { throw RegistryError(.unsupported) }
    func stopMonitoring(_ id: RegionID) throws(RegistryError) { throw RegistryError(.unsupported) }
    func requestState(_ id: RegionID) throws(RegistryError) -> RegionState { throw RegistryError(.unsupported) }

    /// Ends at once: the app's reports arrive with its messages instead.
    var reports: AsyncStream<RegistryReport> { AsyncStream { $0.finish() } }
}
