import Synchronization

/// How much of bodies is in memory, of all requests that are on their way together.
final class BodyBudget: Sendable {
    private let bytes = Atomic<Int>(0)
    /// More is turned away: 256 MB.
    private static let most = 256 << 20

    /// One request's share, given back when the request is done with its body.
    final class Share {
        private let budget: BodyBudget
        private var taken = 0

        init(of budget: BodyBudget) { self.budget = budget }

        /// Takes more. False when there is no room.
        func take(_ count: Int) -> Bool {
            taken += count
            return budget.bytes.add(count, ordering: .relaxed).newValue <= BodyBudget.most
        }

        deinit { budget.bytes.subtract(taken, ordering: .relaxed) }
    }
}
