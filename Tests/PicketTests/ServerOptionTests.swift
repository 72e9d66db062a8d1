import Foundation
import Model
import TestSupport
import Testing
import ToolSupport

@testable import picket

@Suite("Every command and --server")
struct ServerOptionTests {
    /// A call of each command with `--server`, in an order in which each finds what it names.
    private static func calls(_ folder: String) -> [(command: String, arguments: [String])] {
        [
            ("geofence add", ["--id", "school", "--circle", "52.6,13.4,100"]), ("geofence edit", ["school", "--name", "School"]),
            ("geofence list", []), ("geofence show", ["home"]), ("geofence overlaps", []),
            ("geofence export", ["\(folder)/places.geojson"]), ("geofence import", ["\(folder)/places.geojson"]),
            ("device add", ["ben", "--platform", "ios"]), ("device edit", ["ben", "--groups", "team"]), ("device list", []),
            ("device show", ["anna"]), ("device export", ["anna", "\(folder)/anna.ndjson"]), ("device enroll", ["eve"]),
            ("device waiting", []), ("device refuse", ["zoe"]), ("device readmit", ["zoe"]), ("group list", []),
            ("group edit", ["team", "--silent-after", "2h"]), ("group show", ["team"]),
            ("feed", ["\(folder)/track.csv"]), ("status", []), ("events", []), ("visits", []), ("stops", []),
            ("explain", ["--device", "anna", "--geofence", "home"]), ("health", []), ("fix-registration", ["--device", "ben"]),
            ("compare", ["--device", "anna", "--since", "2026-05-01"]), ("problems", []), ("problems show", ["77"]),
            ("problems dismiss", ["77"]), ("problems report", []),
            ("report", ["--by", "device", "--period", "month", "--since", "2026-05-01"]), ("alarm list", []),
            ("alarm ack", ["77"]),
            ("rule add", ["--id", "r", "--device", "anna", "--geofence", "home", "--stays-at-most", "1h"]), ("rule list", []),
            ("rule show", ["r"]), ("rule edit", ["r", "--stays-at-most", "2h"]), ("rule remove", ["r"]),
            ("sink add", ["webhook", "http://127.0.0.1:9/hook", "--id", "w"]), ("sink list", []), ("sink show", ["w"]),
            ("sink edit", ["w", "--initial", "yes"]), ("sink test", ["w"]), ("sink pause", ["w"]), ("sink resume", ["w"]),
            ("sink parked", ["w"]), ("sink remove", ["w"]), ("token create", ["x", "--role", "reader"]), ("token list", []),
            ("token revoke", ["x"]), ("config", []), ("replay", ["--apply"]), ("check", []), ("doctor", []), ("ids", ["device"]),
            ("backup", ["\(folder)/all.backup"]), ("geofence remove", ["school"]), ("device remove", ["ben", "--yes"]),
            ("device positions", ["remove", "anna", "--since", "2038-01-19", "--yes"]), ("device erase", ["anna", "--yes"]),
        ]
    }

    @Test("Each command has --server, or says in its help and when it is given why it does not")
    func options() throws {
        #expect(Picket.commands.count > 60)
        for command in Picket.commands {
            let hasOption = command.options.contains { $0.name == "--server" }
            guard let reason = command.noServer?.reason else {
                #expect(hasOption, "\(command.name) has neither --server nor a reason")
                continue
            }
            #expect(!hasOption, "\(command.name) has both --server and a reason for not having it")
            let directory = try TemporaryDirectory()
            let file = directory.path + "/help"
            let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
            command.printHelp(to: Output(descriptor: descriptor, environment: [:]))
            close(descriptor)
            let help = try String(contentsOfFile: file, encoding: .utf8)
            #expect(help.contains(reason.text(in: .english)), "\(command.name)")
            let words = Array(repeating: "x", count: command.count.lowerBound)
            for option in [["--server", "http://127.0.0.1:9"], ["--server=http://127.0.0.1:9"]] {
                let output = Output(descriptor: STDERR_FILENO, environment: [:])
                #expect(throws: command.problem(withServer: "http://127.0.0.1:9"), "\(command.name)") {
                    try Invocation(command, words + option, environment: [:], output: output)
                }
            }
            for language in Language.allCases {
                let message = command.problem(withServer: "http://127.0.0.1:9").message.text(in: language)
                #expect(message.contains(reason.text(in: language)) && message.contains("http://127.0.0.1:9"))
            }
        }
    }

    @Test("Each command that has --server works with it, on a machine without a store")
    func calls() throws {
        let directory = try TemporaryDirectory()
        let served = try ServedShell { picket in
            try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
            let rows = "device,timestamp,latitude,longitude\nanna,2026-05-01T10:00:00Z,52.5,13.4\n"
            try picket.run(["feed", "-", "--policy", "exact"], input: rows)
        }
        _ = try directory.write("device,timestamp,latitude,longitude\nanna,2026-05-01T10:05:00Z,52.7,13.4\n", to: "track.csv")
        let made = try served.picket.run("token", "create", "test", "--role", "admin", "--json")
        let secret = try #require(try JSONParser.parse(made.output)["secret"]?.string)
        let calls = Self.calls(directory.path)
        let able = Picket.commands.filter { $0.noServer == nil }.map(\.name)
        #expect(able.sorted() == calls.map(\.command).sorted())
        for (name, arguments) in calls {
            let command = try #require(Picket.commands.first { $0.name == name })
            let words = arguments + ["--server", served.url, "--token", secret]
            let result = try InProcessCommand().run(command, words)
            if case .notFound = result.problem { continue }
            #expect(result.problem == nil && result.status != nil, "\(name): \(String(describing: result.problem))")
        }
        let checked = try Shell().picket.run("check", directory.path + "/all.backup", "--json")
        #expect(checked.status == 0, "\(checked)")
        #expect(try JSONParser.parse(checked.output)["fixes"]?.double == 2)
    }
}
