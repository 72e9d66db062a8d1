import Core
import Model
import Settings
import ToolSupport

extension Option {
    /// A command-line option for a setting.
    init(_ setting: Setting) {
        if setting.placeholder.isEmpty {
            self.init("--" + setting.name.rawValue, setting.summary)
            return
        }
        let standard = setting.defaultText.map { " (\($0))" } ?? ""
        self.init(
            "--" + setting.name.rawValue, value: setting.placeholder, isRepeatable: setting.isList,
            help: setting.summary + standard)
        // A secret among the arguments is visible in the process list.
        if setting.isSecret {
            help += "; safer in $\(setting.environmentVariable), or in a file named by $\(setting.environmentVariable)_FILE"
        }
        choices =
            switch setting.name {
            case .language: Language.allCases.map(\.rawValue)
            case .durability: Durability.allCases.map(\.rawValue)
            case .logLevel: LogLevel.allCases.map(\.rawValue)
            case .logFormat: LogFormat.allCases.map(\.rawValue)
            default: []
            }
    }

    /// The options of `picket serve`.
    static let serve = Setting.all.filter { $0.scope == .serve }.map(Option.init(_:))

    /// The options of commands that can go through a running service.
    static let client = Setting.all.filter { $0.scope == .client }.map(Option.init(_:))
}

extension Invocation {
    /// The settings, including those given as options of this command. An option of another command than those of the service can have the
    /// name of a setting, for example `device edit --policy`, and does not change the setting.
    func settings() throws(Problem) -> Settings {
        var flags: [String: String] = [:]
        let isOfService = command.options.contains { $0.name == "--" + Setting.Name.listen.rawValue }
        for setting in Setting.all where setting.scope != .serve || isOfService {
            let said = all("--" + setting.name.rawValue)
            if !said.isEmpty { flags[setting.name.rawValue] = said.joined(separator: ",") }
        }
        return try Settings(flags: flags, environment: environment, dataDirectory: directory.path)
    }

    /// The time zone in the settings. Commands that use settings report unusable ones; the others print times of the machine's zone.
    var readersTimeZone: LocalTimeZone {
        do throws(Problem) {
            return try settings().timeZone
        } catch {
            return .ofMachine(environment)
        }
    }
}
