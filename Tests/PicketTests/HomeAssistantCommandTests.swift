import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Home Assistant with a running service", .timeLimit(.minutes(60)),
    .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct HomeAssistantCommandTests {
    @Test("A killed service is shown offline at once, and returns in its earlier state")
    func killed() throws {
        let broker = try MQTTBroker()
        let shown = try RetainedTopics(broker.url)
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try shell.picket.run("device", "add", "mia")
        let added = try shell.picket.run("sink", "add", "mqtt", broker.url, "--discovery", "homeassistant", "--json")
        #expect(added.status == 0, "\(added.errors)")
        let json = try JSONParser.parse(added.output)
        #expect(json["discovery"] == "homeassistant" && json["base"] == "picket" && json["stateTopic"] == nil)
        let first = try RunningService(data: shell.picket.data)
        let position = "{\"device\":\"mia\",\"latitude\":52.5,\"longitude\":13.4,\"timestamp\":\"2026-05-01T10:00:00Z\"}"
        #expect(try first.connect().send("POST", "/v1/positions?policy=exact", body: position)?.status == 200)
        // The position is published last.
        #expect(shown.wait { $0["picket/mia/position"] != nil && $0["picket/status"] == "online" })
        #expect(shown.all["picket/mia/in/home"] == "inside")
        let before = shown.all
        first.kill()
        #expect(shown.wait { $0["picket/status"] == "offline" })
        let second = try RunningService(data: shell.picket.data)
        #expect(shown.wait { $0 == before })

        // With another base, everything is announced again, and the old topics are removed.
        try shell.picket.run("sink", "edit", "mqtt", "--base", "family")
        #expect(shown.wait { $0["family/mia/in/home"] == "inside" && $0["family/status"] == "online" })
        #expect(shown.wait { topics in !topics.keys.contains { $0.contains("/picket/") || $0.hasPrefix("picket/mia") } })
        let refused = try shell.picket.run("sink", "edit", "mqtt", "--base", "a/b")
        #expect(refused.status == 2 && refused.errors.contains("base 'a/b'"), "\(refused.errors)")

        // Discovery is switched off and on again without repeating other settings.
        #expect(try shell.picket.run("sink", "edit", "mqtt", "--discovery", "none").status == 0)
        #expect(shown.wait { $0.keys.allSatisfy { !$0.hasPrefix("homeassistant/") } })
        #expect(try shell.picket.run("sink", "edit", "mqtt", "--discovery", "homeassistant").status == 0)
        #expect(shown.wait { $0["picket/status"] == "online" })
        withExtendedLifetime(second) {}
    }

    @Test("The health of a phone at the broker follows its registration, an added geofence, a lost region and repairs")
    func health() throws {
        let broker = try MQTTBroker()
        let shown = try RetainedTopics(broker.url)
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try shell.picket.run("sink", "add", "mqtt", broker.url, "--discovery", "homeassistant")
        let service = try RunningService(data: shell.picket.data, "--auto-repair-interval", "0")
        func run(_ words: String...) throws {
            let result = try shell.picket.run(words)
            #expect(result.status == 0, "picket \(words): \(result.output)\(result.errors)")
        }
        func waitFor(_ state: String, _ summary: String) {
            #expect(
                shown.wait {
                    $0["picket/phone/registration"] == state
                        && $0["picket/phone/registration/attributes"]?.contains(summary) == true
                }, "\(shown.all)")
        }
        // Nothing but the service looks at the health of the phone.
        try run("device", "add", "phone", "--platform", "ios", "--registry", "simulated")
        waitFor("unhealthy", "1 geofence(s) not registered")
        try run("fix-registration", "--device", "phone")
        waitFor("healthy", "Healthy")
        try run("geofence", "add", "--id", "school", "--name", "School", "--circle", "52.6,13.4,100")
        waitFor("unhealthy", "1 geofence(s) not registered")
        try run("fix-registration", "--device", "phone")
        waitFor("healthy", "Healthy")
        try run("registry", "drop", "home", "--device", "phone")
        waitFor("unhealthy", "1 geofence(s) not registered")
        try run("fix-registration", "--device", "phone")
        waitFor("healthy", "Healthy")
        withExtendedLifetime(service) {}
    }
}
