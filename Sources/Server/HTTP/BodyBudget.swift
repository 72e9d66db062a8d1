import Synchronization

/// How much of bodies is in memory, of all requests that are on their way together.
final class BodyBudget: Sendable {
    private let bytes = Atomic<Int>(0)
    /// More is turned away: 256 MB.
    private static let most = 256 << 20

    /// Takes room for so many bytes, to be given back in any case. False when there is none.
    func take(_ count: Int) -> Bool { bytes.add(count, ordering: .relaxed).newValue <= Self.most }

    func giveBack(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
