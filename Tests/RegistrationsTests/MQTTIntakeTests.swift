import Foundation
import Model
import Store
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Registrations
@testable import Service

@Suite("MQTT intake", .timeLimit(.minutes(60)), .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct MQTTIntakeTests {
    private static let topic = "owntracks/jane/phone"

    private static func location(_ time: Int, latitude: Double = 52.5) -> String {
        #"{"_type":"location","lat":\#(latitude),"lon":13.4,"acc":8,"tst":\#(time)}"#
    }

    /// A message of two phones, and its expected result.
    struct Sent: Sendable, CustomTestStringConvertible {
        var name: String
        var subtopic = ""
        var message: String
        var positions = 0
        var evidence = 0
        var refused: Refusal.Kind?

        var testDescription: String { name }
    }

    static let iOS: [Sent] = [
        .init(
            name: "location",
            message:
                #"{"_type":"location","BSSID":"0:1:2:3:4:5","SSID":"home","acc":5,"alt":167,"batt":67,"bs":1,"cog":271,"conn":"w","created_at":1777629604,"inregions":["Home"],"inrids":["6da9cf"],"lat":52.5163,"lon":13.3777,"m":1,"t":"u","tid":"JJ","topic":"owntracks/jane/phone","tst":1777629600,"vac":21,"vel":61}"#,
            positions: 1),
        .init(
            name: "transition", subtopic: "/event",
            message:
                #"{"_type":"transition","acc":0,"desc":"Home","event":"leave","lat":52.5163,"lon":13.3777,"rid":"6da9cf","t":"c","tid":"JJ","tst":1777629700,"wtst":1777000000}"#,
            evidence: 1),
        .init(
            name: "waypoint", subtopic: "/waypoint",
            message: #"{"_type":"waypoint","desc":"Home","lat":52.5163,"lon":13.3777,"rad":100,"rid":"6da9cf","tst":1777000000}"#,
            evidence: 1),
        .init(
            name: "waypoints", subtopic: "/waypoints",
            message:
                #"{"_type":"waypoints","_creator":"iOS","waypoints":[{"_type":"waypoint","desc":"Home","lat":52.516300,"lon":13.377700,"rad":100,"rid":"6da9cf","tst":1777000000}]}"#,
            evidence: 1),
        .init(
            name: "status", subtopic: "/status",
            message: #"{"_type":"status","iOS":{"locationManagerAuthorizationStatus":"kCLAuthorizationStatusAuthorizedAlways"}}"#,
            evidence: 1),
        .init(
            name: "dump", subtopic: "/dump", message: #"{"_type":"dump","configuration":{"_type":"configuration"}}"#, evidence: 1),
        .init(name: "steps", subtopic: "/step", message: #"{"_type":"steps","tst":1777629600,"steps":1200,"from":1,"to":2}"#),
        .init(name: "card", subtopic: "/info", message: #"{"_type":"card","name":"Jane","face":"AAAA"}"#),
        .init(
            name: "beacon", subtopic: "/beacon", message: #"{"_type":"beacon","uuid":"x","major":1,"minor":2,"tst":1777629600}"#),
        .init(name: "last will", message: #"{"_type":"lwt","tst":1777629600}"#),
    ]

    static let android: [Sent] = [
        .init(
            name: "location with strings for numbers and floats for whole ones",
            message:
                #"{"_type":"location","_id":"e2b9","acc":"14.0","alt":34.0,"batt":"42","bs":1.0,"lat":"52.5163","lon":"13.3777","m":2,"t":"u","tid":"dx","tst":"1777629600","vel":"36"}"#,
            positions: 1),
        .init(
            name: "transition with a float for its time", subtopic: "/event",
            message:
                #"{"_type":"transition","acc":14.0,"desc":"Home","event":"enter","t":"l","tst":1777629700.0,"wtst":1777000000}"#,
            evidence: 1),
        .init(
            name: "waypoints without rid", subtopic: "/waypoints",
            message:
                #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"Home","lat":52.5163,"lon":13.3777,"rad":100,"tst":1777000000}]}"#,
            evidence: 1),
        .init(name: "status", subtopic: "/status", message: #"{"_type":"status","android":{"wifi":true}}"#, evidence: 1),
        .init(name: "request", subtopic: "/request", message: #"{"_type":"request","request":"tour"}"#),
        .init(name: "a type that nobody knows", message: #"{"_type":"brandNew","x":1}"#),
        .init(name: "nothing", message: ""),
        .init(name: "no JSON", message: "hello", refused: .malformed),
        .init(name: "cut off", message: #"{"_type":"location","lat":52.5"#, refused: .malformed),
        .init(name: "binary", message: "\u{0}\u{1}\u{2}", refused: .malformed),
        .init(name: "no type", message: #"{"lat":52.5,"lon":13.4,"tst":1777629600}"#, refused: .malformed),
        .init(
            name: "a latitude that is none", message: #"{"_type":"location","lat":"north","lon":13.4,"tst":1777629600}"#,
            refused: .unreadable),
        .init(
            name: "encryption without a key", message: #"{"_type":"encrypted","data":"QUJD"}"#, refused: .encrypted),
        .init(name: "more than a megabyte", message: String(repeating: "x", count: 1_100_000), refused: .tooLarge),
    ]

    @Test("Each kind of message of the apps is handled as its kind", arguments: [iOS, android])
    func kinds(_ sent: [Sent]) async throws {
        let bench = try BrokerBench()
        let phone = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        for item in sent { try phone.publish(Self.topic + item.subtopic, item.message) }
        try bench.waitUntilHandled(phone)
        let (fixes, evidence, refused, fix) = try await bench.perform { service throws(Problem) in
            guard let stored = try service.store.device(id: "jane/phone") else {
                throw .notFound(kind: .device, id: "", similar: [])
            }
            var evidence: [String] = []
            try service.store.forEachEvidence(of: stored.key) { _, _, body in evidence.append(body["_type"]?.string ?? "") }
            var fixes = 0
            try service.store.forEachFix(service.store.fixNumbers(of: stored.key)) { _, _ in fixes += 1 }
            return (
                fixes, evidence, try service.refusedInput(of: "jane/phone"), try service.deviceStatus(of: "jane/phone").newest
            )
        }
        #expect(fixes == sent.reduce(0) { $0 + $1.positions })
        #expect(evidence.count == sent.reduce(0) { $0 + $1.evidence }, "\(evidence)")
        #expect(Set(refused.map(\.kind)) == Set(sent.compactMap(\.refused)))
        #expect(refused.reduce(0) { $0 + $1.count } == sent.count { $0.refused != nil })
        #expect(fix?.time == Instant("2026-05-01T10:00:00Z") && fix?.coordinate.latitude == 52.5163)
        #expect(try await bench.problem() == nil)
    }

    @Test("Retained messages create no device, position or event")
    func retained() async throws {
        let bench = try BrokerBench()
        let phone = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        bench.intake.stop()
        try phone.publish("owntracks/old/phone", Self.location(1_777_629_600), isRetained: true)
        // The session receives a message that was published in between once as new, and again as retained.
        try phone.publish("owntracks/ghost/phone", Self.location(1_777_629_600), isRetained: true)
        try bench.restartIntake()
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        #expect(bench.metrics.mqttMessages.values.first { $0.label == "retained" }?.count == 2)
        try await bench.perform { service throws(Problem) in
            for id in ["old/phone", "ghost/phone"] { try service.removeDevice(id: id) }
        }
        // A device that a person removed is not created again by a retained message.
        bench.intake.stop()
        try bench.restartIntake()
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        #expect(bench.metrics.mqttMessages.values.first { $0.label == "retained" }?.count == 4)
        let devices = try await bench.perform { service throws(Problem) in try service.devices().map(\.id) }
        #expect(!devices.contains("old/phone") && !devices.contains("ghost/phone"))
    }

    @Test("A retained position is accepted if it is newer than all others of a known device, and at most a day old")
    func retainedNews() async throws {
        let bench = try BrokerBench()
        let now = Int(bench.clock.now().seconds)
        let before = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        try before.publish("owntracks/jane/phone", Self.location(now - 7200, latitude: 52.1))
        try before.publish("owntracks/parked/phone", Self.location(now - 200_000, latitude: 52.1))
        try bench.waitUntilHandled(before)
        // The broker loses the session, so only its retained messages arrive afterward.
        bench.intake.stop()
        bench.broker.kill()
        try bench.broker.start()
        let phone = try MQTTPhone(bench.broker.url)
        try phone.publish("owntracks/jane/phone", Self.location(now - 600, latitude: 52.2), isRetained: true)
        try phone.publish("owntracks/parked/phone", Self.location(now - 100_000, latitude: 52.2), isRetained: true)
        try phone.publish("owntracks/stranger/phone", Self.location(now - 600, latitude: 52.2), isRetained: true)
        try bench.restartIntake()
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        #expect(try await bench.latitudes(of: "jane/phone") == [52.1, 52.2])
        #expect(try await bench.latitudes(of: "parked/phone") == [52.1])
        #expect(try await bench.latitudes(of: "stranger/phone").isEmpty)
        #expect(bench.metrics.mqttMessages.values.first { $0.label == "retained" }?.count == 2)
    }

    @Test("A retained position is accepted from a known device without one, and does not show that the device is reachable now")
    func retainedFirst() async throws {
        let bench = try BrokerBench()
        try await bench.perform { service throws(Problem) in
            _ = try service.save(Device(id: "jane/phone", silentAfter: 3600))
        }
        try bench.wait(for: .connected)
        // The broker loses the session, so only its retained messages arrive afterward.
        bench.intake.stop()
        bench.broker.kill()
        try bench.broker.start()
        let phone = try MQTTPhone(bench.broker.url)
        let now = Int(bench.clock.now().seconds)
        for (device, age) in [("jane", 7200), ("stranger", 7200)] {
            try phone.publish("owntracks/\(device)/phone", Self.location(now - age, latitude: 52.2), isRetained: true)
        }
        // The device is silent an hour after the start of the service, although its position arrives half an hour later.
        bench.advance(by: 1800)
        try bench.restartIntake()
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        #expect(try await bench.latitudes(of: "jane/phone") == [52.2])
        #expect(try await bench.latitudes(of: "stranger/phone").isEmpty)
        bench.advance(by: 1801)
        let end = bench.clock.now()
        let events = try await bench.perform { service throws(Problem) in
            service.listeningSince = end + -3601
            return try service.fireDeadlines(upTo: end)
        }
        #expect(events.map(\.type) == [.silent], "\(events)")
    }

    @Test("Messages published while the service is away arrive once and in order")
    func away() async throws {
        let bench = try BrokerBench()
        let phone = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        bench.intake.stop()
        for step in 0..<50 {
            try phone.publish(Self.topic, Self.location(1_777_629_600 + step, latitude: 52.5 + Double(step) / 1000))
        }
        try bench.restartIntake()
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        let latitudes = try await bench.latitudes(of: "jane/phone")
        let published: [Double] = (0..<50).map { step in 52.5 + Double(step) / 1000.0 }
        #expect(latitudes == published)
    }

    @Test("A message is acknowledged only when it is on disk, so a failing disk loses nothing")
    func fullDisk() async throws {
        let bench = try BrokerBench()
        let phone = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        bench.diskFailure.code.store(EIO, ordering: .relaxed)
        for step in 0..<10 { try phone.publish(Self.topic, Self.location(1_777_629_600 + step)) }
        try phone.publish(Self.topic + "/event", #"{"_type":"transition","event":"enter","desc":"Home","tst":1777629700}"#)
        try bench.wait(for: .reconnecting)
        #expect(bench.metrics.mqttMessages.values.first { $0.label == "failed" }?.count ?? 0 > 0)
        bench.diskFailure.code.store(0, ordering: .relaxed)
        bench.advance(by: 60)
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        let (fixes, evidence) = try await bench.perform { service throws(Problem) in
            var (fixes, evidence) = (0, 0)
            guard let stored = try service.store.device(id: "jane/phone") else { return (fixes, evidence) }
            try service.store.forEachFix(service.store.fixNumbers(of: stored.key)) { _, _ in fixes += 1 }
            try service.store.forEachEvidence(of: stored.key) { _, _, _ in evidence += 1 }
            return (fixes, evidence)
        }
        #expect(fixes == 10)
        // Delivery is at least once, so a report may be stored twice.
        #expect(evidence >= 1)
    }

    private final class SetClocks: MachineClocks {
        /// Seconds by which the clock is behind.
        let error = Atomic<Int>(3600)

        func wallTime() -> Instant { TestClock().now() + -Double(error.load(ordering: .relaxed)) }
        func uptime() -> Int64 { 100_000 }
        func isSynchronized() -> Bool { false }
        func boot() -> String { "" }
    }

    @Test("A position ahead of a clock that is behind stays with the broker until the clock is right")
    func clockBehind() async throws {
        let clocks = SetClocks()
        let bench = try BrokerBench(clocks: clocks)
        let phone = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        let now = Int(bench.clock.now().seconds)
        for step in 0..<3 { try phone.publish(Self.topic, Self.location(now + step)) }
        try phone.publish(Self.topic, "[\(Self.location(now + 3)),{\"_type\":\"status\"}]")
        try bench.wait(for: .reconnecting)
        #expect(try await bench.latitudes(of: "jane/phone").isEmpty)
        clocks.error.store(0, ordering: .relaxed)
        bench.advance(by: 60)
        try bench.wait(for: .connected)
        try bench.waitUntilHandled(phone)
        #expect(try await bench.latitudes(of: "jane/phone").count == 4)
    }

    @Test("A lost broker is an open problem, other positions are still accepted, and the intake recovers automatically")
    func brokerKilled() async throws {
        let bench = try BrokerBench()
        try bench.wait(for: .connected)
        bench.broker.kill()
        try bench.wait(for: .reconnecting)
        let problem = try #require(try await bench.problem())
        #expect(problem["problem"]?["code"]?.string == "intakeInterrupted")
        #expect(problem["problem"]?["message"]?.string?.contains(bench.broker.url) == true)
        #expect(bench.intake.status.state == .reconnecting)
        #expect(bench.intake.status.connection.problem?.code == "intakeInterrupted")

        // Positions from other sources are still accepted.
        var batch = FixBatch()
        batch.rows.append(
            .init(
                fix: Fix(time: Instant("2026-05-01T10:00:00Z")!, coordinate: .init(latitude: 52.5, longitude: 13.4)),
                device: batch.number(ofDevice: "ben"), line: 1))
        let taken = batch
        let result: IntakeResult = try await withCheckedContinuation { continuation in
            #expect(bench.writer.submit(taken) { continuation.resume(returning: $0) })
        }.get()
        #expect(result.counts.accepted == 1)

        // After five failed attempts the state is degraded, and attempts continue.
        var attempts = 1
        while bench.states.last != .degraded {
            let before = try #require(try await bench.problem())["consecutiveFailures"]?.double ?? 0
            bench.advance(by: 60)
            attempts += 1
            while try await bench.problem()?["consecutiveFailures"]?.double == before { await Task.yield() }
            try #require(attempts <= 7)
        }
        #expect(attempts == 6)
        #expect(try await bench.problem()?["isEscalated"]?.bool == true)

        try bench.broker.start()
        bench.advance(by: 60)
        try bench.wait(for: .connected)
        let phone = try MQTTPhone(bench.broker.url)
        try phone.publish(Self.topic, Self.location(1_777_629_600))
        try bench.waitUntilHandled(phone)
        #expect(try await bench.problem() == nil)
        #expect(try await bench.perform { service throws(Problem) in try service.hasDevice(id: "jane/phone") })
        #expect(bench.states == [.connecting, .connected, .reconnecting, .degraded, .connected])
        #expect(bench.intake.status.connection.problem == nil)
    }

    @Test("A refused sign-in is tried again, and only one that persists pauses the intake, which then tries each hour")
    func refusedForLong() async throws {
        var options = MQTTBroker.Options()
        options.users = ["anna": "secret"]
        let bench = try BrokerBench(options)
        try bench.wait(for: .reconnecting)
        let start = bench.clock.now()
        var attempt = 1
        while bench.states.last != .paused {
            let before = bench.clock.now()
            bench.advance(by: 30)
            attempt += 1
            try bench.wait { bench.intake.status.connection.state.attempt == attempt || bench.states.last == .paused }
            try #require(before - start < 1000)
        }
        #expect(bench.clock.now() - start >= 900)
        let due = try #require(bench.intake.status.connection.nextAttemptAt)
        #expect(due - bench.clock.now() == 3600)
        bench.advance(by: 3600)
        try bench.wait { bench.intake.status.connection.nextAttemptAt.map { $0 > due } ?? false }
        #expect(bench.states == [.connecting, .reconnecting, .degraded, .paused])
    }

    @Test("A refused sign-in is a problem of the sign-in, and corrected settings are used at once")
    func refused() async throws {
        var options = MQTTBroker.Options()
        options.users = ["anna": "secret"]
        let bench = try BrokerBench(options)
        try bench.wait(for: .reconnecting)
        let problem = try #require(try await bench.problem())
        #expect(problem["problem"]?["code"]?.string == "accessRefused")
        #expect(problem["problem"]?["recoveryAction"]?["kind"]?.string == "signIn")

        bench.intake.reload(.init(broker: try BrokerAddress(bench.broker.url(user: "anna"))))
        try bench.wait(for: .connected)
        let phone = try MQTTPhone(bench.broker.url(user: "anna"))
        try bench.waitUntilHandled(phone)
        #expect(try await bench.problem() == nil)
        #expect(bench.intake.status.broker.description == "mqtt://127.0.0.1:\(bench.broker.port)")
        // Reloading equal settings changes nothing.
        bench.intake.reload(.init(broker: try BrokerAddress(bench.broker.url(user: "anna"))))
        #expect(bench.states == [.connecting, .reconnecting, .connecting, .connected])
    }

    @Test("Encrypted messages are decrypted with the device's key, as soon as it is set")
    func encrypted() async throws {
        let bench = try BrokerBench()
        let phone = try MQTTPhone(bench.broker.url)
        try bench.wait(for: .connected)
        let message = #"{"_type":"encrypted","data":"\#(OwnTracksKeyTests.location)"}"#
        try phone.publish(Self.topic, message)
        try bench.waitUntilHandled(phone)
        #expect(try await bench.perform { service throws(Problem) in try service.deviceStatus(of: "jane/phone").newest } == nil)
        try await bench.perform { service throws(Problem) in try service.setOwnTracksKey("s3cr3t", ofDevice: "jane/phone") }
        try phone.publish(Self.topic, message)
        try phone.publish(Self.topic + "/event", #"{"_type":"encrypted","data":"\#(OwnTracksKeyTests.transition)"}"#)
        try bench.waitUntilHandled(phone)
        let (fix, problems) = try await bench.perform { service throws(Problem) in
            (try service.deviceStatus(of: "jane/phone").newest, try service.problems(of: "jane/phone").count)
        }
        #expect(fix?.coordinate.latitude == 52.5163)
        #expect(problems == 1, "its problem ends when the device has sent readable messages only for some minutes")
    }
}
