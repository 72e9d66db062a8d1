import Foundation
import Model
import Settings

/// The settings in a backup: the files in use, and what the files do not contain.
package struct BackupSettings: Hashable, Sendable {
    /// A `picket.conf` in a backup.
    struct File: Hashable, Sendable {
        /// Where Picket looks for the file.
        enum Place: String, CaseIterable, Sendable {
            /// The data directory.
            case data
            /// `/etc/picket`.
            case system
        }

        var place: Place
        /// The path of the file on the machine of the backup.
        var path: String
        var text: String
    }

    /// Something that the settings use and that the backup does not contain.
    package struct Omission: Hashable, Sendable {
        /// The name of the setting.
        package var setting: String
        /// The path of a file, or the option or environment variable with the value of the setting.
        package var source: String

        package init(setting: String, source: String) { (self.setting, self.source) = (setting, source) }
    }

    var files: [File] = []
    var omissions: [Omission] = []

    init(files: [File] = []) { self.files = files }

    /// Reads the files of settings.
    init(of settings: Settings) throws(Problem) {
        try self.init(in: settings.dataDirectory)
        files += try Self.file(.system, settings.systemFile).map { [$0] } ?? []
        omissions = settings.values.flatMap(Self.omissions)
    }

    /// Reads the file in a data directory.
    init(in directory: String) throws(Problem) {
        files = try Self.file(.data, directory + "/" + SettingsFile.name).map { [$0] } ?? []
    }

    /// The text of a file; nil if there is none.
    static func file(_ place: File.Place, _ path: String) throws(Problem) -> File? {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            let reason = access(path, R_OK) == 0 ? EISDIR : errno
            if reason == ENOENT || reason == ENOTDIR { return nil }
            throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(reason))))
        }
        return File(place: place, path: path, text: String(decoding: bytes, as: UTF8.self))
    }

    private static func omissions(_ value: SettingValue) -> [Omission] {
        let setting = value.setting
        var found: [Omission] = []
        if setting.namesNeededFile, let path = value.text, !path.isEmpty {
            found.append(Omission(setting: setting.name.rawValue, source: path))
        }
        switch value.source {
        case .secretFile(_, let path): found.append(Omission(setting: setting.name.rawValue, source: path))
        case .flag(let name) where setting.isAllowedInFile && setting.scope != .client:
            found.append(Omission(setting: setting.name.rawValue, source: name))
        // The time zone of the machine is no setting of Picket.
        case .environment(let name) where setting.isAllowedInFile && setting.scope != .client && name != "TZ":
            found.append(Omission(setting: setting.name.rawValue, source: name))
        case .flag, .environment, .file, .standard: break
        }
        return found
    }
}
