import Foundation
import Model
import TestSupport
import Testing

@Suite(
    "Commands with an MQTT broker", .timeLimit(.minutes(60)), .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct BrokerCommandTests {
    @Test("A service receives positions from the broker, and its password is never shown")
    func serve() throws {
        var options = MQTTBroker.Options()
        options.users = ["picket": "gehe1m", "jane": "phone"]
        let broker = try MQTTBroker(options)
        let service = try ServedShell("--mqtt", broker.url(user: "picket"))
        try service.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        let phone = try MQTTPhone(broker.url(user: "jane"))
        var events: [JSONValue] = []
        while events.isEmpty {
            try phone.publish("owntracks/jane/phone", #"{"_type":"location","lat":52.5,"lon":13.4,"acc":8,"tst":1777629600}"#)
            events = try service.get("/v1/events?after=0&wait=1s")["events"]?.array ?? []
        }
        #expect(events.first?["deviceId"]?.string == "jane/phone")
        let arguments = try String(contentsOfFile: "/proc/\(service.process)/cmdline", encoding: .utf8)
        #expect(!arguments.contains("gehe1m"))
        #expect(arguments.contains("mqtt://picket:xxxxxx@127.0.0.1:\(broker.port)"))
    }

    @Test("A service that is killed and restarted loses nothing that the broker was given")
    func killed() throws {
        let broker = try MQTTBroker()
        let service = try ServedShell("--mqtt", broker.url)
        let phone = try MQTTPhone(broker.url)
        func publish(_ step: Int) throws {
            try phone.publish(
                "owntracks/jane/phone",
                #"{"_type":"location","lat":\#(50 + Double(step) / 1000),"lon":13.4,"acc":8,"tst":\#(1_777_629_600 + step)}"#)
        }
        func count() throws -> Double? { try service.get("/v1/status?totals=true")["totals"]?["fixes"]?.double }
        // Messages that are published before the service has subscribed are lost.
        while try count() == 0 { try publish(0) }
        for step in 1...300 {
            try publish(step)
            if step % 60 == 30 { try service.restart() }
        }
        while let counted = try count(), counted < 301 {}
        #expect(try count() == 301)
    }

    @Test("An invalid broker URL is refused, without the password", arguments: ["http://a:gehe1m@b", "a:gehe1m@b", "mqtt://"])
    func badAddress(_ url: String) throws {
        let shell = try Shell()
        for command in ["serve", "config"] {
            let result = try shell.picket.run(command, "--mqtt", url)
            #expect(result.status == 2)
            #expect(result.errors.contains("--mqtt") && result.errors.contains("mqtts://"), "\(result.errors)")
            #expect(!result.errors.contains("gehe1m"))
        }
    }

    @Test("The settings show the broker's URL without the password")
    func config() throws {
        var picket = try Shell().picket
        picket.environment["PICKET_MQTT"] = "mqtt://anna:gehe1m@broker"
        let result = try picket.run("config")
        #expect(result.output.contains("mqtt://anna:***@broker") && !result.output.contains("gehe1m"))
    }

    @Test(
        "The key of a device is saved from a file or standard input, with and without a service, and never shown",
        arguments: [false, true])
    func key(_ isServed: Bool) throws {
        let service = isServed ? try ServedShell() : nil
        let shell = try service?.shell ?? Shell()
        let picket = shell.picket
        let file = try TemporaryDirectory()
        let path = try file.write("s3cr3t\nmore\n", to: "key")
        let added = try picket.run("device", "add", "jane/phone", "--owntracks-key", path)
        #expect(added.status == 0 && added.output.contains("not shown again"), "\(added.errors)")
        #expect(try picket.run("device", "show", "jane/phone").output.contains("its key is saved"))
        let changed = try picket.run("device", "edit", "jane/phone", "--owntracks-key", "-", "--json", input: "other\n")
        #expect(changed.status == 0)
        #expect(try JSONParser.parse(changed.output)["hasOwnTracksKey"]?.bool == true)
        for output in [added.output, changed.output, try picket.run("device", "show", "jane/phone", "--json").output] {
            #expect(!output.contains("s3cr3t") && !output.contains("other"))
        }
        let forgotten = try picket.run("device", "edit", "jane/phone", "--owntracks-key", "none")
        #expect(forgotten.status == 0 && forgotten.output.contains("was removed"))
        #expect(try !picket.run("device", "show", "jane/phone").output.contains("key"))

        // An invalid key changes nothing.
        let long = String(repeating: "x", count: 33)
        let refused = try picket.run("device", "add", "ben/phone", "--owntracks-key", "-", input: long)
        #expect(
            refused.status == 2 && refused.errors.contains("1 to 32 bytes") && !refused.errors.contains("xxx"),
            "\(refused.errors)")
        #expect(try picket.run("device", "show", "ben/phone").status == 2)
        #expect(try picket.run("device", "edit", "jane/phone", "--owntracks-key", "/nonexistent").status == 3)
    }
}
