import Client
import Core
import Foundation
import Model
import Operations
import Places
import ToolSupport

/// A copy of the store for `picket feed --dry-run`, which is deleted at the end.
final class FeedTrial {
    /// The copy.
    let service: ServiceWriter
    private let folder: String

    /// Copies the store of the data directory, or of the service that is named. Without a store the copy is empty.
    ///
    /// - Throws: `Problem.fileFailed` if the copy cannot be written, and the problems of a backup and of a restore.
    init(_ invocation: Invocation) throws(Problem) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "picket-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .fileFailed(path: folder, reason: error.systemReason)
        }
        self.folder = folder
        do throws(Problem) {
            let copy = DataDirectory(path: folder + "/data")
            let backup = folder + "/store.backup"
            var hasStore = true
            if let service = try invocation.namedService() {
                _ = try service.backup(to: backup, replacing: false) { _, _ in }
            } else {
                hasStore = try invocation.directory.hasStore()
                if hasStore { _ = try invocation.readingService().backup(to: backup) }
            }
            if hasStore { _ = try Restoration.restore(backup, into: copy) }
            service = try ServiceWriter(copy, purpose: "feed --dry-run")
            // A service that is named has its own settings.
            if try invocation.settings().server == nil { try service.beginFeeding(invocation.settings()) }
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
