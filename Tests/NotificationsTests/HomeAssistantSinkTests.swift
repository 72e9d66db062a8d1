import Core
import Delivery
import Foundation
import Geodesy
import Model
import Places
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Notifications

@Suite("Home Assistant sink", .timeLimit(.minutes(60)), .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct HomeAssistantSinkTests {
    private let bench: DeliveryBench
    private let broker: MQTTBroker
    /// The sink's JSON, without the changes of a test.
    private let form: JSONValue

    init() throws {
        bench = try DeliveryBench()
        broker = try MQTTBroker()
        form = ["kind": "mqtt", "id": "ha", "discovery": "homeassistant", "url": .string(broker.url)]
    }

    private func add(_ more: JSONValue = [:]) throws { try bench.add(form.merged(with: more)) }

    /// Replaces the sink.
    private func replaceSink(_ more: JSONValue) throws {
        let document = form.merged(with: more)
        try bench.edit { service throws(Problem) in
            _ = try service.saveSink(document, id: "ha", by: .init(isLocal: true, allowsPrivate: true))
        }
        bench.inbox.sinksChanged()
    }

    /// Replaces the sink while no service runs.
    private func replaceWithoutService(_ id: String, _ document: JSONValue?) throws {
        let service = try ServiceWriter(bench.data, purpose: "test")
        guard let document else { return try service.removeSink(id: id) }
        _ = try service.saveSink(document, id: id, by: .init(isLocal: true, allowsPrivate: true))
    }

    private func pause() throws {
        try bench.edit { service throws(Problem) in _ = try service.pauseSink(id: "ha") }
        bench.inbox.sinksChanged()
    }

    private func remove() throws {
        try bench.edit { service throws(Problem) in try service.removeSink(id: "ha") }
        bench.inbox.sinksChanged()
    }

    @Test("Every device and geofence has an entity, which follows changes and disappears with it")
    func follow() throws {
        let shown = try RetainedTopics(broker.url)
        try add()
        #expect(shown.wait { $0["picket/status"] == "online" })
        #expect(shown.all.keys.sorted() == ["picket/status"], "there is no device yet")

        try bench.visits(1)
        #expect(shown.wait { $0["picket/mia/in/home"] == "outside" && $0["picket/mia/position"] != nil })
        #expect(shown.all["homeassistant/binary_sensor/picket/mia_in_home/config"] != nil)
        #expect(shown.all["homeassistant/device_tracker/picket/mia/config"] != nil)
        let position = try JSONParser.parse(try #require(shown.all["picket/mia/position"]))
        #expect(position["longitude"]?.description == "13.4" && position["geofences"] == [])

        // No positions are sent; only geofences are changed.
        let school = Geofence(id: "school", name: "School", shape: .circle(Circle(center: DeliveryBench.home, radius: 2000)))
        try bench.edit { service throws(Problem) in _ = try service.apply([.save(school)]) }
        #expect(shown.wait { $0["picket/mia/in/school"] == "inside" })
        #expect(shown.all["homeassistant/binary_sensor/picket/mia_in_school/config"]?.contains("\"name\":\"School\"") == true)
        try bench.edit { service throws(Problem) in _ = try service.apply([.remove(id: "home")]) }
        #expect(shown.wait { topics in !topics.keys.contains { $0.contains("home/config") || $0.hasSuffix("in/home") } })

        try bench.edit { service throws(Problem) in try service.save(Device(id: "tom", platform: .ios, registry: .simulated)) }
        #expect(shown.wait { $0["picket/tom/registration"] == "unknown" })
        #expect(shown.all["homeassistant/sensor/picket/tom/config"] != nil)

        // Events are published on their usual topic, apart from the retained states.
        #expect(bench.wait("ha") { $0.delivered == 3 && $0.waiting == 0 })
        // When the sink is removed, everything that it announced is removed, too.
        try remove()
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
    }

    @Test("Topics that an earlier service left with the broker are found and cleared")
    func orphans() throws {
        let shown = try RetainedTopics(broker.url)
        try add()
        try bench.visits(1, devices: ["mia", "tom"])
        #expect(shown.wait { $0["picket/tom/in/home"] != nil && $0["picket/status"] == "online" })
        bench.stop()
        #expect(shown.wait { $0["picket/status"] == "offline" })
        do {
            let service = try ServiceWriter(bench.data, purpose: "test")
            _ = try service.eraseDevice(id: "tom")
        }
        // This topic belongs to another client of the same broker.
        try MQTTPhone(broker.url).publish("homeassistant/sensor/other/tom/config", "{}", isRetained: true)
        try bench.restart()
        let left = [
            "homeassistant/binary_sensor/picket/mia_in_home/config", "homeassistant/device_tracker/picket/mia/config",
            "homeassistant/sensor/other/tom/config", "picket/mia/in/home", "picket/mia/position", "picket/status",
        ]
        #expect(shown.wait { $0.keys.sorted() == left && $0["picket/status"] == "online" }, "\(shown.all.keys)")
    }

    @Test("A broker that lost everything gets it again, and its outage is reported")
    func outage() throws {
        try add()
        try bench.visits(1)
        let before = try RetainedTopics(broker.url)
        #expect(before.wait { $0.count == 5 && $0["picket/mia/in/home"] == "outside" && $0["picket/status"] == "online" })
        broker.kill()
        // The lost connection is noticed although nothing is to be sent.
        #expect(bench.wait("ha") { $0.connection.state.name == .reconnecting })
        try broker.start()
        bench.advance(60)
        let after = try RetainedTopics(broker.url)
        #expect(after.wait { $0 == before.all }, "\(after.all)")
        #expect(bench.wait("ha") { $0.connection.state.name == .connected })
    }

    @Test("A paused sink is shown offline, and is up to date after it is resumed")
    func paused() throws {
        let shown = try RetainedTopics(broker.url)
        try add()
        #expect(shown.wait { $0["picket/status"] == "online" })
        try pause()
        #expect(shown.wait { $0["picket/status"] == "offline" })
        try bench.visits(1)
        try bench.resume("ha")
        #expect(shown.wait { $0["picket/status"] == "online" && $0["picket/mia/in/home"] == "outside" })
    }

    @Test("Topics stay when settings change at the same place, and are cleared when the place changes")
    func edited() throws {
        let shown = try RetainedTopics(broker.url)
        try add()
        try bench.visits(1)
        #expect(shown.wait { $0.count == 5 && $0["picket/status"] == "online" })
        let before = shown.all
        try replaceSink(["topic": "elsewhere/{deviceId}/event"])
        try bench.visits(1)
        #expect(bench.wait("ha") { $0.delivered == 4 })
        #expect(shown.wait { $0["picket/status"] == "online" && Set($0.keys) == Set(before.keys) }, "\(shown.all)")
        try replaceSink(["base": "family"])
        #expect(shown.wait { $0.count == 5 && $0["family/status"] == "online" && $0["picket/status"] == nil }, "\(shown.all)")
        try replaceSink(["discovery": .null])
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
    }

    @Test("Removing a paused sink clears its topics")
    func removedWhilePaused() throws {
        let shown = try RetainedTopics(broker.url)
        try add()
        try bench.visits(1)
        #expect(shown.wait { $0.count == 5 && $0["picket/status"] == "online" })
        try pause()
        #expect(shown.wait { $0["picket/status"] == "offline" })
        try remove()
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
    }

    @Test("A device has sensors only for its own geofences, and a place takes one sink")
    func places() throws {
        let shown = try RetainedTopics(broker.url)
        var own = Geofence(id: "gym", name: "Gym", shape: .circle(Circle(center: DeliveryBench.home, radius: 50)))
        own.devices = ["tom"]
        let gym = own
        try bench.edit { service throws(Problem) in _ = try service.apply([.save(gym)]) }
        try add()
        try bench.visits(1, devices: ["mia", "tom"])
        #expect(
            shown.wait { $0["picket/tom/in/gym"] != nil && $0["picket/mia/in/home"] != nil && $0["picket/status"] == "online" })
        #expect(shown.all.keys.allSatisfy { !$0.contains("mia_in_gym") && $0 != "picket/mia/in/gym" })
        #expect(throws: Problem.self) { try add(["id": "other", "filter": ["devices": ["tom"]]]) }
        try add(["id": "other", "base": "other"])
        #expect(shown.wait { $0["other/status"] == "online" })
    }

    @Test("Only filtered devices are announced, and none when they would be too many")
    func filter() throws {
        let shown = try RetainedTopics(broker.url)
        let many = (0..<120).map { number in
            let center = Coordinate(latitude: 10 + Double(number) / 100, longitude: 10)
            return Queries.GeofenceEdit.save(
                Geofence(id: "fence-\(number)", name: "Fence \(number)", shape: .circle(Circle(center: center, radius: 100))))
        }
        try bench.edit { service throws(Problem) in _ = try service.apply(many) }
        try bench.visits(1, devices: (0..<60).map { "van-\($0)" })
        try add()
        #expect(try bench.waitForProblem("sink/ha/discovery") == "validationFailed")
        #expect(bench.wait("ha") { $0.waiting == 0 })
        #expect(shown.all.isEmpty, "\(shown.all.keys)")
        try replaceSink(["filter": ["devices": ["van-7"], "geofences": ["home"]]])
        #expect(shown.wait { $0["picket/van-7/in/home"] != nil && $0["picket/status"] == "online" })
        #expect(shown.all.count == 5, "\(shown.all.keys)")
        #expect(try bench.waitForResolution("sink/ha/discovery"))
    }

    @Test("A filter that excludes geofences can leave few enough of very many")
    func excludedGeofences() throws {
        let many = (0...HomeAssistantDiscovery.maxEntities).map { number in
            let center = Coordinate(latitude: 10 + Double(number) / 200, longitude: 10)
            var fence = Geofence(id: "fence-\(number)", name: "Fence", shape: .circle(Circle(center: center, radius: 100)))
            fence.devices = ["tom"]
            return Queries.GeofenceEdit.save(fence)
        }
        try bench.edit { service throws(Problem) in _ = try service.apply(many) }
        try bench.visits(1)
        let service = try ServiceReader(bench.data)
        var reader = HomeAssistantReader()
        guard case .tooMuch = try reader.view(of: Sink(json: form, id: nil), in: service) else {
            Issue.record("all geofences are too many")
            return
        }
        let sink = try Sink(json: form.merged(with: ["filter": ["notGeofences": ["fence-0"]]]), id: nil)
        guard case .devices(let found) = try reader.view(of: sink, in: service) else {
            Issue.record("only the geofences of the devices count")
            return
        }
        #expect(found.map(\.id) == ["mia"] && found.first?.fences.map(\.id) == ["home"])
    }

    @Test("States of other sinks and services on the same broker stay when an announcement begins, shrinks and ends")
    func otherSinks() throws {
        let shown = try RetainedTopics(broker.url)
        try bench.add(["kind": "mqtt", "id": "plain", "url": .string(broker.url)])
        try bench.visits(1, devices: ["mia", "tom"])
        #expect(shown.wait { $0["picket/mia/in/home"] == "outside" && $0["picket/tom/in/home"] == "outside" })
        // Another service's sink on this broker.
        let theirs = ["picket/zoe/in/home", "picket/zoe/position"]
        for topic in theirs { try MQTTPhone(broker.url).publish(topic, "inside", isRetained: true) }
        try add()
        #expect(shown.wait { $0["homeassistant/device_tracker/picket/tom/config"] != nil && $0["picket/status"] == "online" })
        try replaceSink(["filter": ["devices": ["mia"]]])
        #expect(shown.wait { topics in !topics.keys.contains { $0.contains("tom") && $0 != "picket/tom/in/home" } })
        bench.stop()
        #expect(shown.wait { $0["picket/status"] == "offline" })
        try bench.restart()
        #expect(shown.wait { $0["picket/status"] == "online" })
        try remove()
        let left = Set(theirs + ["picket/mia/in/home", "picket/tom/in/home"])
        // Availability is removed last.
        #expect(shown.wait { $0["picket/status"] == nil && Set($0.keys) == left }, "\(shown.all)")
        try bench.edit { service throws(Problem) in try service.removeSink(id: "plain") }
        bench.inbox.sinksChanged()
        #expect(shown.wait { Set($0.keys) == Set(theirs) }, "\(shown.all)")
    }

    @Test("States of a sink without announcement are cleared when their topic, the kind of topics or the sink ends")
    func plainStates() throws {
        let shown = try RetainedTopics(broker.url)
        let plain = form.merged(with: ["discovery": .null])
        try bench.add(plain)
        try bench.visits(1)
        #expect(shown.wait { $0["picket/mia/in/home"] == "outside" })
        try replaceSink(["discovery": .null, "stateTopic": "family/{device}"])
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
        try bench.visits(1)
        #expect(shown.wait { $0 == ["family/mia": "outside"] }, "\(shown.all)")
        try replaceSink(["base": "house"])
        #expect(
            shown.wait {
                $0["house/status"] == "online" && $0["house/mia/in/home"] == "outside" && $0["family/mia"] == nil
            }, "\(shown.all)")
        // The same topic with and without announcement.
        try replaceSink(["discovery": .null, "stateTopic": "house/{deviceId}/in/{geofenceId}"])
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
        try bench.visits(1)
        #expect(shown.wait { $0["house/mia/in/home"] == "outside" })
        try replaceSink(["base": "house"])
        #expect(shown.wait { $0["house/status"] == "online" && $0.count == 5 }, "\(shown.all)")
        try remove()
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
    }

    @Test("What was announced or retained is cleared although the broker is down at the edit")
    func brokerDown() throws {
        var options = MQTTBroker.Options()
        options.isPersistent = true
        let broker = try MQTTBroker(options)
        let other: JSONValue = ["kind": "mqtt", "url": .string(broker.url)]
        try bench.add(other.merged(with: ["id": "ha", "discovery": "homeassistant"]))
        try bench.add(other.merged(with: ["id": "plain", "stateTopic": "plain/{deviceId}"]))
        try bench.visits(1)
        do {
            let shown = try RetainedTopics(broker.url)
            #expect(shown.wait { $0.count == 6 && $0["picket/status"] == "online" && $0["plain/mia"] == "outside" })
        }
        #expect(bench.wait("plain") { $0.waiting == 0 && $0.delivered == 2 })
        try broker.save()
        broker.kill()
        #expect(bench.wait("ha") { $0.connection.state.name == .reconnecting })
        try bench.edit { service throws(Problem) in
            let editor = Queries.SinkEditor(isLocal: true, allowsPrivate: true)
            _ = try service.saveSink(
                other.merged(with: ["discovery": "homeassistant", "base": "house"]), id: "ha", by: editor)
            try service.removeSink(id: "plain")
        }
        bench.inbox.sinksChanged()
        #expect(bench.wait("ha") { $0.connection.state.name != .connected })
        try broker.start()
        let shown = try RetainedTopics(broker.url)
        let isClear = shown.wait { topics in
            bench.advance(600)
            return topics.count == 5 && topics["house/status"] == "online" && topics["house/mia/in/home"] == "outside"
        }
        #expect(isClear, "\(shown.all)")
    }

    @Test("What was announced or retained is cleared after an edit or a removal while no service ran")
    func serviceDown() throws {
        let shown = try RetainedTopics(broker.url)
        try add()
        try bench.add(["kind": "mqtt", "id": "plain", "url": .string(broker.url), "stateTopic": "plain/{deviceId}"])
        try bench.visits(1)
        #expect(shown.wait { $0.count == 6 && $0["picket/status"] == "online" && $0["plain/mia"] == "outside" })
        bench.stop()
        try replaceWithoutService("ha", form.merged(with: ["base": "house"]))
        try replaceWithoutService("plain", nil)
        try bench.restart()
        #expect(
            shown.wait { $0.count == 5 && $0["house/status"] == "online" && $0["house/mia/in/home"] == "outside" }, "\(shown.all)"
        )
        bench.stop()
        #expect(shown.wait { $0["house/status"] == "offline" })
        try replaceWithoutService("ha", nil)
        try bench.restart()
        #expect(shown.wait { $0.isEmpty }, "\(shown.all)")
    }

    @Test("Entities of a lost store are cleared, with their states")
    func lostStore() throws {
        let shown = try RetainedTopics(broker.url)
        let client = try MQTTPhone(broker.url)
        let config = "homeassistant/binary_sensor/picket/ann_in_gym/config"
        for (topic, payload) in [
            (config, #"{"name":"Gym","state_topic":"picket/ann/in/gym"}"#), ("picket/ann/in/gym", "inside"),
            ("picket/bob/in/gym", "inside"),
        ] { try client.publish(topic, payload, isRetained: true) }
        try add()
        #expect(
            shown.wait { Set($0.keys) == ["picket/status", "picket/bob/in/gym"] && $0["picket/status"] == "online" },
            "\(shown.all)")
    }

    @Test("The states of an erased device are cleared")
    func erased() throws {
        let shown = try RetainedTopics(broker.url)
        try bench.add(form.merged(with: ["discovery": .null]))
        try bench.visits(1, devices: ["mia", "tom"])
        #expect(bench.wait("ha") { $0.delivered == 4 && $0.waiting == 0 })
        #expect(shown.wait { $0.count == 2 })
        _ = try bench.edit { service throws(Problem) in try service.eraseRecords(ofDevice: "mia", rewriting: false) }
        #expect(shown.wait { $0 == ["picket/tom/in/home": "outside"] }, "\(shown.all)")
    }
}
