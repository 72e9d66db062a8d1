import Core
import Delivery
import Foundation
import Geodesy
import History
import Model
import Places
import Presence
import ServiceTestSupport
import TestSupport
import Testing

@testable import Notifications

@Suite("Notifications of people")
struct NotificationTests {
    private let bench: DeliveryBench
    /// A service of notifications, and a program that gets every entry of the record.
    private let (phone, program): (ScriptedEndpoint, ScriptedEndpoint)

    init() throws {
        bench = try DeliveryBench()
        phone = try ScriptedEndpoint()
        program = try ScriptedEndpoint()
        try bench.edit { service throws(Problem) in
            var device = Device(id: "bwd", policy: PolicyOverride(base: .exact))
            // Silence is not what these tests are about.
            device.silentAfter = Device.maximumSilentAfter
            try service.save(device)
        }
    }

    private func addSinks(_ more: JSONValue = [:]) throws {
        let ntfy: JSONValue = ["id": "phone", "kind": "ntfy", "url": .string(phone.url + "/family")]
        try bench.add(ntfy.merged(with: more))
        try bench.webhook(program, ["id": "program"])
    }

    /// Stores a position of `bwd`, `seconds` after the start of the bench and `north` meters from the center of `home`, and replays what it
    /// changes.
    private func move(_ seconds: Double, north: Double) throws {
        let coordinate = Coordinate(
            latitude: DeliveryBench.home.latitude + north / 111_000, longitude: DeliveryBench.home.longitude)
        let fix = Fix(time: DeliveryBench.start + seconds, coordinate: coordinate)
        try bench.edit { service throws(Problem) in
            var batch = FixBatch()
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "bwd"), line: 0))
            _ = try service.accept(batch)
            _ = try service.replayLate(all: true) { _ in }
        }
    }

    /// The titles of the notifications, after everything was sent.
    private func titles() throws -> [String] {
        let count = try bench.events().count
        #expect(bench.wait("program") { $0.waiting == 0 && $0.delivered == count })
        #expect(bench.wait("phone") { $0.waiting == 0 })
        return try phone.requests.map { try JSONParser.parse($0.body)["title"]?.string ?? "" }
    }

    private func types() throws -> [String] {
        try program.requests.map { try JSONParser.parse($0.body)["type"]?.string ?? "" }
    }

    @Test("A queue of late positions notifies once of what it shows, however its details change with each position")
    func backwardQueue() throws {
        try addSinks()
        try move(-4000, north: 1500)
        try move(0, north: 1500)
        for seconds in [-3600.0, -3590, -3580, -3570, -3560] {
            try move(seconds, north: 0)
            bench.advance(4)
        }
        #expect(try titles() == ["bwd entered Home", "bwd left Home after 1 h"])
        // A program gets one replacement each time.
        #expect(try types() == ["enter", "exit"] + (0..<4).flatMap { _ in ["retracted", "exit"] })
        // The details are the newest ones.
        let crossings = try bench.events().filter { $0.type == .exit }.map(\.crossedAt)
        #expect(Set(crossings).count == 5)
    }

    @Test("Five positions of the way home, one at a time, correct the arrival and repeat nothing")
    func wayHome() throws {
        try addSinks()
        try move(-7200, north: 9000)
        try move(0, north: 0)
        for (seconds, north) in [(-1500.0, 5000.0), (-1200, 2000), (-900, 1000), (-600, 50), (-300, 10)] {
            bench.advance(4)
            try move(seconds, north: north)
        }
        // The arrival was ten minutes earlier than the first position inside said.
        #expect(try titles() == ["bwd entered Home", "Retracted: bwd did not enter Home then", "bwd entered Home"])
        let bodies = try phone.requests.map { try JSONParser.parse($0.body)["message"]?.string ?? "" }
        #expect(bodies == ["2026-05-01 10:00 (UTC)", "2026-05-01 10:00 (UTC)", "2026-05-01 09:50 (UTC)"])
    }

    @Test("When the event itself turns out wrong after its details have changed, one correction says so")
    func wrongInTheEnd() throws {
        try addSinks()
        try move(-4000, north: 1500)
        try move(-3600, north: 0)
        try move(0, north: 1500)
        try move(-3000, north: 0)
        try move(-10, north: 1500)
        #expect(
            try titles() == [
                "bwd entered Home", "bwd left Home after 1 h", "Retracted: bwd did not leave Home then",
                "bwd left Home after 59 min",
            ])
    }

    @Test("A changed detail notifies those who were not notified before, in quiet hours or because the message was refused")
    func unsentOriginal() throws {
        let refusing = try ScriptedEndpoint { _, number in number < 2 ? .answer(422) : .answer(200) }
        // The clock is at 10:00.
        try addSinks(["filter": ["quietHours": ["09:00-10:30"]]])
        try bench.add(["id": "refusing", "kind": "gotify", "url": .string(refusing.url), "token": "app"])
        try move(-4000, north: 1500)
        try move(-3600, north: 0)
        try move(0, north: 1500)
        #expect(bench.wait("refusing") { $0.rejected == 2 && $0.waiting == 0 })
        bench.advance(3600)
        try move(-3000, north: 0)
        #expect(try titles() == ["bwd left Home after 1 h"])
        #expect(bench.wait("refusing") { $0.waiting == 0 && $0.delivered == 1 })
        #expect(try JSONParser.parse(refusing.requests[2].body)["title"] == "bwd left Home after 1 h")
    }

    @Test("Reevaluating the past notifies of nothing older than a day, unless asked, and says how much was left out")
    func longAgo() throws {
        try addSinks()
        let patient = try ScriptedEndpoint()
        try bench.add(["id": "patient", "kind": "ntfy", "url": .string(patient.url + "/all"), "maxAge": "forever"])
        let fortnight = -14 * 86_400.0
        // Positions of two weeks ago arrive now, and later one more, which only a requested replay evaluates.
        for (seconds, north) in [(0.0, 1500.0), (600, 0), (1200, 1500), (1500, 3000), (1800, 1500)] {
            try move(fortnight + seconds, north: north)
        }
        try move(0, north: 1500)
        try move(fortnight + 900, north: 1500)
        try bench.edit { service throws(Problem) in _ = try service.replay(device: nil, since: nil, report: { _ in }) }
        #expect(try titles().isEmpty)
        #expect(try types() == ["enter", "exit", "retracted", "exit"])
        // The retraction is of an event that was not sent, so it does not count.
        #expect(bench.wait("phone") { $0.tooOld == 3 && $0.delivered == 0 })
        #expect(bench.wait("patient") { $0.waiting == 0 && $0.delivered == 4 && $0.tooOld == 0 })
        // A geofence that was not there two weeks ago.
        try bench.edit { service throws(Problem) in
            let place = Coordinate(
                latitude: DeliveryBench.home.latitude + 3000 / 111_000, longitude: DeliveryBench.home.longitude)
            _ = try service.apply([
                .save(Geofence(id: "work", name: "Work", shape: .circle(Circle(center: place, radius: 100))))
            ])
            _ = try service.correctPast(PastCorrection(geofences: ["work"]))
        }
        #expect(try titles().isEmpty)
        #expect(try types().suffix(2) == ["enter", "exit"])
        #expect(bench.wait("phone") { $0.tooOld == 5 && $0.delivered == 0 })
        #expect(bench.wait("patient") { $0.waiting == 0 && $0.delivered == 6 })
    }

    @Test("A retraction is filtered by the age of what it retracts, and not sent after a day")
    func oldRetraction() throws {
        try addSinks()
        for (seconds, north) in [(-60.0, 1500.0), (-30, 0), (0, 1500)] { try move(seconds, north: north) }
        #expect(try titles() == ["bwd entered Home", "bwd left Home after 30 s"])
        bench.advance(2 * 86_400)
        try move(-15, north: 1500)
        #expect(try titles().count == 2)
        #expect(try types() == ["enter", "exit", "retracted", "exit"])
        // The new exit is as old.
        #expect(bench.wait("phone") { $0.tooOld == 2 })
    }

    @Test("An outage of two days loses nothing, because only the time until an event is recorded counts")
    func outage() throws {
        try addSinks()
        phone.script { _, _ in .answer(503) }
        try move(-60, north: 1500)
        try move(0, north: 0)
        #expect(bench.wait("phone") { $0.failures >= 1 })
        // The endpoint answers again before the clock moves, because each failed attempt lengthens the wait for the next one.
        phone.script { _, _ in .answer(200) }
        bench.advance(2 * 86_400)
        try move(2 * 86_400, north: 1500)
        bench.advance(60)
        #expect(bench.wait("phone") { $0.delivered == 2 && $0.waiting == 0 && $0.tooOld == 0 })
    }

    @Test("The maximum age holds from the next event on, not for earlier ones")
    func changed() throws {
        try addSinks()
        try move(-2 * 86_400, north: 1500)
        try move(-2 * 86_400 + 60, north: 0)
        #expect(bench.wait("phone") { $0.tooOld == 1 })
        _ = try bench.edit { [url = phone.url] service throws(Problem) in
            try service.saveSink(
                ["kind": "ntfy", "url": .string(url + "/family"), "maxAge": .number("259200")], id: "phone",
                by: .init(isLocal: true, allowsPrivate: true)
            ).sink.id
        }
        bench.inbox.sinksChanged()
        try move(-2 * 86_400 + 120, north: 1500)
        #expect(try titles() == ["bwd left Home after 1 min"])
        #expect(try bench.stored("phone").filters.map(\.maxAge) == [86_400, 259_200])
    }
}
