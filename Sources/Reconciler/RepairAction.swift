import Model
import Registry

extension Repair {
    /// What the driver of a repair has to do next. The driver answers each action with exactly one event.
    public enum Action: Hashable, Sendable {
        /// Take a snapshot. Answered by `read` or `noAnswer`.
        case read
        /// Save the journal. Answered by `saved`.
        case save(RegistryJournal)
        /// Make the call. Answered by `done` or `failed`.
        case perform(RegistryOperation)
        /// Wait until the given time. Answered by `woke`.
        case wait(until: Instant)
        /// Record states that contradict the recorded visits. Answered by `statesRecorded`.
        case recordStates([ReconciledState])
        /// The repair is over; see `report`.
        case finish
    }

    /// What happened since the last action.
    public enum Event: Sendable {
        /// The repair begins. Answered with the first action.
        case begin
        /// The registry was read.
        case read(RegistrySnapshot)
        /// The registry could not be read.
        case noAnswer(RegistryError)
        /// The journal is on disk.
        case saved
        /// The call returned normally. Has the state if the call requested one.
        case done(RegionState?)
        /// The call threw an error.
        case failed(RegistryError)
        /// The requested time has come.
        case woke
        /// The states of `recordStates` are recorded.
        case statesRecorded
    }
}
