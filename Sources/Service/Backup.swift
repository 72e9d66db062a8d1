import Foundation
import Model
import SQLite
import SimulatedOS
import Store

/// One file that holds everything: the region store, and the simulated phones in a table of their own.
///
/// It is a SQLite database like the store itself, so that SQLite's own tools can look at it.
public struct Backup: Sendable {
    public var path: String
    public var bytes: Int
    public var totals: Queries.Totals
    public var phones: Int

    /// What is done, in this order.
    public enum Stage: String, Sendable {
        case copying, unpacking, keeping, replacing
    }
}

extension Backup {
    /// Writes a store and the phones beside it into one file, in the place of what is there.
    fileprivate static func write(
        _ store: RegionStore, phones directory: DataDirectory, to file: String, at now: Instant, progress: (Int, Int) -> Void
    ) throws(Problem) -> Backup {
        let partial: PartialFile
        do {
            partial = try PartialFile(for: file)
        } catch {
            throw Problem(error, at: file)
        }
        let totals = try store.snapshot { () throws(Problem) in
            let totals = try Queries.Totals(store)
            try store.copy(to: partial.path, named: file, at: now, progress: progress)
            return totals
        }
        let hasPhones = try directory.hasRegistry()
        let phones = try RegistryFile.copyPhones(from: hasPhones ? directory.registry : nil, toNew: partial.path)
        do {
            try partial.place()
        } catch {
            throw Problem(error, at: file)
        }
        return Backup(path: file, bytes: DataDirectory.size(file), totals: totals, phones: phones)
    }
}

extension Queries {
    /// Writes everything into one file, as it is at one moment, beside whoever writes. The file is there when it is complete and
    /// on disk, and not before; readable for its owner only.
    ///
    /// The phones are read after the store, a moment later: as real ones they live on by themselves.
    ///
    /// - Parameters:
    ///   - replacing: Whether a file that is there may be replaced.
    ///   - progress: Told the pages copied, and of how many.
    /// - Throws: `Problem.conflict` for a file that already exists.
    public func backup(
        to file: String, replacing: Bool = false, progress: (Backup.Stage, Int, Int) -> Void = { _, _, _ in }
    ) throws(Problem) -> Backup {
        guard hasStore else { throw .fileFailed(path: directory.store, reason: "there is no store yet, and nothing to back up") }
        if let flaw = flaw(ofTarget: file, replacing: replacing) { throw flaw }
        return try Backup.write(store, phones: directory, to: file, at: clock.now()) { progress(.copying, $0, $1) }
    }

    private func flaw(ofTarget file: String, replacing: Bool) -> Problem? {
        var status = stat()
        guard stat(file, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR {
            return .fileFailed(path: file, reason: "it is a directory; name a file in it, as \(file)/picket.backup")
        }
        for own in [directory.store, directory.registry] where DataDirectory.isSameFile(own, file) {
            return .fileFailed(path: file, reason: "it is the store itself; a backup belongs elsewhere")
        }
        return replacing
            ? nil : .conflict(kind: "file", id: file, reason: "already exists. Choose another name, or replace it with --force")
    }
}

/// A backup put back.
public struct Restoration: Sendable {
    /// When the backup was made; nil when it is a store that was copied by other means.
    public var madeAt: Instant?
    public var totals: Queries.Totals
    /// The generation that the restore began; see `StoreGeneration`.
    public var generation: StoreGeneration
    /// Nil when the backup knows nothing of phones, and those that were there stayed.
    public var phones: Int?
    /// Where what was there before is kept; empty when there was nothing.
    public var kept: [String]
    /// What was put in order in the directory.
    public var care: DirectoryCare

