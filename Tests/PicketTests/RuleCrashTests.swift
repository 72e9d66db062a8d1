import Foundation
import Model
import TestSupport
import Testing

@Suite("Crashes while rules are evaluated", .timeLimit(.minutes(60)))
struct RuleCrashTests {
    @Test("Each missed event is reported once, whenever the service is killed", arguments: [1, 2] as [UInt64])
    func killed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let picket = try Shell().picket
        let devices = (0..<250).map { "d\($0)" }
        let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970) * 1000)
        // The devices were seen outside twenty hours ago, and not since.
        let first = start + -20 * 3600
        var service = try RunningService(data: picket.data)
        func send(_ method: String, _ target: String, _ body: String) throws -> Int? {
            try service.connect().send(method, target, body: body)?.status
        }
        #expect(try send("PUT", "/v1/geofences/home", #"{"name":"Home","latitude":52.5,"longitude":13.4,"radius":100}"#) == 201)
        let edits = devices.map { #"{"put":{"id":"\#($0)","groups":["all"]}}"# }
        #expect(try send("POST", "/v1/devices:edit", #"{"edits":[\#(edits.joined(separator: ","))]}"#) == 200)
        let positions = devices.map { #"{"device":"\#($0)","timestamp":"\#(first)","latitude":52.6,"longitude":13.4}"# }
        #expect(try send("POST", "/v1/positions", "[\(positions.joined(separator: ","))]") == 200)

        // There is a rule for each full hour; deadlines since then are fired by the clock.
        let hours = stride(from: (first.milliseconds / 3_600_000 + 1) * 3_600_000, through: start.milliseconds, by: 3_600_000)
        let expected = Set(devices.flatMap { device in hours.map { "\(device) \(Instant(milliseconds: $0))" } })
        func missed() throws -> [String] {
            try picket.run("events", "--type", "missed", "--json").lines.map { line in
                let json = try JSONParser.parse(line)
                return "\(json["deviceId"]?.string ?? "") \(json["occurredAt"]?.string ?? "")"
            }
        }
        var kills = 0
        for hour in 0..<24 {
            let by = (hour < 10 ? "0" : "") + "\(hour):00"
            let rule =
                #"{"id":"h\#(hour)","group":"all","geofenceId":"home","kind":"entersBy","by":"\#(by)","grace":0,"since":"\#(first)"}"#
            #expect(try send("POST", "/v1/rules", rule) == 201, "seed \(seed)")
            if hour % 4 != 3 { continue }
            // Deadlines fire every second: the service is killed between now and a moment after the next time.
            let end = ContinuousClock.now + .milliseconds(Int.random(in: 0...1200, using: &random))
            while ContinuousClock.now < end { _ = try service.connect().send("GET", "/healthz") }
            service.kill()
            kills += 1
            service = try RunningService(data: picket.data)
        }
        while try missed().count < expected.count { _ = try service.connect().send("GET", "/healthz") }
        let found = try missed()
        #expect(Set(found).count == found.count && expected.isSubset(of: found), "seed \(seed), \(kills) kills")
        service.kill()
        let check = try picket.run("check")
        #expect(check.status == 0, "seed \(seed): \(check.output)")
    }
}
