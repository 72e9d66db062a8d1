import Geodesy
import Model
import TestSupport
import Testing

@testable import Delivery

@Suite("Home Assistant discovery")
struct HomeAssistantTests {
    private let discovery = HomeAssistantDiscovery()
    private let home = HomeAssistantDiscovery.Fence(id: "home", name: "Home")
    private let fix = Fix(
        time: Instant("2026-05-01T10:00:00Z")!, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 8,
        battery: 0.815)

    private func device(_ id: String, fences: [HomeAssistantDiscovery.Fence]? = nil) -> HomeAssistantDiscovery.Device {
        .init(
            id: id, name: "Mia's phone", model: "iOS", fences: fences ?? [home], fix: fix, inside: ["home"],
            registration: .init(isHealthy: false, summary: "1 of 20 geofences is missing"))
    }

    @Test("A device has a tracker, a sensor of its registrations, and a sensor for each geofence, all under one device")
    func entities() throws {
        let messages = discovery.configurations([device("mia")], language: .english)
        #expect(
            messages.keys.sorted() == [
                "homeassistant/binary_sensor/picket/mia_in_home/config", "homeassistant/device_tracker/picket/mia/config",
                "homeassistant/sensor/picket/mia/config",
            ])
        let states = discovery.states([device("mia")], language: .english)
        var names: [String] = []
        for (topic, text) in messages {
            let json = try JSONParser.parse(text)
            #expect(json["availability_topic"] == "picket/status" && json["origin"]?["name"] == "Picket", "\(topic)")
            #expect(json["device"]?["identifiers"] == ["picket_picket_mia"] && json["device"]?["name"] == "Mia's phone")
            names.append(try #require(json["unique_id"]?.string))
            // Every topic that an entity subscribes to is published.
            for name in ["state_topic", "json_attributes_topic"] {
                if let topic = json[name]?.string { #expect(states[topic] != nil, "\(topic)") }
            }
        }
        #expect(Set(names).count == 3)
        #expect(states["picket/status"] == "online" && states["picket/mia/in/home"] == "inside")
        let position = try JSONParser.parse(try #require(states["picket/mia/position"]))
        #expect(["latitude", "gps_accuracy", "battery_level"].map { position[$0]?.description } == ["52.5", "8", "82"])
        #expect(position["geofences"] == ["Home"])
        #expect(states["picket/mia/registration"] == "unhealthy")
        #expect(states["picket/mia/registration/attributes"] == "{\"summary\":\"1 of 20 geofences is missing\"}")
    }

    @Test("The summary of registrations is in the sink's language", arguments: Language.allCases)
    func summary(_ language: Language) throws {
        var mia = device("mia")
        mia.registration?.summary = .systemSilent
        let states = discovery.states([mia], language: language)
        let attributes = try JSONParser.parse(try #require(states["picket/mia/registration/attributes"]))
        #expect(attributes["summary"]?.string == Phrase.systemSilent.text(in: language))
    }

    @Test("A device with unknown position has no state messages")
    func unknown() throws {
        var mia = device("mia")
        (mia.fix, mia.inside, mia.registration) = (nil, nil, nil)
        #expect(discovery.states([mia], language: .english).keys.sorted() == ["picket/status"])
        #expect(discovery.configurations([mia], language: .turkish).count == 2)
    }

    @Test("Different IDs have different topics, in characters that topics and Home Assistant allow")
    func names() throws {
        let ids = [
            "a/b", "a_2fb", "a%2fb", "a+b", "a#b", "a b", "ä", "a_b", "a.b", "$a", "a", "A", "b_in_c", "a_in_b", "c", "\u{FFFE}",
            "\u{85}",
        ]
        let fences = ids.map { HomeAssistantDiscovery.Fence(id: $0, name: $0) }
        let devices = ids.map { device($0, fences: fences) }
        let messages = discovery.configurations(devices, language: .english)
        let names = try messages.values.map { try #require(try JSONParser.parse($0)["unique_id"]?.string) }
        #expect(Set(names).count == names.count)
        #expect(messages.count == ids.count * (2 + ids.count))
        let allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
        for topic in messages.keys {
            let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
            #expect(levels.count == 5 && levels[3].allSatisfy(allowed.contains), "\(topic)")
        }
        let states = discovery.states(devices, language: .english)
        #expect(states.count == 1 + ids.count * (3 + ids.count))
        #expect(
            states.keys.allSatisfy {
                $0.unicodeScalars.allSatisfy(MQTTTopic.isPublishable) && $0.split(separator: "/").count <= 4
            })
    }

    @Test(
        "The broker ends up with all wanted messages, regardless of what it keeps, forgets or loses in between",
        arguments: Histories.seeds(0...199))
    func mirror(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var broker: [String: String] = [:]
        var mirror = RetainedMirror(discovery)
        var wanted: [String: String] = [:]
        func connect() {
            mirror.connectionEnded()
            for (topic, payload) in broker where topic.hasSuffix("/config") { mirror.recordKept(topic, payload) }
        }
        func want() {
            let devices = ["mia", "tom", "van 7"].filter { _ in Bool.random(using: &random) }.map { id in
                let fences = ["home", "work"].filter { _ in Bool.random(using: &random) }
                var device = device(id, fences: fences.map { .init(id: $0, name: $0) })
                if Bool.random(using: &random) { device.inside = [] }
                if Bool.random(using: &random) { device.fix = nil }
                if Bool.random(using: &random) { device.registration = nil }
                return device
            }
            let configurations = discovery.configurations(devices, language: .english)
            let states = discovery.states(devices, language: .english)
            mirror.setWanted(configurations: configurations, states: states)
            wanted = configurations.merging(states) { $1 }
            #expect(mirror.topics == Set(wanted.keys), "seed \(seed)")
        }
        for _ in 0..<40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: want()
            case 1: connect()
            case 2:
                // A new instance of the service, which knows nothing about the old one.
                mirror = RetainedMirror(discovery)
                connect()
                want()
            case 3:
                broker = [:]
                connect()
            case 4:
                // Unwanted messages are removed, and perhaps some that became wanted again meanwhile.
                let removed = broker.keys.filter { wanted[$0] == nil || Int.random(in: 0..<4, using: &random) == 0 }
                for topic in removed { broker[topic] = nil }
                mirror.recordRemoved(Array(removed))
            default:
                let batch = mirror.next()
                #expect(Self.isInOrder(batch), "seed \(seed)")
                // The acknowledgment may be lost.
                for message in batch { broker[message.topic] = message.payload }
                if Bool.random(using: &random) { mirror.acknowledged(batch) } else { connect() }
            }
        }
        want()
        connect()
        var rounds = 0
        while case let batch = mirror.next(), !batch.isEmpty, rounds < 100 {
            rounds += 1
            #expect(batch.allSatisfy { $0.isRetained && !$0.payload.isEmpty })
            for message in batch {
                // `online` is published only after everything else.
                if message.payload == "online" {
                    #expect(wanted.allSatisfy { broker[$0.key] == $0.value || $0.value == "online" })
                }
                broker[message.topic] = message.payload
            }
            mirror.acknowledged(batch)
        }
        #expect(broker.filter { wanted[$0.key] != nil } == wanted, "seed \(seed)")
    }

    /// Whether no entity gets a state before its configuration.
    private static func isInOrder(_ batch: [OutgoingPublication]) -> Bool {
        func isConfiguration(_ message: OutgoingPublication) -> Bool { message.topic.hasPrefix("homeassistant/") }
        return batch.drop(while: isConfiguration).allSatisfy { !isConfiguration($0) }
    }

    @Test("Only states of the own service are taken from a configuration")
    func namedStates() {
        let form = discovery.configurations([device("mia", fences: [.init(id: "home", name: "Home")])], language: .english)
        let named = Set(form.values.flatMap { discovery.stateTopics(namedBy: $0) })
        #expect(named.contains("picket/mia/in/home") && named.contains("picket/mia/position"))
        #expect(named.allSatisfy { $0.hasPrefix("picket/mia/") }, "\(named)")
        for foreign in [
            "", "{", "{}", #"{"state_topic":"other/mia/in/home"}"#, #"{"state_topic":"picket/status"}"#,
            #"{"state_topic":"picket/#"}"#, #"{"state_topic":7}"#,
        ] {
            #expect(discovery.stateTopics(namedBy: foreign).isEmpty, "\(foreign)")
        }
    }

    @Test(
        "Invalid options are refused with the name of the field",
        arguments: [
            (["discovery": "a/#"], "discovery"), (["discovery": ""], "discovery"), (["discovery": "x", "base": "a/b"], "base"),
            (["base": "mine"], "base"), (["discovery": "x", "base": "x"], "base"),
            (["discovery": "x", "stateTopic": "a/{deviceId}"], "stateTopic"),
        ] as [(JSONValue, String)])
    func refusals(_ json: JSONValue, _ field: String) throws {
        let form: JSONValue = ["kind": "mqtt", "url": "mqtt://h"]
        do throws(Problem) {
            _ = try Sink(json: form.merged(with: json), id: nil)
            Issue.record("it was taken")
        } catch {
            guard case .validationFailed(field, _, _, _) = error else { throw error }
        }
    }

    @Test("A sink with discovery is stored and read back, without unused state topics")
    func stored() throws {
        let form: JSONValue = ["kind": "mqtt", "url": "mqtt://h", "discovery": "homeassistant", "base": "mine"]
        let sink = try Sink(json: form, id: nil)
        let json = sink.json(withSecrets: true)
        #expect(json["discovery"] == "homeassistant" && json["base"] == "mine" && json["stateTopic"] == nil)
        #expect(try Sink(json: json, id: nil) == sink)
        func topic(_ sink: Sink) -> JSONValue? { sink.json(withSecrets: false)["topic"] }
        #expect(topic(sink) == "mine/{deviceId}/event")
        #expect(topic(try Sink(json: json.merged(with: ["base": "other"]), id: nil)) == "other/{deviceId}/event")
        let own = try Sink(json: json.merged(with: ["topic": "x/{type}"]), id: nil).json(withSecrets: true)
        #expect(topic(try Sink(json: own.merged(with: ["base": "other"]), id: nil)) == "x/{type}")
    }
}
