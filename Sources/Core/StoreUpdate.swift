import Foundation
import Model
import SQLite
import Store

/// An update of a store whose schema was that of an earlier version of Picket.
package struct StoreUpdate: Hashable, Sendable {
    /// The version of the schema before the update.
    package var previousVersion: Int
    /// The name of the file with the store as it was, on a copy of which the update was tried first; nil if the disk had no room for both.
    package var copy: String?

    /// Keeps a copy of a store, and tries the update on another one, so that a failure leaves the store as it is.
    ///
    /// - Parameters:
    ///   - store: A store with an older schema.
    ///   - freeBytes: The free disk space in bytes; nil if the system does not report it.
    /// - Throws: `Problem.migrationFailed` and `Problem.storeCorrupt` about the store, if the copy cannot be updated or read. No copy is
    ///   kept then.
    init(
        trying store: PicketStore, _ version: Int, in directory: DataDirectory, freeBytes: Int?, at now: Instant
    ) throws(Problem) {
        previousVersion = version
        if let freeBytes, freeBytes < 2 * directory.size + ServiceWriter.minFreeSpace { return }
        let name = StoreFileName.copyName(before: .update, at: now) + ".backup"
        let kept = directory.path + "/" + name
        do throws(Problem) {
            // The file gets its name at the end, so that the next start removes what a killed one has left.
            let partial = try PartialFile.create(for: kept)
            try store.copy(to: partial.path, named: kept, at: now) { _, _ in }
            try Self.tryUpdate(of: partial.path, version, in: directory)
            try partial.finish(kept)
            copy = name
        } catch {
            switch error {
            case .storeFull: return
            case .migrationFailed(_, let version, let details):
                throw .migrationFailed(path: directory.storePath, version: version, details: details)
            case .storeCorrupt(_, let details): throw .storeCorrupt(path: directory.storePath, details: details)
            default: throw error
            }
        }
    }

    /// Updates a copy of the store, and reads what a service reads at its start.
    private static func tryUpdate(of file: String, _ version: Int, in directory: DataDirectory) throws(Problem) {
        // Only the holder of the lock creates this file.
        let trial = directory.restoring
        defer { DatabaseFile.remove(trial) }
        _ = try PicketStore.unpack(file, to: trial) { _, _ in }
        do throws(Problem) {
            let updated = try PicketStore(reading: trial)
            _ = try updated.geofences()
            _ = try updated.devices()
            _ = try updated.presenceRules()
        } catch {
            throw .migrationFailed(path: trial, version: version, details: error.message.description)
        }
    }
}
