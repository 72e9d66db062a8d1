import Foundation
import Model
import TestSupport
import Testing

@Suite("Crashes during delivery")
struct SinkCrashTests {
    @Test(
        "Each event is sent at least once and in order per device, to an endpoint that sometimes fails",
        arguments: [1, 2] as [UInt64])
    func killed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let shell = try Shell()
        let endpoint = try ScriptedEndpoint { _, number in
            switch number % 97 {
            case 31: .reset
            case 59: .answer(503)
            default: .answer(200)
            }
        }
        #expect(
            try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100").status == 0)
        #expect(try shell.picket.run("sink", "add", "webhook", endpoint.url + "/hook", "--id", "hook").status == 0)
        let devices = (0..<8).map { "d\($0)" }
        var second = 0
        let rounds = 4
        for round in 0..<rounds {
            let service = try RunningService(data: shell.picket.data)
            var lines: [String] = []
            for _ in 0..<20 {
                for latitude in ["52.6", "52.5"] {
                    second += 10
                    let time = Instant("2026-05-01T10:00:00Z")! + Double(second)
                    lines += devices.map {
                        #"{"device":"\#($0)","timestamp":"\#(time)","latitude":\#(latitude),"longitude":13.4}"#
                    }
                }
            }
            let before = endpoint.requests.count
            let answer = try service.connect().send(
                "POST", "/v1/positions?policy=exact", body: "[\(lines.joined(separator: ","))]")
            #expect(answer?.status == 200, "seed \(seed), round \(round)")
            #expect(endpoint.wait(for: before + Int.random(in: 1...150, using: &random)), "seed \(seed), round \(round)")
            service.kill()
        }
        // A retry after a failure comes within seconds.
        let service = try RunningService(data: shell.picket.data)
        let stored = try shell.picket.run("events", "--json").lines.map { try JSONParser.parse($0) }
        // The first event of a device is an enter, because its first position is outside.
        #expect(stored.count == devices.count * (40 * rounds - 1), "seed \(seed)")
        let ids = Set(stored.compactMap { $0["id"]?.string })
        #expect(
            endpoint.wait { requests in ids.isSubset(of: Set(requests.compactMap { $0.headers["idempotency-key"] })) },
            "seed \(seed)")
        // Events that were answered with 200 are sent again if the store did not know that when the service was killed. Apart from such
        // repeats, each device's events arrive in order, and none is missing.
        for device in devices {
            let order = stored.filter { $0["deviceId"]?.string == device }.compactMap { $0["id"]?.string }
            var seen: Set<String> = []
            let arrived = try endpoint.requests.compactMap { request -> String? in
                let json = try JSONParser.parse(request.body)
                guard json["deviceId"]?.string == device, let id = json["id"]?.string, seen.insert(id).inserted else {
                    return nil
                }
                return id
            }
            #expect(arrived == order, "seed \(seed), \(device)")
        }
        service.kill()
    }
}
