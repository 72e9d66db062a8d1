import Delivery
import Model

/// Asks a service again until it answers, with the waits of `PeerConnection`.
///
/// It belongs to one thread at a time.
final class Reconnector {
    /// How long an unanswered request is repeated.
    enum Persistence {
        /// For ever, also before the first answer.
        case always
        /// For ever after the first answer. Without one, the address is more likely wrong than the service away.
        case onceConnected
        /// As `onceConnected`, but only until the attempts to reconnect that `PeerConnection.maxAttempts` counts have failed.
        case limited
    }

    /// What it tells.
    enum News {
        /// The name of its state is another one. `hasAnswered`: whether the service had ever answered before.
        case changed(ConnectionStatus, hasAnswered: Bool)
        /// So many positions were stored although their answer was lost.
        case storedBefore(Int)
    }

    private var connection: PeerConnection
    private var random: any RandomNumberGenerator
    private let persistence: Persistence
    private let clock: BlockingClock
    let tell: (News) -> Void
    private var hasAnswered = false

    init(
        _ persistence: Persistence, clock: BlockingClock, random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
        tell: @escaping (News) -> Void
    ) {
        connection = PeerConnection(at: clock.now())
        self.persistence = persistence
        self.clock = clock
        self.random = random
        self.tell = tell
    }

    /// Repeats `ask` until it returns.
    ///
    /// - Throws: What only a person can mend (a wrong token, a request that is refused), and the last failure when it gives up.
    func untilAnswered<Answer>(_ ask: () throws(Problem) -> Answer) throws(Problem) -> Answer {
        while true {
            let attempt = begin()
            do throws(Problem) {
                let answer = try ask()
                record(.delivered, of: attempt)
                hasAnswered = true
                return answer
            } catch {
                let outcome = DeliveryOutcome(error)
                if case .retry = outcome {
                    guard hasAnswered || isRetriedAtFirst(error) else { throw error }
                    record(outcome, of: attempt)
                    if persistence == .limited, connection.status.state.name == .degraded { throw error }
                } else {
                    record(outcome, of: attempt)
                    throw error
                }
            }
        }
    }

    /// Waits until an attempt may begin, and begins it.
    private func begin() -> PeerConnection.Attempt {
        while true {
            if let attempt = connection.begin(at: clock.now()) { return attempt }
            clock.sleep(connection.status.nextAttemptAt ?? clock.now())
        }
    }

    private func record(_ outcome: DeliveryOutcome, of attempt: PeerConnection.Attempt) {
        let before = connection.status.state.name
        _ = connection.record(outcome, of: attempt, at: clock.now(), using: &random)
        // Whoever gives up says so with the problem itself.
        guard connection.status.state.name != before, connection.status.state.name != .paused else { return }
        tell(.changed(connection.status, hasAnswered: hasAnswered))
    }

    private func isRetriedAtFirst(_ problem: Problem) -> Bool {
        switch problem {
        case .noConnection, .timeout: persistence == .always
        // Something answers there that is no Picket, or that is not trusted.
        case .tlsFailed, .decodingFailed, .unknown: false
        default: true
        }
    }
}
