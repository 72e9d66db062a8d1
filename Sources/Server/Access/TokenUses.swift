import Model
import Places
import Synchronization

/// When tokens were last used, and which devices they last reported for. Requests only change this; the store gets it later.
final class TokenUses: Sendable {
    private struct Use {
        var current: TokenUse
        /// What the store has; nil for nothing yet from this run.
        var stored: TokenUse?
    }

    private let uses = Mutex<[String: Use]>([:])

    /// The seconds after which a later use is stored, so that a phone that reports all the time causes few writes.
    private static let patience = 600.0

    /// Records that a token was used.
    func record(_ token: Token, at now: Instant) {
        uses.withLock { $0[token.id, default: Use(current: TokenUse(tokenId: token.id, at: now))].current.at = now }
    }

    /// Records that a token was used to report for a device.
    func record(_ token: Token?, reportingFor device: String?) {
        guard let token, let device else { return }
        uses.withLock { $0[token.id]?.current.device = device }
    }

    /// The uses to store now.
    ///
    /// - Parameter isEnd: Whether the service ends, so that nothing can be stored later.
    func due(atEnd isEnd: Bool = false) -> [TokenUse] {
        uses.withLock { uses in
            var due: [TokenUse] = []
            for (id, use) in uses where use.current != use.stored {
                let isDue = use.stored.map { use.current.at - $0.at >= Self.patience || use.current.device != $0.device } ?? true
                guard isDue || isEnd else { continue }
                due.append(use.current)
                uses[id]?.stored = use.current
            }
            return due
        }
    }
}

extension API {
    /// Stores the uses of tokens that are due.
    func storeTokenUses(atEnd isEnd: Bool = false) {
        let uses = tokenUses.due(atEnd: isEnd)
        if uses.isEmpty { return }
        _ = store.writer.submit({ service throws(Problem) in try service.record(uses) }) { [log = diagnostics.log] result in
            if case .failure(let problem) = result { log.logProblem(problem, "tokens") }
        }
    }
}
