import Core
import Model
import Notifications
import Observability
import Registrations
import Settings

/// What the routes of operations report about the running service, besides its store.
package struct ServiceFacts: Sendable {
    /// The version of Picket.
    let version: String
    /// The URL of the service on this machine.
    let url: String
    let startedAt: Instant
    /// The versions of the libraries that only the server uses.
    let serverLibraries: [LibraryVersions.Version]
    /// The log for operators.
    let log: Log
    /// The problem that prevents writing to the store, while there is one.
    let storeProblem: StoreProblem
    /// Sends to sinks.
    let delivery: DeliveryRunner
    let broker: BrokerIntake
    /// Checks the certificate of the settings at a moment.
    let certificate: @Sendable (Settings, Instant) -> [DoctorFinding]

    package init(
        version: String, url: String, startedAt: Instant, serverLibraries: [LibraryVersions.Version], log: Log,
        storeProblem: StoreProblem, delivery: DeliveryRunner, broker: BrokerIntake,
        certificate: @escaping @Sendable (Settings, Instant) -> [DoctorFinding]
    ) {
        self.version = version
        self.url = url
        self.startedAt = startedAt
        self.serverLibraries = serverLibraries
        self.log = log
        self.storeProblem = storeProblem
        self.delivery = delivery
        self.broker = broker
        self.certificate = certificate
    }
}
