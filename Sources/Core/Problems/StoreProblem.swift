import Model
import Store
import Synchronization

/// The open problem of a store that a running service cannot write.
///
/// The store cannot save this problem, so it is kept in memory and shown together with the problems of the journal. Each failed commit
/// counts as a failure, and the next commit that writes something resolves the problem. Can be used from any thread.
package final class StoreProblem: Sendable {
    /// The id of the problem. The ids in the journal begin with 1.
    static let id: Int64 = 0
    static let source = "job/store"

    private let openProblem = Mutex<Queries.OpenProblem?>(nil)
    private let clock: any WallClock
    private let contact: SupportContact?
    private let publish: @Sendable (ServiceNotice) -> Void

    /// - Parameters:
    ///   - contact: See `Problem.json(in:contact:)`.
    ///   - publish: Called when the problem changes, on the thread that changes it.
    package init(
        clock: any WallClock, contact: SupportContact? = nil, publish: @escaping @Sendable (ServiceNotice) -> Void = { _ in }
    ) {
        self.clock = clock
        self.contact = contact
        self.publish = publish
    }

    /// The open problem, whether it is dismissed or not; nil while the store can be written.
    package var current: Queries.OpenProblem? { openProblem.withLock { $0 } }

    /// Records a failed commit. Watchers get a notice at the first failure, when the problem escalates or changes, and whenever the number
    /// of failures has doubled, because there can be hundreds of failures in a second.
    package func recordFailure(_ problem: Problem) {
        let now = clock.now()
        var failure = Queries.OpenProblem(problem, source: Self.source, at: now)
        failure.id = Self.id
        let new = failure
        let (before, after) = openProblem.withLock { open in
            let before = open
            let after = new.following(before, at: now)
            open = after
            return (before, after)
        }
        let hasDoubled = after.failures & (after.failures - 1) == 0
        if hasDoubled || before?.isEscalated != after.isEscalated || before?.code != after.code { sendNotice(after, at: now) }
    }

    /// Resolves the problem after a commit that has written something.
    ///
    /// - Returns: The problem; nil if there was none.
    package func resolve() -> Queries.OpenProblem? {
        let ended = openProblem.withLock { $0.take() }
        if let ended { publish(ServiceNotice(resolutionOf: ended)) }
        return ended
    }

    /// Hides the problem until it changes, at most for a day.
    ///
    /// - Returns: The problem; nil if there is none.
    func dismiss() -> Queries.OpenProblem? {
        let now = clock.now()
        let dismissed = openProblem.withLock { open in
            open = open?.dismissed(at: now)
            return open
        }
        if let dismissed { sendNotice(dismissed, at: now) }
        return dismissed
    }

    private func sendNotice(_ problem: Queries.OpenProblem, at now: Instant) {
        publish(
            ServiceNotice(.problem, deviceId: nil) {
                ShownProblem(problem, at: now).json(in: AnswerLocale($0, contact: contact))
            })
    }
}
