import Model

/// A registry whose latest known content is stored, so that the device's health is available at any time.
public protocol RecordedRegistry: RegionRegistry {
    /// The latest known content of the registry. Waits neither for a running repair nor for the phone.
    ///
    /// - Throws: `Problem.registryUnavailable` if nothing is known yet or the operating system gives no answer, and the problems of the
    ///   file in which the registry is stored.
    func reading() throws(Problem) -> RegistryReading
}
