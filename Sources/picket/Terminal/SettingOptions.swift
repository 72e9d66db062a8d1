import Model
import Service
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
            help += "; better in $\(setting.environmentVariable) or a file that $\(setting.environmentVariable)_FILE names"
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
    /// The settings, including those given as options of this command. Options of other commands may have the name of a setting of the
    /// service, as `device edit --policy`, and are none.
    func settings() throws(Problem) -> Settings {
        var flags: [String: String] = [:]
        let isOfService = command.options.contains { $0.name == "--" + Setting.Name.listen.rawValue }
        for setting in Setting.all where setting.scope != .serve || isOfService {
            let said = all("--" + setting.name.rawValue)
            if !said.isEmpty { flags[setting.name.rawValue] = said.joined(separator: ",") }
        }
        return try Settings(flags: flags, environment: environment, dataDirectory: directory.path)
    }
}
