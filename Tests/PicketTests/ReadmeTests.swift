import Foundation
import TestSupport
import Testing

@Suite("Documentation")
struct ReadmeTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: SharedData.checkout.appending(path: path), encoding: .utf8)
    }

    /// The documents, each with a lower bound for the number of its steps.
    static let documents = [
        ("docs/getting-started.md", 12), ("docs/position-files.md", 15), ("docs/phones.md", 8), ("docs/enrollment.md", 7),
        ("docs/geofences.md", 12), ("docs/events-and-visits.md", 8), ("docs/explain-events.md", 5), ("docs/corrections.md", 20),
        ("docs/health-and-repair.md", 25), ("docs/http-api.md", 15), ("docs/operations.md", 10), ("docs/privacy.md", 4),
        ("docs/policies.md", 2), ("docs/dashboard.md", 1), ("docs/alarms.md", 5),
        ("docs/rules.md", 12), ("docs/reports.md", 5), ("docs/walkthrough-fleet.md", 15),
        ("docs/walkthrough-app-developer.md", 20), ("docs/groups.md", 5), ("docs/coverage.md", 0), ("docs/app-reports.md", 8),
        ("docs/compare.md", 17), ("docs/traccar.md", 6), ("Tests/Pages/http-api.md", 190),
    ]

    @Test("The console blocks show what the program really does and prints", arguments: documents)
    func console(document: String, steps: Int) throws {
        let session = ConsoleSession(try text(document))
        #expect(session.steps.count > steps)
        try session.run(document, port: try FreePort.find())
    }

    @Test(
        "The README and the pages on sinks and for a family send notifications, through a stand-in for ntfy.sh",
        arguments: [
            ("README.md", 9, "mia entered Home"),
            ("docs/sinks.md", 6, "mia entered Home"), ("docs/walkthrough-family.md", 20, "Mia has not entered School by 08:15"),
        ])
    func notifications(document: String, steps: Int, title: String) throws {
        let endpoint = try ScriptedEndpoint()
        let session = ConsoleSession(try text(document).replacing("https://ntfy.sh/", with: endpoint.url + "/"))
        #expect(session.steps.count > steps)
        try session.run(document, port: try FreePort.find())
        #expect(endpoint.wait { requests in requests.contains { $0.body.contains("\"title\":\"\(title)\"") } })
        #expect(endpoint.requests.allSatisfy { $0.target == "/" }, "published as JSON")
    }

    @Test(
        "The page on Home Assistant brings devices and geofences there, through a broker",
        .enabled("mosquitto or mosquitto_sub is not installed") { MQTTBroker.isInstalled && Tool("mosquitto_sub") != nil })
    func homeAssistant() throws {
        let broker = try MQTTBroker()
        let session = ConsoleSession(try text("docs/home-assistant.md").replacing("1883", with: "\(broker.port)"))
        #expect(session.steps.count > 5)
        try session.run("docs/home-assistant.md", port: try FreePort.find())
    }

    @Test("The README quotes the real output of the demo")
    func demo() throws {
        let shell = try Shell()
        let real = try shell.picket.run("demo").output.split(separator: "\n").map(String.init)
        let readme = try text("README.md")
        let block = try #require(
            readme.components(separatedBy: "```text\n").dropFirst().first?.components(separatedBy: "```").first)
        for line in block.split(separator: "\n") where line != "…" {
            #expect(real.contains { $0.hasPrefix(line) }, "\(line)")
        }
    }
}
