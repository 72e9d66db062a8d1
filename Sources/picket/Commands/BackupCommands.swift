import Client
import Core
import Foundation
import Model
import Operations
import ToolSupport

/// `picket backup` and `picket restore`.
enum BackupCommands {
    static let all = [backup, restore]

    static let backup = Command(
        name: "backup", summary: "Write a backup of everything to a file.", arguments: "FILE", count: 1...1,
        options: [Option("--force", "Replace an existing file")] + Option.client,
        discussion: """
            Contains geofences, devices, positions, events and simulated phones as of one moment, and the picket.conf files in use. What
            the settings use and the backup does not contain is listed, such as certificates. Other commands and the service can
            continue to write. The file appears only when it is complete and on disk. It contains positions, so keep it as safe as the
            store itself. With --server, the service first writes the backup beside its store, where it takes as much space, and then
            sends it.
            """,
        examples: ["picket backup picket-2026-05-01.backup", "picket check picket-2026-05-01.backup"]
    ) { invocation throws(Problem) in
        let progress = Progress(Phrase("Backing up"), of: invocation)
        let backup: Backup
        do {
            defer { progress.clear() }
            backup = try invocation.backup(to: invocation.words[0], replacing: invocation.has("--force")) {
                progress.update($0, of: $1)
            }
        }
        invocation.print(
            backup.json, or: Phrase("\(backup.path): \(Format.contents(backup.totals)); \(Format.size(backup.bytes))."))
        if !invocation.isJSON, !backup.omissions.isEmpty {
            let list = backup.omissions.map { "\($0.setting) (\($0.source))" }.joined(separator: ", ")
            invocation.print(Phrase("Not in the backup: \(Format.printable(list, atMost: 2000))"))
        }
        return .done
    }

    static let restore = Command(
        name: "restore", summary: "Replace the store with a backup.", arguments: "FILE", count: 1...1,
        discussion: """
            The backup is checked first; then it replaces the store completely, or not at all. The earlier store is kept in the data
            directory as a backup, whose name is printed. The picket.conf in the backup is written if the directory has none; otherwise
            the settings that differ are listed. Nothing else may write to the store: stop the service first.
            """,
        noServer: .worksOnFilesOfService(Phrase("it replaces the store, which a running service has open")),
        examples: ["picket restore picket-2026-05-01.backup", "picket --data /tmp/looking restore picket-2026-05-01.backup"]
    ) { invocation throws(Problem) in
        try invocation.refuseNamedService()
        let progress = Progress(Phrase("Restoring"), of: invocation)
        let restored: Restoration
        do {
            defer { progress.clear() }
            restored = try Restoration.restore(invocation.words[0], into: invocation.directory) {
                progress.update($1, of: $2, note: description(of: $0))
            }
        }
        invocation.printDirectoryCare(restored.care)
        let output = invocation.output
        if invocation.isJSON {
            output.print(restored.json.description)
            return .done
        }
        let contents = Format.contents(restored.totals)
        invocation.print(
            restored.backupCreatedAt.map { Phrase("Restored \(contents), as of \(Format.time($0, in: invocation.timeZone)).") }
                ?? Phrase("Restored \(contents)."))
        invocation.print(
            Phrase(
                """
                New events are numbered from \(plain: restored.epoch.start + 1) on. A client that has read events after number \
                \(plain: restored.epoch.branch) is asked to continue after it.
                """))
        if restored.phones == nil {
            invocation.print(Phrase("The backup contains no simulated phones; the existing ones were kept."))
        }
        print(restored.settings, invocation)
        for path in restored.preservedPaths { invocation.print(Phrase("The previous store is kept in \(path)")) }
        return .done
    }

    private static func print(_ settings: RestoredSettings, _ invocation: Invocation) {
        if let path = settings.createdFile {
            invocation.print(
                Phrase("The settings were restored in \(path). Check them before you start the service: picket config"))
        }
        guard !settings.differences.isEmpty else { return }
        invocation.print(Phrase("These settings in the backup differ from those here, which were kept:"))
        var table = Table(Phrase("SETTING|IN THE BACKUP|HERE|FILE"), in: invocation.language)
        for difference in settings.differences {
            table.add([
                Format.printable(difference.name), difference.backup.map { Format.printable($0) } ?? Table.noValue,
                difference.here.map { Format.printable($0) } ?? Table.noValue, Format.printable(difference.file),
            ])
        }
        table.print(to: invocation.output)
    }

    private static func description(of stage: Backup.Stage) -> Phrase? {
        switch stage {
        case .copying: nil
        case .unpacking: Phrase("reading the backup")
        case .keeping: Phrase("keeping the current store")
        case .replacing: Phrase("putting the backup in place")
        }
    }
}

extension Invocation {
    /// Writes a backup of the service that is named, else of the data directory.
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing file may be replaced.
    ///   - progress: Receives the completed and the total amount of work.
    fileprivate func backup(to file: String, replacing: Bool, progress: (_ done: Int, _ of: Int) -> Void) throws(Problem)
        -> Backup
    {
        if let service = try namedService() { return try service.backup(to: file, replacing: replacing, progress: progress) }
        return try readingService().backup(to: file, replacing: replacing, settings: settings()) { progress($1, $2) }
    }
}
