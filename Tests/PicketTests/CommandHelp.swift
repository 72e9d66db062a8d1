import TestSupport

/// The help of a command as the program prints it. Several tests read the help of all commands, so it is printed once.
struct CommandHelp: Sendable {
    /// The words of the command, as in `geofence add`.
    let command: [String]
    let status: Int32
    let output: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The help of every command that the overview names.
    static func all() throws -> [CommandHelp] { try printed.get() }

    private static let printed = Result {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path)
        let commands = try picket.run("--help").lines.filter { $0.hasPrefix("  ") }.map {
            $0.dropFirst(2).prefix(20).split(separator: " ").map(String.init)
        }
        return try commands.map { command in
            let help = try picket.run(command + ["--help"])
            return CommandHelp(command: command, status: help.status, output: help.output)
        }
    }
}
