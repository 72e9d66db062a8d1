import Foundation
import Geodesy
import MQTT
import Model
import Reconciler
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Places
@testable import Presence
@testable import Registrations

@Suite(
    "Repair through OwnTracks over MQTT", .timeLimit(.minutes(60)),
    .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct OwnTracksRepairTests {
    private static let topic = "owntracks/jane/phone"

    private static let own: JSONValue = [
        "_type": "waypoint", "desc": "Mine", "lat": JSONValue(48.8), "lon": JSONValue(2.3), "rad": JSONValue(120),
        "tst": JSONValue(1_777_000_000),
    ]

    /// A broker, the service, and a phone with an app.
    private final class Scene {
        let bench: BrokerBench
        let app: OwnTracksApp
        let phone: MQTTPhone
        let repairCoordinator: RepairCoordinator
        let device: Device

        init(_ platform: Device.Platform, fences: Int = 3) async throws {
            let bench = try BrokerBench()
            self.bench = bench
            app = OwnTracksApp(platform, platform == .ios ? [Self.own("6da9cf")] : [OwnTracksRepairTests.own])
            phone = try MQTTPhone(bench.broker.url, topic: OwnTracksRepairTests.topic, app: app)
            repairCoordinator = RepairCoordinator(bench.writer, clock: bench.clock, phones: bench.phones)
            let device = Device(id: "jane/phone", platform: platform, registry: .owntracks)
            self.device = device
            try bench.wait(for: .connected)
            let fences = (0..<fences).map { Self.fence("f\($0)", 52.5 + Double($0) / 10) }
            try await bench.perform { service throws(Problem) in
                try service.save(device)
                try service.apply(fences.map { .save($0) })
            }
        }

        static func own(_ rid: String) -> JSONValue {
            .object((OwnTracksRepairTests.own.members ?? []) + [.init("rid", .string(rid))])
        }

        static func fence(_ id: String, _ latitude: Double) -> Geofence {
            let center = Coordinate(latitude: latitude, longitude: 13.4)
            return Geofence(id: id, name: "Fence \(id)", shape: .circle(Circle(center: center, radius: 500)))
        }

        func health() async throws -> GeofenceHealthStatus {
            let device = device
            return try await bench.perform { service throws(Problem) in
                try service.withReportedTransitions(service.health(of: device).status)
            }
        }

        func send(_ json: String, to subtopic: String = "") throws {
            try phone.publish(OwnTracksRepairTests.topic + subtopic, json)
            try bench.waitUntilHandled(phone)
        }

        /// Sends a position at a number of seconds after the clock's initial time.
        func see(_ latitude: Double, after seconds: Double, _ more: String = "") throws {
            let now = Instant("2026-11-20T12:00:00Z")! + seconds
            bench.clock.set(max(now, bench.clock.now()))
            try send(
                #"{"_type":"location","lat":\#(latitude),"lon":13.4,"acc":5,"tst":\#(Int(now.seconds))\#(more)}"#)
        }
    }

    @Test(
        "A repair makes the waypoints right and keeps them so, regardless of which side changes",
        arguments: Device.Platform.allCases)
    func repair(_ platform: Device.Platform) async throws {
        let scene = try await Scene(platform)
        #expect(try await scene.health().statusSummary == "Unknown")
        let first = try await scene.repairCoordinator.repair(scene.device)
        #expect(first.isComplete && first.callCount == 3, "\(first.json)")
        #expect(Set(scene.app.names) == ["Mine", "Fence f0", "Fence f1", "Fence f2"])
        #expect(try await scene.health().statusSummary == "Healthy")
        #expect(try await scene.repairCoordinator.repair(scene.device).callCount == 0)

        try await scene.bench.perform { service throws(Problem) in _ = try service.apply([.remove(id: "f1")]) }
        #expect(try await scene.health().orphanedInOS == ["f1"])
        #expect(try await scene.repairCoordinator.repair(scene.device).isComplete)
        #expect(Set(scene.app.names) == ["Mine", "Fence f0", "Fence f2"])
        #expect(scene.app.waypoints.first { $0["desc"]?.string == "Mine" }?["rad"]?.double == 120)

        // What a person removes in the app is noticed with the next list of the app.
        scene.app.waypoints.removeAll { $0["desc"]?.string == "Fence f0" }
        #expect(try await scene.health().isHealthy == true)
        scene.bench.clock.set(scene.bench.clock.now() + 4000)
        try await scene.repairCoordinator.requestOverdueLists()
        while try await scene.health().missingFromOS != ["f0"] { await Task.yield() }
        #expect(try await scene.repairCoordinator.repair(scene.device).isComplete)
        #expect(Set(scene.app.names) == ["Mine", "Fence f0", "Fence f2"])
    }

    @Test("While the app refuses commands, the registrations are unknown and a problem", arguments: Device.Platform.allCases)
    func silent(_ platform: Device.Platform) async throws {
        let scene = try await Scene(platform)
        scene.app.allowsCommands = false
        scene.bench.phones.patience = 0.1
        let report = try await scene.repairCoordinator.repair(scene.device)
        #expect(report.after.isHealthy == nil && report.callCount == 0)
        func problems() async throws -> [JSONValue] {
            try await scene.bench.perform { service throws(Problem) in
                try service.concerns(ofDevice: "jane/phone", in: .english).problems
            }
        }
        let problem = try await problems().first?["problem"]
        #expect(problem?["code"]?.string == "registryUnavailable")
        #expect(problem?["details"]?.string?.contains("remote commands") == true)

        scene.app.allowsCommands = true
        scene.bench.phones.patience = 600
        #expect(try await scene.repairCoordinator.repair(scene.device).isComplete)
        #expect(try await problems().isEmpty)
    }

    @Test("Auto-repair acts when a list of waypoints shows that one is missing", arguments: Device.Platform.allCases)
    func automatic(_ platform: Device.Platform) async throws {
        let scene = try await Scene(platform)
        var device = scene.device
        device.autoRepair = true
        let automatic = device
        _ = try await scene.bench.perform { service throws(Problem) in try service.save(automatic) }
        let repair = AutoRepair(scene.bench.writer, repairCoordinator: scene.repairCoordinator, clock: scene.bench.clock) { 0 }
        // Without a list of the app no plan is possible, and the app is not asked repeatedly.
        let failures = Mutex(0)
        for _ in 0..<3 {
            await repair.runOnce { news in
                if case .devicesRead = news { return }
                failures.withLock { $0 += 1 }
            }
            scene.bench.clock.set(scene.bench.clock.now() + 60)
        }
        #expect(failures.withLock { $0 } == 1)
        #expect(scene.app.names == ["Mine"])
        try scene.send(scene.app.list.json.description, to: "/waypoints")
        scene.bench.clock.set(scene.bench.clock.now() + 60)
        await repair.runOnce { _ in }
        #expect(try await scene.health().isHealthy == true)
        #expect(scene.app.names.count == 4)
    }

    @Test("The service asks a silent phone once, so that the broker does not collect requests")
    func unheard() async throws {
        let scene = try await Scene(.ios)
        var device = scene.device
        device.autoRepair = true
        let automatic = device
        _ = try await scene.bench.perform { service throws(Problem) in try service.save(automatic) }
        let repair = AutoRepair(scene.bench.writer, repairCoordinator: scene.repairCoordinator, clock: scene.bench.clock) { 0 }
        try scene.send(scene.app.list.json.description, to: "/waypoints")
        scene.app.allowsCommands = false
        scene.bench.phones.patience = 0.1
        for _ in 0..<5 {
            scene.bench.clock.set(scene.bench.clock.now() + 120)
            await repair.runOnce { _ in }
        }
        #expect(scene.bench.phones.isAwaitingAnswer("jane/phone"))
        while scene.app.refused == 0 { await Task.yield() }
        #expect(scene.app.refused == 1)
        // A sign of life resets that.
        scene.app.allowsCommands = true
        scene.bench.phones.patience = 600
        try scene.send(#"{"_type":"status","iOS":{}}"#, to: "/status")
        #expect(!scene.bench.phones.isAwaitingAnswer("jane/phone"))
        scene.bench.clock.set(scene.bench.clock.now() + 120)
        await repair.runOnce { _ in }
        #expect(try await scene.health().isHealthy == true)
    }

    @Test("The authorization comes from the app's status message")
    func permission() async throws {
        let scene = try await Scene(.ios)
        _ = try await scene.repairCoordinator.repair(scene.device)
        try scene.send(
            #"{"_type":"status","iOS":{"locationManagerAuthorizationStatus":"kCLAuthorizationStatusAuthorizedWhenInUse"}}"#,
            to: "/status")
        #expect(try await scene.health().statusSummary == "Needs 'Always' authorization")
        try scene.send(
            #"{"_type":"status","iOS":{"locationManagerAuthorizationStatus":"kCLAuthorizationStatusAuthorizedAlways"}}"#,
            to: "/status")
        #expect(try await scene.health().statusSummary == "Healthy")
    }

    @Test("A waypoint that is listed but not monitored is found by the regions in the phone's positions")
    func zombie() async throws {
        let scene = try await Scene(.ios)
        _ = try await scene.repairCoordinator.repair(scene.device)
        try scene.see(52.5, after: 60, #","inrids":["picket/f0"]"#)
        try scene.see(52.5, after: 300, #","inrids":["picket/f0"]"#)
        #expect(try await scene.health().isHealthy == true)
        // The phone is deep inside f1 for minutes, but reports no region.
        try scene.see(52.6, after: 1000)
        #expect(try await scene.health().findings.contains { $0.kind == .zombie } == false, "it may not have noticed yet")
        try scene.see(52.6, after: 1200)
        let status = try await scene.health()
        #expect(status.findings.first { $0.kind == .zombie }?.geofenceID == "f1", "\(status.json())")
        // After the region was set again, the phone monitors it.
        #expect(try await scene.repairCoordinator.repair(scene.device).steps.map(\.operation.id.shortText) == ["f1"])
        try scene.see(52.6, after: 1260, #","inrids":["picket/f1"]"#)
        #expect(try await scene.health().isHealthy == true)
    }

    @Test("The number of enters and exits that the phone reported too is shown", arguments: Device.Platform.allCases)
    func reported(_ platform: Device.Platform) async throws {
        let scene = try await Scene(platform)
        _ = try await scene.repairCoordinator.repair(scene.device)
        let key = platform == .ios ? "rid" : "wtst"
        let waypoint = try #require(scene.app.waypoints.first { $0["desc"]?.string == "Fence f0" })
        let identity = try #require(waypoint[platform == .ios ? "rid" : "tst"])
        func transition(_ event: String, after seconds: Double) throws {
            let time = Int((Instant("2026-11-20T12:00:00Z")! + seconds).seconds)
            try scene.send(
                #"{"_type":"transition","event":"\#(event)","desc":"Fence f0","\#(key)":\#(identity),"acc":0,"tst":\#(time)}"#,
                to: "/event")
        }
        // The phone enters and leaves; each position is sent twice, for confirmation.
        for lap in 0..<4 {
            let start = Double(lap) * 20_000 + 1000
            try scene.see(52.5, after: start)
            try scene.see(52.5, after: start + 120)
            try transition("enter", after: start + 150)
            try scene.see(52.52, after: start + 6000)
            try scene.see(52.52, after: start + 6120)
            // The phone does not report its last exit.
            if lap < 3 { try transition("leave", after: start + 6100) }
        }
        let reported = try await scene.health().reported
        let expected = #"{"geofenceId":"f0","name":"Fence f0","events":8,"reported":7}"#
        #expect(reported.map { $0.json(in: AnswerLocale()).description } == [expected], "\(reported)")
    }

    @Test("Commands to an app with a key are encrypted, and so are its answers")
    func encrypted() async throws {
        let bench = try BrokerBench()
        try bench.wait(for: .connected)
        let device = Device(id: "jane/phone", platform: .ios, registry: .owntracks)
        try await bench.perform { service throws(Problem) in
            try service.save(device)
            try service.setOwnTracksKey("s3cr3t", ofDevice: "jane/phone")
            try service.apply([.save(Scene.fence("f0", 52.5))])
        }
        let box = try #require(SecretBox(paddedKey: "s3cr3t"))
        let app = OwnTracksApp(.ios)
        let phone = try MQTTPhone(bench.broker.url, subscriptions: [Self.topic + "/cmd"]) { message, publish in
            guard let data = try? JSONParser.parse(message.text)["data"]?.string, let plain = box.open(base64: data),
                let command = try? JSONParser.parse(String(decoding: plain, as: UTF8.self))
            else { return }
            for answer in app.receiveCommands([command]) {
                let sealed: JSONValue = [
                    "_type": "encrypted", "data": .string(box.seal(Array(answer.json.description.utf8))),
                ]
                publish(MQTTMessage(Self.topic + answer.subtopic, sealed.description))
            }
        }
        let report = try await RepairCoordinator(bench.writer, clock: bench.clock, phones: bench.phones).repair(device)
        #expect(report.isComplete && report.callCount == 1)
        #expect(app.names == ["Fence f0"])
        try bench.waitUntilHandled(phone)
    }
}
