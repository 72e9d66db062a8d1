import Foundation
import Model

/// Finds the value of a setting. It uses the first of these sources that has a value: the option, the environment, for a secret the file
/// named by the environment, the data directory's `picket.conf`, and the system's `picket.conf`.
struct SettingsLookup {
    private let flags: [String: String]
    private let environment: [String: String]
    private let dataDirectory: String
    private let files: [SettingsFile]

    init(
        flags: [String: String], environment: [String: String], dataDirectory: String, systemFile: String
    ) throws(Problem) {
        self.flags = flags
        self.environment = environment
        self.dataDirectory = dataDirectory
        files = [try SettingsFile(path: dataDirectory + "/picket.conf"), try SettingsFile(path: systemFile)]
    }

    func value(_ setting: Setting) throws(Problem) -> SettingValue {
        if let text = flags[setting.name.rawValue] {
            return SettingValue(setting: setting, text: text, source: .flag("--" + setting.name.rawValue))
        }
        if let text = environment[setting.environmentVariable], !text.isEmpty {
            return SettingValue(setting: setting, text: text, source: .environment(setting.environmentVariable))
        }
        if setting.isSecret, let path = environment[setting.environmentVariable + "_FILE"], !path.isEmpty {
            return SettingValue(
                setting: setting, text: try Self.secret(path),
                source: .secretFile(variable: setting.environmentVariable + "_FILE", path: path))
        }
        for file in files {
            guard let entry = file.entries[setting.name] else { continue }
            return SettingValue(setting: setting, text: entry.text, source: .file(path: file.path, line: entry.line))
        }
        return standard(setting)
    }

    /// The value if none of Picket's own sources has one: the default, or the locale and the zone that all programs have.
    private func standard(_ setting: Setting) -> SettingValue {
        switch setting.name {
        case .data: return SettingValue(setting: setting, text: dataDirectory, source: .standard)
        case .language:
            guard let variable = Language.variable(environment), let text = environment[variable], Language(tag: text) != nil
            else { break }
            return SettingValue(setting: setting, text: text, source: .environment(variable))
        case .timezone:
            return SettingValue(
                setting: setting, text: LocalTimeZone.machineZoneName(environment),
                source: environment["TZ"] == nil ? .standard : .environment("TZ"))
        default: break
        }
        return SettingValue(setting: setting, text: setting.defaultText, source: .standard)
    }

    /// The first line of a file.
    private static func secret(_ path: String) throws(Problem) -> String {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
        guard let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first else {
            throw .fileFailed(path: path, reason: .emptySecret)
        }
        return line.trimmingCharacters(in: .whitespaces)
    }
}

extension Language {
    /// The locale variable that determines the language (POSIX: `LC_ALL` before `LC_MESSAGES` before `LANG`); nil if none is set.
    static func variable(_ environment: [String: String]) -> String? {
        ["LC_ALL", "LC_MESSAGES", "LANG"].first { environment[$0]?.isEmpty == false }
    }

    /// The language that the environment requests: `PICKET_LANGUAGE`, otherwise the locale, otherwise English.
    package static func standard(_ environment: [String: String]) -> Language {
        let variables = [Setting.named(.language).environmentVariable, variable(environment)].compactMap { $0 }
        return variables.lazy.compactMap { environment[$0].flatMap(Language.init(tag:)) }.first ?? .english
    }
}
