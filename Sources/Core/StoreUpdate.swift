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
        let name = "before-update-\(now.description.prefix(19).filter { $0.isNumber || $0 == "T" })Z.backup"
        let kept = directory.path + "/" + name
        do throws(Problem) {
            let partial = try PartialFile.create(for: kept)
            try store.copy(to: partial.path, named: kept, at: now) { _, _ in }
            try partial.finish(kept)
            try Self.tryUpdate(of: kept, version, in: directory)
        } catch {
            DatabaseFile.remove(kept)
            throw switch error {
            case .migrationFailed(_, let version, let details):
                .migrationFailed(path: directory.storePath, version: version, details: details)
            case .storeCorrupt(_, let details): .storeCorrupt(path: directory.storePath, details: details)
            default: error
            }
        }
        copy = name
    }

    private static func tryUpdate(of kept: String, _ version: Int, in directory: DataDirectory) throws(Problem) {
        // Only the holder of the lock creates this file.
        let trial = directory.restoring
        defer { DatabaseFile.remove(trial) }
        _ = try PicketStore.unpack(kept, to: trial) { _, _ in }
        let updated = try PicketStore(writing: trial)
        var flaws = StoreFlaws()
        _ = try updated.findDamage(&flaws)
        if let flaw = flaws.first.first { throw .migrationFailed(path: trial, version: version, details: flaw.details) }
        _ = try updated.geofences()
        _ = try updated.devices()
        _ = try updated.presenceRules()
    }
}
