import Core
import HTTPServer
import Model
import Settings
import ToolSupport

/// `picket config`: shows every setting and where its value comes from.
enum ConfigCommand {
    static let command = Command(
        name: "config", summary: "Show all settings, and where each value comes from.",
        options: Option.serve + Option.client + [Option("--template", "Print a template for picket.conf")],
        discussion: """
            The value of a setting comes from its option, otherwise from the environment (PICKET_LOG_LEVEL for log-level), otherwise
            from picket.conf in the data directory, otherwise from /etc/picket/picket.conf. Lines of these files are 'name = value';
            comments start with '#'. A secret can also be in a file that the environment names, for example by PICKET_TOKEN_FILE. A
            certificate that clients would refuse, and an address where tokens could be intercepted, are reported on standard error,
            and the exit status is 1.
            """,
        examples: ["picket config", "picket config --listen '[::]:7575' --json"]
    ) { invocation throws(Problem) in
        if invocation.has("--template") {
            invocation.output.write(template)
            return .done
        }
        let settings = try invocation.settings()
        let output = invocation.output
        if invocation.isJSON {
            for value in settings.values { output.print(json(value).description) }
            return check(settings, invocation)
        }
        var table = Table(Phrase("NAME|VALUE|FROM"), in: invocation.language)
        for value in settings.values {
            table.add([
                value.setting.name.rawValue, value.shown.map { Format.printable($0) } ?? Table.noValue,
                Format.printable(invocation.text(value.source.phrase), atMost: 300),
            ])
        }
        table.print(to: output)
        return check(settings, invocation)
    }

    /// Reports what would make a service with these settings refuse connections or be unsafe to run: an unusable TLS certificate, and
    /// tokens sent without encryption.
    private static func check(_ settings: Settings, _ invocation: Invocation) -> ExitStatus {
        var problems = [settings.transportProblem].compactMap { $0 }
        do throws(Problem) {
            if let problem = try ServerCertificate(settings)?.problem(at: SystemClock().now()) { problems.append(problem) }
        } catch {
            problems.append(error)
        }
        invocation.output.flush()
        for problem in problems {
            invocation.report(problem)
        }
        return problems.isEmpty ? .done : .needsAttention
    }

    /// A `picket.conf` in which every setting that a service uses is commented out, with its default or its form.
    private static var template: String {
        var text =
            "# Settings of Picket. Commented lines show the defaults. 'picket config' shows the current values.\n"
        for setting in Setting.all where setting.isAllowedInFile && setting.scope != .client {
            text += "\n# \(setting.summary).\n# \(setting.name.rawValue) = \(setting.defaultText ?? setting.placeholder)\n"
        }
        return text
    }

    private static func json(_ value: SettingValue) -> JSONValue {
        var source: [(String, JSONValue?)]
        switch value.source {
        case .flag(let name): source = [("kind", "option"), ("name", .string(name))]
        case .environment(let name): source = [("kind", "environment"), ("name", .string(name))]
        case .secretFile(let variable, let path):
            source = [("kind", "environment"), ("name", .string(variable)), ("file", .string(path))]
        case .file(let path, let line): source = [("kind", "file"), ("file", .string(path)), ("line", JSONValue(line))]
        case .standard: source = [("kind", "default")]
        }
        return .compact([
            ("name", .string(value.setting.name.rawValue)),
            ("value", value.shown.map(JSONValue.string) ?? .null),
            ("source", .compact(source)),
        ])
    }
}
