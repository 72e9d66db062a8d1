import Foundation
import Model
import TestSupport
import Testing

@Suite("Report for support")
struct SupportBundleCommandTests {
    private var shell: Shell

    init() throws { shell = try Shell() }

    private func picket(_ environment: [String: String] = [:]) -> Program {
        var picket = shell.picket
        picket.environment = environment
        return picket
    }

    @Test("Without a service, the report describes the directory and the missing log, without secrets")
    func local() throws {
        let picket = picket([
            "PICKET_MQTT": "mqtt://user:SECRET1@broker.example", "PICKET_TOKEN": "SECRET2",
            "PICKET_EMERGENCY_NUMBER": "555 01 02 03", "PICKET_SUPPORT_CONTACT": "help@example.org",
        ])
        try picket.run("geofence", "add", "--id", "home", "--name", "SECRET3", "--circle", "52.5163,13.3777,200")
        try picket.run("device", "add", "anna-phone", "--platform", "ios", "--name", "SECRET4")
        try picket.run("registry", "authorize", "denied")
        try picket.run("fix-registration")
        try picket.run("sink", "add", "webhook", "https://u:SECRET5@example.com/SECRET6?k=SECRET7", "--sink-token", "SECRET8")
        let report = try picket.run("problems", "report")
        #expect(report.status == 0, "\(report.errors)")
        let lines = report.lines
        #expect(lines[0].hasPrefix("Picket report of 20"))
        #expect(lines[1].hasPrefix("This report contains the versions") && lines[2] == "Send it to help@example.org.")
        for part in [
            "mqtt://user:***@broker.example", "server=https://example.com", "source=registry/anna-phone",
            "code=authorizationRequired",
            "libcurl", "journalctl -u picket", "isRunning              false",
        ] {
            #expect(report.output.contains(part), "\(part) in \(report.output)")
        }
        for secret in ["SECRET", "52.5163", "13.3777", "555 01"] { #expect(!report.output.contains(secret), "\(report.output)") }
        let json = try picket.run("problems", "report", "--json", "--language", "tr")
        #expect(!json.output.contains("SECRET"))
        #expect(try JSONParser.parse(json.output)["contents"]?.string?.hasPrefix("Bu rapor şunları içerir") == true)
    }

    @Test("The report goes to a file that only its owner can read, with advice what to do with it")
    func file() throws {
        let path = shell.directory.path + "/report.txt"
        let answer = try shell.picket.run("problems", "report", "--output", path)
        #expect(
            answer.status == 0 && answer.output.hasPrefix(path + ": ") && answer.output.contains("Read it"), "\(answer.output)")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("Picket report of"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let failed = try shell.picket.run("problems", "report", "--output", "/nowhere/report.txt")
        #expect(failed.status == 3 && failed.errors.contains("/nowhere/report.txt"))
    }

    @Test("With a service, the report contains the end of the log and the states of connections")
    func served() throws {
        let service = try RunningService(data: shell.picket.data, "--mqtt", "mqtt://127.0.0.1:\(try FreePort.find())")
        let report = try JSONParser.parse(try shell.picket.run("problems", "report", "--json").output)
        #expect(report["service"]?["isRunning"]?.bool == true)
        let lines = (report["log"]?["lines"]?.array ?? []).compactMap(\.string)
        #expect(lines.contains { $0.contains("started: The service is listening.") }, "\(lines)")
        #expect(report["mqtt"]?["state"]?.string != nil)
        let text = try shell.picket.run("problems", "report").output
        #expect(text.contains("started: The service is listening.") && text.contains("MQTT broker\n"), "\(text)")
        service.kill()
        #expect(
            try JSONParser.parse(try shell.picket.run("problems", "report", "--json").output)["service"]?["isRunning"]?.bool
                == false)
    }

    @Test("With broken settings or store, the report contains what is readable, and repeats no wrong value")
    func broken() throws {
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,200")
        let wrong = try picket(["PICKET_SERVER": "https://user:SECRET@example.com"]).run("problems", "report")
        #expect(wrong.status == 0 && wrong.output.contains("PICKET_SERVER cannot be used"), "\(wrong.output)\(wrong.errors)")
        #expect(!(wrong.output + wrong.errors).contains("SECRET"))
        try Data("This is no database, and it never was.".utf8).write(to: URL(filePath: shell.picket.data + "/picket.sqlite"))
        let damaged = try JSONParser.parse(try shell.picket.run("problems", "report", "--json").output)
        #expect(damaged["store"]?["problem"]?["code"]?.string == "storeCorrupt", "\(damaged)")
        #expect(damaged["settings"]?.array?.isEmpty == false)
    }

    @Test("A problem that only support can solve names the support contact, and without one can only be dismissed")
    func contact() throws {
        try FileManager.default.createDirectory(atPath: shell.picket.data, withIntermediateDirectories: true)
        try Data("This is no database, and it never was.".utf8).write(to: URL(filePath: shell.picket.data + "/picket.sqlite"))
        let led = try picket(["PICKET_SUPPORT_CONTACT": "https://example.org/help"]).run("status")
        #expect(led.status == 3)
        #expect(
            led.errors.contains("Contact https://example.org/help") && led.errors.contains("picket problems report"),
            "\(led.errors)")
        let json = try picket(["PICKET_SUPPORT_CONTACT": "https://example.org/help"]).run("status", "--json").errors
        let action = try JSONParser.parse(json)["problem"]?["recoveryAction"]
        #expect(action?["kind"]?.string == "contactSupport" && action?["contact"]?.string == "https://example.org/help")
        #expect(try !shell.picket.run("status").errors.contains("picket problems report"))
        let alone = try JSONParser.parse(try shell.picket.run("status", "--json").errors)["problem"]?["recoveryAction"]
        #expect(alone == ["kind": "dismiss", "label": "Dismiss"])
    }

    @Test("The status of a running service ends with the states of broker and sinks, and the number of problems")
    func connections() throws {
        let port = try FreePort.find()
        try shell.picket.run("sink", "add", "webhook", "http://127.0.0.1:9/", "--id", "hook")
        try shell.picket.run("sink", "add", "file", shell.directory.path + "/events", "--id", "file")
        try shell.picket.run("sink", "pause", "hook")
        let service = try RunningService(data: shell.picket.data, "--mqtt", "mqtt://127.0.0.1:\(port)")
        var line = ""
        while !line.contains("reconnecting") || !line.contains("2 sinks") {
            line = try shell.picket.run("status").lines.first { $0.hasPrefix("MQTT broker") } ?? ""
        }
        #expect(line.hasPrefix("MQTT broker mqtt://127.0.0.1:\(port): reconnecting (attempt "), "\(line)")
        #expect(line.hasSuffix("; 2 sinks, 1 not connected: picket sink list"), "\(line)")
        #expect(try shell.picket.run("status").lines.last?.contains("open problem: picket problems") == true)
        service.kill()
        #expect(try !shell.picket.run("status").output.contains("MQTT broker"))
    }
}
