import Delivery
import Foundation
import MQTT
import Model
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Notifications

@Suite("MQTT sink")
struct MQTTSinkTests {
    /// A client that is subscribed to everything below `picket`.
    private final class Subscriber {
        private let messages: DeliveryBench.Log<MQTTMessage>
        private let client: MQTTPhone

        init(_ url: String) throws {
            let messages = DeliveryBench.Log<MQTTMessage>()
            self.messages = messages
            client = try MQTTPhone(url, subscriptions: ["picket/#"]) { message, _ in messages.add(message) }
        }

        /// The published events, as soon as there are `count`.
        func events(_ count: Int) throws -> [(topic: String, json: JSONValue)] {
            _ = messages.wait { all.count { $0.topic.hasSuffix("/event") } >= count }
            return try all.filter { $0.topic.hasSuffix("/event") }.map { ($0.topic, try JSONParser.parse($0.text)) }
        }

        /// The newest message on a topic, as soon as there is one.
        func state(_ topic: String) -> MQTTMessage? {
            _ = messages.wait { all.contains { $0.topic == topic } }
            return all.last { $0.topic == topic }
        }

        var all: [MQTTMessage] { messages.all }
    }

    @Test("Each event is published in order per device, and the state of each device is retained")
    func publish() throws {
        let broker = try MQTTBroker()
        let bench = try DeliveryBench()
        let subscriber = try Subscriber(broker.url)
        try bench.add(["kind": "mqtt", "url": .string(broker.url), "id": "broker"])
        try bench.visits(10, devices: ["mia", "fleet/van#1"])
        #expect(bench.wait("broker") { $0.delivered == 40 && $0.waiting == 0 })
        let events = try subscriber.events(40)
        #expect(events.map { $0.json["id"]?.string ?? "" }.sorted() == (try bench.eventIDs().sorted()))
        for (device, topic) in [("mia", "picket/mia/event"), ("fleet/van#1", "picket/fleet%2fvan%231/event")] {
            let own = events.filter { $0.topic == topic }
            #expect(own.count == 20 && own.allSatisfy { $0.json["deviceId"]?.string == device })
            #expect(own.map { $0.json["type"]?.string ?? "" } == (0..<20).map { $0 % 2 == 0 ? "enter" : "exit" })
        }
        // A later subscriber receives the retained states.
        let later = try Subscriber(broker.url)
        for topic in ["picket/mia/in/home", "picket/fleet%2fvan%231/in/home"] {
            let state = later.state(topic)
            #expect(state?.text == "outside" && state?.isRetained == true)
        }
        #expect(later.all.allSatisfy { !$0.topic.hasSuffix("/event") }, "events are not retained")
    }

    @Test("An outage of the broker loses no event, and is reported")
    func outage() throws {
        let broker = try MQTTBroker()
        let bench = try DeliveryBench()
        try bench.add(["kind": "mqtt", "url": .string(broker.url), "id": "broker", "stateTopic": "none"])
        try bench.visits(1)
        #expect(bench.wait("broker") { $0.delivered == 2 })
        broker.kill()
        try bench.visits(5, devices: ["mia", "tom"])
        #expect(bench.wait("broker") { $0.connection.state.name == .reconnecting })
        #expect(try bench.waitForProblem("sink/broker") != nil)
        try broker.start()
        let subscriber = try Subscriber(broker.url)
        bench.advance(60)
        let events = try subscriber.events(20)
        #expect(bench.wait("broker") { $0.delivered == 22 && $0.waiting == 0 && $0.connection.state.name == .connected })
        for device in ["mia", "tom"] {
            let own = events.filter { $0.json["deviceId"]?.string == device }
            #expect(own.map { $0.json["type"]?.string ?? "" } == (0..<10).map { $0 % 2 == 0 ? "enter" : "exit" })
        }
        #expect(try bench.eventIDs().dropFirst(2).allSatisfy { id in events.contains { $0.json["id"]?.string == id } })
    }

    @Test("A refused sign-in is reported, the right password ends it, and no password is shown")
    func refused() throws {
        var options = MQTTBroker.Options()
        options.users = ["anna": "gehe1m"]
        let broker = try MQTTBroker(options)
        let bench = try DeliveryBench()
        let wrong = broker.url(user: "anna").replacing("gehe1m", with: "f4lsch")
        try bench.add(["kind": "mqtt", "url": .string(wrong), "id": "broker"])
        try bench.visits(1)
        #expect(bench.wait("broker") { $0.connection.state.name == .reconnecting })
        #expect(try bench.waitForProblem("sink/broker") == "accessRefused")
        let shown = try bench.stored("broker").sink.json(withSecrets: false).description
        #expect(!shown.contains("f4lsch") && shown.contains("anna:(hidden)@"), "\(shown)")
        #expect(try bench.problems().values.allSatisfy { !$0.words.description.contains("f4lsch") })
        let form: JSONValue = ["kind": "mqtt", "url": .string(broker.url(user: "anna"))]
        try bench.edit { service throws(Problem) in
            _ = try service.saveSink(form, id: "broker", by: .init(isLocal: true, allowsPrivate: true))
        }
        bench.inbox.sinksChanged()
        #expect(bench.wait("broker") { $0.delivered == 2 })
    }

    @Test(
        "A URL or topic that cannot be published to is refused by name",
        arguments: [
            ["url": "broker.example"], ["url": "https://broker.example"], ["url": "mqtt://h/topic"],
            ["url": "mqtt://h", "topic": "a/#"], ["url": "mqtt://h", "topic": "$SYS/x"],
            ["url": "mqtt://h", "topic": "a/{nothing}"],
            ["url": "mqtt://h", "stateTopic": "+"], ["topic": "a"],
        ] as [JSONValue])
    func refusals(_ json: JSONValue) throws {
        #expect(throws: Problem.self) { try Sink(json: json.merged(with: ["kind": "mqtt"]), id: nil) }
    }
}