    /// Puts a backup in the place of what a data directory holds.
    ///
    /// The backup is looked over and made ready beside the store first; then it takes its place in one transaction. What was there
    /// is kept in the directory as a backup of its own (or, when it is too damaged to be read, as the files that it was).
    ///
    /// - Throws: `Problem.storeBusy` while another process writes there; `storeTooNew`, `storeCorrupt` and `unsupportedFormat`,
    ///   each about the backup. The store is then as it was.
    public static func restore(
        _ file: String, into directory: DataDirectory, clock: any WallClock = SystemClock(),
        progress: (Backup.Stage, Int, Int) -> Void = { _, _, _ in }
    ) throws(Problem) -> Restoration {
        guard access(file, R_OK) == 0 else { throw .fileFailed(path: file, reason: String(cString: strerror(errno))) }
        for own in [directory.store, directory.registry] where DataDirectory.isSameFile(own, file) {
            throw .fileFailed(path: file, reason: "it is the store itself, and no backup of it")
        }
        let lock = try DirectoryLock(directory, purpose: "restore")
        defer { withExtendedLifetime(lock) {} }
        // Nobody else makes one while the lock is held.
        let ready = directory.restoring
        defer { DatabaseFile.remove(ready) }
        let madeAt = try RegionStore.unpack(file, to: ready) { progress(.unpacking, $0, $1) }
        try RegistryFile.dropPhones(from: ready)
        let (kept, lineage) = try keep(directory, clock.now(), progress)
        try RegionStore.beginGeneration(of: ready, inPlaceOf: lineage, at: clock.now())
        try RegionStore.replace(directory.store, by: ready) { progress(.replacing, $0, $1) }
        let phones = try RegistryFile(path: directory.registry).restorePhones(from: file)
        let restored = try ServiceReader(directory)
        return Restoration(
            madeAt: madeAt, totals: try restored.totals(), generation: try restored.generations().current, phones: phones,
            kept: kept, care: lock.care)
    }

    /// Keeps what a directory holds beside it.
    ///
    /// - Returns: Where, and what the store there has numbered, as far as that can be read.
    private static func keep(
        _ directory: DataDirectory, _ now: Instant, _ progress: (Backup.Stage, Int, Int) -> Void
    ) throws(Problem) -> (kept: [String], lineage: RegionStore.Lineage?) {
        let stamp = now.description.prefix(19).filter { $0.isNumber || $0 == "T" }
        let base = "\(directory.path)/before-restore-\(stamp)Z"
        var name = base
        var number = 2
        while access(name + ".backup", F_OK) == 0 || access(name + ".sqlite", F_OK) == 0 {
            name = "\(base)-\(number)"
            number += 1
        }
        guard try directory.hasStore() else { return ([], nil) }
        do {
            let store = try RegionStore(reading: directory.store)
            if try store.version() == 0 { return ([], nil) }
            let backup = try Backup.write(store, phones: directory, to: name + ".backup", at: now) { progress(.keeping, $0, $1) }
            return ([backup.path], try store.lineage())
        } catch {
            // What cannot be read is kept as it is.
            guard error.isOfUnreadable else { throw error }
            var kept: [String] = []
            for (file, name) in [(directory.store, name + ".sqlite"), (directory.registry, name + "-os-registry.sqlite")]
            where access(file, F_OK) == 0 {
                do {
                    try DatabaseFile.move(file, to: name)
                } catch {
                    throw Problem(error, at: file)
                }
                kept.append(name)
            }
            return (kept, nil)
        }
    }
}

extension Problem {
    /// Whether a file cannot be read as a store, whoever tries.
    fileprivate var isOfUnreadable: Bool {
        switch self {
        case .storeCorrupt, .storeTooNew, .storeFailed, .migrationFailed: true
        default: false
        }
    }
}

extension DataDirectory {
    /// Bytes of the store and the phones' file, with their logs.
    public var size: Int {
        [store, registry].flatMap { [$0, $0 + "-wal"] }.reduce(0) { $0 + DataDirectory.size($1) }
    }

    /// Bytes of a file; 0 when there is none.
    package static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Whether two paths lead to one file.
    static func isSameFile(_ a: String, _ b: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(a, &first) == 0, stat(b, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
}

extension Backup {
    public var json: JSONValue {
        .compact([
            ("backup", .string(path)),
            ("bytes", JSONValue(bytes)),
            ("geofences", JSONValue(totals.geofences)),
            ("devices", JSONValue(totals.devices)),
            ("fixes", JSONValue(totals.fixes)),
            ("events", JSONValue(totals.events)),
            ("phones", JSONValue(phones)),
            ("store", totals.identity?.json),
        ])
    }
}

extension Restoration {
    public var json: JSONValue {
        .compact([
            ("madeAt", madeAt.map { JSONValue($0) }),
            ("geofences", JSONValue(totals.geofences)),
            ("devices", JSONValue(totals.devices)),
            ("fixes", JSONValue(totals.fixes)),
            ("events", JSONValue(totals.events)),
            ("phones", phones.map { JSONValue($0) }),
            ("kept", .array(kept.map(JSONValue.string))),
            ("store", totals.identity?.json),
            ("resumeAfter", JSONValue(Int(generation.branch))),
        ])
    }
}
