import Synchronization

/// Something that is so or not, which one thread says and another asks.
final class Flag: Sendable {
    let value = Atomic<Bool>(false)
}
