import Comparison
import Core
import Model

/// What commands can query about registrations. The implementations read the store directly or send requests to a running service; see
/// `QueryBackend`.
package protocol RegistrationQueryBackend: AnyObject {
    /// Compares what a device's app has observed with the positions on record; see `Queries.comparison(_:)`.
    func comparison(_ question: ComparisonQuestion) throws(Problem) -> ComparisonReport
}

extension Queries: RegistrationQueryBackend {}
