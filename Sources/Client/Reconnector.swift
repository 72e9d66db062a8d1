import Delivery
import Model
import Workers

/// Repeats a request until the service answers, with the delays of `PeerConnection`.
///
/// Not thread-safe: use it from one thread at a time.
package final class Reconnector {
    /// How long an unanswered request is repeated.
    package enum Persistence {
        /// Forever, even before the first answer.
        case always
        /// Forever after the first answer. Before the first answer a failure is final, because the address is more likely wrong than the
        /// service down.
        case onceConnected
        /// Like `onceConnected`, but gives up after `PeerConnection.maxAttempts` failed attempts to reconnect.
        case limited
    }

    /// What the reconnector reports.
    package enum ConnectionChange {
        /// The state of the connection has another name than before. `hasAnswered`: whether the service has answered at least once.
        case changed(ConnectionStatus, hasAnswered: Bool)
        /// This many positions had been stored by an earlier attempt whose answer was lost.
        case storedBefore(Int)
    }

    private var connection: PeerConnection
    private var random = SystemRandomNumberGenerator()
    private let persistence: Persistence
    private let clock: BlockingClock
    let report: (ConnectionChange) -> Void
    private var hasAnswered = false

    /// - Parameters:
    ///   - clock: The clock for the delays between attempts.
    ///   - report: Called with each change.
    package init(_ persistence: Persistence, clock: BlockingClock, report: @escaping (ConnectionChange) -> Void) {
        connection = PeerConnection(at: clock.now())
        self.persistence = persistence
        self.clock = clock
        self.report = report
    }

    /// Repeats `ask` until it returns.
    ///
    /// - Throws: A problem that a retry cannot solve (such as a wrong token or a refused request), or the last failure after giving up.
    package func untilAnswered<Answer>(_ ask: () throws(Problem) -> Answer) throws(Problem) -> Answer {
        while true {
            let attempt = begin()
            do throws(Problem) {
                let answer = try ask()
                record(.delivered, of: attempt)
                hasAnswered = true
                return answer
            } catch {
                let outcome = DeliveryOutcome(error)
                switch outcome {
                case .retry:
                    guard hasAnswered || isRetriedAtFirst(error) else { throw error }
                    record(outcome, of: attempt)
                    if isOver { throw error }
                case .pause: throw error
                case .delivered, .reject:
                    record(outcome, of: attempt)
                    throw error
                }
            }
        }
    }

    /// Waits until the next attempt may begin, and begins it.
    private func begin() -> PeerConnection.Attempt {
        while true {
            if let attempt = connection.begin(at: clock.now()) { return attempt }
            clock.sleep(connection.status.nextAttemptAt ?? clock.now())
        }
    }

    private func record(_ outcome: DeliveryOutcome, of attempt: PeerConnection.Attempt) {
        let before = connection.status.state.name
        _ = connection.record(outcome, of: attempt, at: clock.now(), using: &random)
        // When the reconnector gives up, the problem itself is reported by the caller.
        guard connection.status.state.name != before, !isOver else { return }
        report(.changed(connection.status, hasAnswered: hasAnswered))
    }

    /// Whether the reconnector gives up.
    private var isOver: Bool { persistence == .limited && connection.status.state.name == .degraded }

    private func isRetriedAtFirst(_ problem: Problem) -> Bool {
        switch problem {
        case .noConnection, .timeout: persistence == .always
        // The peer is not Picket, or its certificate is not trusted.
        case .tlsFailed, .decodingFailed, .unknown: false
        default: true
        }
    }
}
