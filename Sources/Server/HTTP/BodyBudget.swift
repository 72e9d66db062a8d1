import Synchronization

/// Limits the memory that the bodies of all current requests take together.
final class BodyBudget: Sendable {
    private let bytes = Atomic<Int>(0)
    /// The limit, 256 MB.
    private static let limit = 256 << 20

    /// Reserves `count` bytes. Returns false when the limit is exceeded. The caller has to give the bytes back in both cases.
    func reserve(_ count: Int) -> Bool { bytes.add(count, ordering: .relaxed).newValue <= Self.limit }

    func release(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
