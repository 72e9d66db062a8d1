import Synchronization

/// A Boolean that several threads read and write atomically.
final class Flag: Sendable {
    let value = Atomic<Bool>(false)
}
