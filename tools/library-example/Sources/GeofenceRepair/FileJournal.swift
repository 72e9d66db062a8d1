import Foundation
import PicketModel
import Reconciler
import Registry

/// The journal of the app's registrations, in a file of the app.
public struct FileJournal: RepairJournal {
    public let file: URL

    public init(_ file: URL) { self.file = file }

    /// Where a journal is kept that could not be read.
    public var damagedFile: URL { file.appendingPathExtension("damaged") }

    /// The saved journal; an empty one if there is none. A damaged one is moved away: iOS lists the app's regions, so the next
    /// repair creates a new one.
    public func load() async throws -> RegistryJournal {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return RegistryJournal()
        }
        do {
            return try RegistryJournal(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            try bytes.write(to: damagedFile, options: .atomic)
            try FileManager.default.removeItem(at: file)
            return RegistryJournal()
        }
    }

    /// Writes a new file and replaces the old one with it, so that the journal is complete after a crash.
    public func save(_ journal: RegistryJournal) async throws {
        let new = file.appendingPathExtension("new")
        try Data(journal.text.utf8).write(to: new)
        let handle = try FileHandle(forWritingTo: new)
        try handle.synchronize()
        try handle.close()
        guard rename(new.path, file.path) == 0 else {
            throw Problem.fileFailed(path: file.path, reason: .verbatim(String(cString: strerror(errno))))
        }
    }
}
