import Model
import Store
import Synchronization

/// The standing problem of a store that a running service cannot write.
///
/// The store cannot keep it, so it is kept in memory, and shown together with the problems of the journal. Each commit that fails is a
/// failure of its source; the next commit that writes something ends it.
public final class StoreProblem: Sendable {
    /// Its id. Those of the journal begin with 1.
    public static let id: Int64 = 0
    public static let source = "job/store"

    private let standing = Mutex<Queries.StandingProblem?>(nil)
    private let clock: any WallClock
    private let contact: SupportContact?
    private let tell: @Sendable (ServiceNotice) -> Void

    /// - Parameters:
    ///   - contact: See `Problem.json(in:contact:)`.
    ///   - tell: Called when there is news of it, on the thread that brings them.
    public init(
        clock: any WallClock, contact: SupportContact? = nil, tell: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) {
        self.clock = clock
        self.contact = contact
        self.tell = tell
    }

    /// The problem as it stands now, dismissed or not; nil while the store can be written.
    public var current: Queries.StandingProblem? { standing.withLock { $0 } }

    /// A commit has failed. Watchers are told of the first failure, when it escalates or is another problem, and whenever the failures
    /// have doubled: under load there are hundreds in a second.
    public func failed(_ problem: Problem) {
        let now = clock.now()
        var failure = Queries.StandingProblem(problem, source: Self.source, at: now)
        failure.id = Self.id
        let new = failure
        let (before, after) = standing.withLock { standing in
            let before = standing
            let after = new.following(before, at: now)
            standing = after
            return (before, after)
        }
        let hasDoubled = after.failures & (after.failures - 1) == 0
        if hasDoubled || before?.isEscalated != after.isEscalated || before?.code != after.code { tell(after, at: now) }
    }

    /// A commit has written something: the problem is over.
    ///
    /// - Returns: The problem that stood; nil when there was none.
    public func resolve() -> Queries.StandingProblem? {
        let ended = standing.withLock { $0.take() }
        if let ended { tell(ServiceNotice(resolutionOf: ended)) }
        return ended
    }

    /// Hides it until there is news of it, or for a day.
    ///
    /// - Returns: The problem; nil when there is none.
    func dismiss() -> Queries.StandingProblem? {
        let now = clock.now()
        let dismissed = standing.withLock { standing in
            standing = standing?.dismissed(at: now)
            return standing
        }
        if let dismissed { tell(dismissed, at: now) }
        return dismissed
    }

    private func tell(_ problem: Queries.StandingProblem, at now: Instant) {
        tell(ServiceNotice(.problem, deviceId: nil, problem.json(in: .english, contact: contact, at: now)))
    }
}
