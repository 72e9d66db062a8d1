import Model
import Registry

extension Repair {
    /// What the driver does next. Each is answered by one event.
    public enum Action: Hashable, Sendable {
        /// Take a snapshot: `read` or `noAnswer`.
        case read
        /// Save the journal: `saved`.
        case save(RegistryJournal)
        /// Make the call: `done` or `failed`.
        case perform(RegistryOperation)
        /// Wait: `woke`.
        case wait(until: Instant)
        /// Hand out states that contradict what was told: `told`, when they are recorded.
        case tell([ReconciledState])
        /// It is over: `report`.
        case finish
    }

    public enum Event: Sendable {
        case begin
        case read(RegistrySnapshot)
        case noAnswer(RegistryError)
        case saved
        /// The call returned normally; with the state, if it asked for one.
        case done(RegionState?)
        case failed(RegistryError)
        case woke
        case told
    }
}
