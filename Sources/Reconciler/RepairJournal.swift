import Geodesy
import Model
import Registry

/// Stores the journal of one device. While a repair of the device runs, nothing else writes the journal.
public protocol RepairJournal: Sendable {
    /// The journal that was saved last; an empty one if none was saved.
    func load() async throws -> RegistryJournal
    /// Saves the journal, and returns when it is on disk.
    func save(_ journal: RegistryJournal) async throws
}
