import Core
import Foundation
import Model
import SQLite

/// A directory with scheduled backups. Their names contain their times, so they need no record elsewhere. Other files in the directory are
/// never touched.
struct BackupFolder: Sendable {
    /// A scheduled backup.
    struct Entry: Hashable, Sendable {
        var name: String
        var time: Instant
    }

    let path: String

    init(path: String) { self.path = path }

    /// The name of a backup, for example `picket-2026-05-01T101500Z.backup`.
    static func name(at time: Instant) -> String {
        "picket-" + time.description.prefix(19).filter { $0 != ":" } + "Z.backup"
    }

    /// The time of the backup with this name; nil for another file.
    static func time(of name: String) -> Instant? {
        // picket-YYYY-MM-DDTHHMMSSZ.backup
        let stamp = Array(name.dropFirst("picket-".count).dropLast("Z.backup".count))
        guard name.hasPrefix("picket-"), name.hasSuffix("Z.backup"), stamp.count == 17 else { return nil }
        let text = String(stamp[..<13]) + ":" + String(stamp[13..<15]) + ":" + String(stamp[15...]) + "Z"
        guard let time = Instant(text), Self.name(at: time) == name else { return nil }
        return time
    }

    /// The scheduled backups, the newest first. It is empty if the directory cannot be read.
    var entries: [Entry] {
        DatabaseFile.names(in: path + "/").compactMap { name in Self.time(of: name).map { Entry(name: name, time: $0) } }
            .sorted { $0.time > $1.time }
    }

    /// The newest backup that is not later than a moment. A later one was made with a wrong clock.
    func newest(at now: Instant) -> Entry? { entries.first { $0.time <= now } }

    /// Removes all but the newest backups. Those that are later than `now` stay and do not count.
    ///
    /// - Returns: The names of the removed files.
    func removeAll(except count: Int, at now: Instant) throws(Problem) -> [String] {
        var removed: [String] = []
        for entry in entries.filter({ $0.time <= now }).dropFirst(count) {
            let file = path + "/" + entry.name
            guard unlink(file) == 0 || errno == ENOENT else {
                throw .fileFailed(path: file, reason: .verbatim(String(cString: strerror(errno))))
            }
            removed.append(entry.name)
        }
        return removed
    }
}
