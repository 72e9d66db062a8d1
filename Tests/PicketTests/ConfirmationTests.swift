import Foundation
import TestSupport
import Testing

@Suite("Confirmation")
struct ConfirmationTests {
    private let shell: Shell

    /// A store in which anna has been at home once.
    init() throws {
        shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let track = try shell.file(
            "walk.csv",
            """
            device,timestamp,latitude,longitude
            anna,2026-05-01T10:00:00Z,52.51,13.4
            anna,2026-05-01T10:10:00Z,52.5,13.4
            anna,2026-05-01T10:20:00Z,52.51,13.4

            """)
        try shell.picket.run("feed", track, "--policy", "exact")
    }

    private var devices: [String] { get throws { try shell.picket.run("ids", "device").lines } }

    @Test("Without a terminal, a device is removed and erased only with --yes", arguments: ["remove", "erase"])
    func withoutTerminal(_ action: String) throws {
        let refused = try shell.picket.run("device", action, "anna", input: "y\n")
        #expect(refused.status == 2 && refused.errors.contains("--yes"), "\(refused.errors)")
        #expect(try devices == ["anna"])
        #expect(try shell.picket.run("device", action, "anna", "--yes").status == 0)
        #expect(try devices == [])
    }

    @Test("The removal of a device reports what it deletes and what stays")
    func removal() throws {
        let output = try shell.picket.run("device", "remove", "anna", "--yes", "--json").lines
        #expect(output == [#"{"removed":"anna","positions":3,"events":2,"visits":1}"#])
        #expect(try shell.picket.run("events", "--json").lines.count == 2)
        #expect(try shell.picket.run("device", "remove", "anna", "--yes").status == 2, "it is gone")
    }

    @Test("Positions from a time on are removed only with --yes, and the events that followed from them are retracted")
    func positions() throws {
        let command = ["device", "positions", "remove", "anna", "--since", "2026-05-01T10:15:00Z"]
        let refused = try shell.picket.run(command, input: "y\n")
        #expect(refused.status == 2 && refused.errors.contains("--yes"), "\(refused.errors)")
        let counted = try shell.picket.run(command + ["--dry-run", "--json"]).lines
        #expect(counted == [#"{"deviceId":"anna","since":"2026-05-01T10:15:00.000Z","positions":1}"#])
        let output = try shell.picket.run(command + ["--yes", "--json"]).lines
        #expect(output == [#"{"deviceId":"anna","since":"2026-05-01T10:15:00.000Z","positions":1,"retracted":1,"new":0}"#])
        #expect(try shell.picket.run("events", "--json").lines.count == 1)
        #expect(try shell.picket.run("check").status == 0)
        #expect(try shell.picket.run("device", "positions", "remove", "anna", "--yes").status == 2, "no time")
        #expect(try shell.picket.run("device", "positions", "move", "anna", "--since", "2026-05-01", "--yes").status == 2)
    }

    @Test(
        "On a terminal, the question counts what is deleted, and only yes removes",
        arguments: [("en", "n", true), ("en", "", true), ("en", "y", false), ("tr", "y", true), ("tr", "e", false)])
    func onTerminal(_ language: String, _ answer: String, _ stays: Bool) throws {
        guard Tool("script") != nil, let timeout = Tool("timeout") else {
            return Tool.skipped("questions on a terminal", without: "script(1)")
        }
        let command = "'\(Program.path)' --data '\(shell.picket.data)' --language \(language) device remove anna"
        let output = try timeout.run([
            "\(Int(Watchdog.seconds))", "sh", "-c", "printf '\(answer)\\n' | script -qfec \"\(command)\" /dev/null",
        ]).output
        let question =
            language == "en"
            ? "Remove device anna with 3 positions and its registrations? This cannot be undone. "
                + "Its 2 events and 1 visit are kept. [y/N]"
            : "anna cihazı 3 konumu ve kayıtlarıyla birlikte silinsin mi? Bu geri alınamaz. 2 olayı ve 1 ziyareti saklanır. [e/H]"
        #expect(output.contains(question), "\(output)")
        #expect(try devices == (stays ? ["anna"] : []), "\(output)")
    }
}
