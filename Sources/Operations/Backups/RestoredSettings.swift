import Core
import Model
import SQLite
import Settings

/// What a restore did with the settings in a backup.
package struct RestoredSettings: Hashable, Sendable {
    /// A setting whose value in a file of the backup differs from that in the file of this machine.
    package struct Difference: Hashable, Sendable {
        /// The path of the file on this machine.
        package var file: String
        package var name: String
        /// The value in the backup for display; nil if its file does not contain the setting.
        package var backup: String?
        /// The value on this machine for display; nil if its file does not contain the setting.
        package var here: String?
    }

    /// The path of the file that was created; nil if none was.
    package var createdFile: String?
    package var differences: [Difference] = []

    /// Creates the `picket.conf` of the data directory if it has none, and compares all other files.
    ///
    /// - Parameter systemFile: The path of the system's `picket.conf` on this machine.
    static func restore(
        _ settings: BackupSettings, into directory: DataDirectory, systemFile: String
    ) throws(Problem) -> RestoredSettings {
        var restored = RestoredSettings()
        for file in settings.files {
            let path = file.place == .data ? directory.path + "/" + SettingsFile.name : systemFile
            if let present = try BackupSettings.file(file.place, path) {
                restored.compare(file.text, with: present)
            } else if file.place == .data {
                let partial = try PartialFile.create(for: path)
                var bytes = Array(file.text.utf8)
                try partial.append(&bytes, of: path)
                try partial.finish(path)
                restored.createdFile = path
            } else {
                restored.compare(file.text, with: .init(place: file.place, path: path, text: ""))
            }
        }
        return restored
    }

    private mutating func compare(_ text: String, with file: BackupSettings.File) {
        let (backup, here) = (SettingsFile.values(in: text), SettingsFile.values(in: file.text))
        for name in Set(backup.keys).union(here.keys).sorted() where backup[name] != here[name] {
            differences.append(
                Difference(
                    file: file.path, name: name, backup: backup[name].map { Self.shown($0, of: name) },
                    here: here[name].map { Self.shown($0, of: name) }))
        }
    }

    /// A value for display. That of a setting that this version does not know may be a secret.
    private static func shown(_ text: String, of name: String) -> String {
        Setting.Name(rawValue: name).map { SettingValue.shown(text, of: Setting.named($0)) } ?? "(hidden)"
    }

    var json: JSONValue {
        .compact([
            ("created", createdFile.map(JSONValue.string)),
            (
                "differences",
                .array(
                    differences.map {
                        .compact([
                            ("file", .string($0.file)), ("name", .string($0.name)), ("backup", $0.backup.map(JSONValue.string)),
                            ("here", $0.here.map(JSONValue.string)),
                        ])
                    })
            ),
        ])
    }
}
