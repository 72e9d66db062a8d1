import Foundation
import Model
import Notifications
import Presence
import TestSupport
import Testing

@Suite("Delivery of alarms")
struct AlarmDeliveryTests {
    /// Makes a device raise an alarm in the middle of `home`.
    private func raise(_ kind: String, _ device: String, in bench: DeliveryBench) throws -> Event {
        let fix = Fix(time: bench.clock.now(), coordinate: DeliveryBench.home, accuracy: 5)
        return try bench.edit { service throws(Problem) in
            var batch = FixBatch()
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: device), line: 1))
            batch.alarms.append(AlarmReport(device: device, kind: kind, time: fix.time, fix: fix))
            guard let event = try service.accept(batch, policy: .exact).events.last(where: { $0.type == .alarm }) else {
                throw .unknown(details: "no alarm came of it")
            }
            return event
        }
    }

    private func alarms(_ endpoint: ScriptedEndpoint) throws -> [JSONValue] {
        try endpoint.requests.map { try JSONParser.parse($0.body) }.filter { $0["type"]?.string == "alarm" }
    }

    @Test("An emergency ignores filters, quiet hours and rate limits, but not a sink that refuses emergencies")
    func pastFilters() throws {
        let bench = try DeliveryBench()
        let (quiet, closed) = (try ScriptedEndpoint(), try ScriptedEndpoint())
        try bench.webhook(
            quiet,
            [
                "id": "quiet", "filter": ["devices": ["nobody"], "quietHours": ["00:00-23:59"], "types": ["exit"]],
                "rateLimit": ["messages": JSONValue(1), "seconds": JSONValue(3600)],
            ])
        try bench.webhook(closed, ["id": "closed", "emergency": false])
        try bench.visits(2)
        for device in ["mia", "tom"] { _ = try raise("sos", device, in: bench) }
        #expect(quiet.wait(for: 2))
        // The two devices' messages may arrive in any order.
        let sentAlarms = try alarms(quiet).sorted { ($0["deviceId"]?.string ?? "") < ($1["deviceId"]?.string ?? "") }
        #expect(sentAlarms.map { $0["deviceId"]?.string } == ["mia", "tom"])
        let first = try #require(sentAlarms.first)
        #expect(first["urgency"]?.string == "emergency" && first["alarm"]?["kind"]?.string == "sos")
        #expect(first["alarm"]?["inside"]?.array?.first?["geofenceName"]?.string == "Home")
        #expect(first["alarm"]?["emergencyNumber"]?.string == "112")
        // This sink's events: four of the visits, and mia's enter by the alarm's position; tom's enter is initial.
        #expect(bench.wait("closed") { $0.waiting == 0 && $0.delivered == 5 })
        #expect(try alarms(closed).isEmpty)
    }

    @Test("An emergency is sent every five minutes, even after a restart, until a person acknowledges it")
    func repetition() throws {
        let bench = try DeliveryBench()
        let endpoint = try ScriptedEndpoint()
        try bench.webhook(endpoint, ["id": "hook", "filter": ["types": ["exit"]]])
        /// Waits until the delivery has recorded what the endpoint received. Before that, nothing waits for the sink either, and
        /// an alarm whose first message is not recorded is not due again, no matter how far the clock is moved.
        func isNoted(_ count: Int) -> Bool {
            endpoint.wait(for: count) && bench.wait("hook") { $0.delivered == count && $0.waiting == 0 }
        }
        let event = try raise("sos", "mia", in: bench)
        #expect(isNoted(1))
        // Due repetitions are checked every five seconds.
        bench.advance(290)
        bench.advance(10)
        #expect(isNoted(2))
        bench.advance(300)
        #expect(isNoted(3))
        // The alarm is sent at once, because the time of its last message is unknown.
        try bench.restart()
        #expect(isNoted(4))
        let keys = endpoint.requests.compactMap { $0.headers["idempotency-key"] }
        #expect(keys[0] == event.id && keys[1...].allSatisfy { $0.hasPrefix(event.id + "-") })
        #expect(try alarms(endpoint).map { $0["repetition"]?.double ?? 0 }.prefix(3) == [0, 1, 2])
        _ = try bench.edit { service throws(Problem) in try service.acknowledge(event, by: "Anna") }
        for _ in 1...3 { bench.advance(300) }
        // Another alarm shows that the sink would have been sent a repetition.
        _ = try raise("sos", "tom", in: bench)
        #expect(endpoint.wait(for: 5))
        #expect(try alarms(endpoint).map { $0["deviceId"]?.string } == ["mia", "mia", "mia", "mia", "tom"])
    }

    @Test("A warning is sent like any other event: once, and by the filter")
    func warning() throws {
        let bench = try DeliveryBench()
        let (all, exits) = (try ScriptedEndpoint(), try ScriptedEndpoint())
        try bench.webhook(all, ["id": "all"])
        try bench.webhook(exits, ["id": "exits", "filter": ["types": ["exit"]]])
        _ = try raise("lowBattery", "mia", in: bench)
        #expect(all.wait { $0.contains { $0.body.contains("lowBattery") } })
        bench.advance(300)
        bench.advance(300)
        try bench.visits(1)
        #expect(exits.wait(for: 1))
        #expect(try alarms(exits).isEmpty && alarms(all).count == 1)
        #expect(try alarms(all).first?["urgency"]?.string == "warning")
    }
}
