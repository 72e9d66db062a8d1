import Foundation
import Model
import TestSupport
import Testing

@testable import picket_bench

@Suite("Benchmark with dense geofences")
struct DenseBenchmarkTests {
    @Test("The benchmark sends the expected load to every cell, then every kind of request beside positions")
    func run() throws {
        // The benchmark counts the bytes that are written to a disk.
        let directory = try TemporaryDirectory(in: "/var/tmp/")
        var picket = Program(data: directory.path + "/data")
        picket.environment = ["TMPDIR": directory.path]
        let result = try picket.run(
            "bench", "service", "--dense", "--short", "--geofences", "200", "--devices", "100", "--fixes", "10000", "--json")
        #expect(result.status == 0, "\(result.errors)")
        let lines = try result.lines.map { try JSONParser.parse($0) }
        let cells = lines.filter { $0["part"]?.string == "cell" }
        #expect(
            cells.map { "\($0["connections"]?.double ?? 0) \($0["batch"]?.double ?? 0) \($0["durability"]?.string ?? "")" } == [
                "4.0 1000.0 full", "4.0 1000.0 normal", "4.0 100.0 full", "4.0 100.0 normal", "64.0 1.0 full", "64.0 1.0 normal",
                "1.0 1.0 full", "1.0 1.0 normal",
            ])
        #expect(cells.map { $0["positions"]?.double } == [1000, 1000, 500, 500, 100, 100, 30, 30])
        for cell in cells {
            for name in ["positionsPerSecond", "p50", "p99", "p999", "max", "peakMemory", "bytesWrittenPerPositionWithStop"] {
                #expect(try #require(cell[name]?.double) > 0, "\(name) of \(cell)")
            }
        }
        let edits = lines.filter { $0["part"]?.string == "edits" }
        #expect(edits.count == 19)
        #expect(edits.first?["beside"]?.string == "nothing else" && edits.last?["beside"]?.string == "90 new devices")
        for edit in edits {
            #expect(try #require(edit["positions"]?.double) >= 2 && #require(edit["max"]?.double) > 0, "\(edit)")
            #expect(edit["beside"]?.string == "nothing else" || edit["longestRequest"]?.double != nil, "\(edit)")
        }
    }

    @Test("The option needs the service benchmark and enough geofences")
    func misuse() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path + "/data")
        #expect(try picket.run("bench", "--dense").status == 2)
        #expect(try picket.run("bench", "service", "--dense", "--geofences", "10").status == 2)
    }

    @Test("Devices report in turn, a second apart and 15 m on, inside the square, and the same for the same seed")
    func devices() throws {
        struct Position { var device: String, time: Instant, latitude: Double, longitude: Double }
        let count = 7
        var devices = DenseDevices(count, seed: 3)
        var again = devices
        var last: [Position] = []
        for number in 0..<count * 5000 {
            var text: [UInt8] = []
            devices.writeNext(into: &text)
            var same: [UInt8] = []
            again.writeNext(into: &same)
            #expect(text == same)
            let json = try JSONParser.parse(String(decoding: text, as: UTF8.self))
            #expect(json.members?.map(\.name) == ["device", "timestamp", "latitude", "longitude"])
            let position = Position(
                device: try #require(json["device"]?.string),
                time: try #require(json["timestamp"]?.string.flatMap { Instant($0) }),
                latitude: try #require(json["latitude"]?.double), longitude: try #require(json["longitude"]?.double))
            #expect(position.device == "d\(number % count)")
            #expect(position.time == devices.start + Double(number / count))
            #expect((0...1).contains(position.latitude) && (0...1).contains(position.longitude))
            if number >= count {
                let before = last[number % count]
                let north = position.latitude - before.latitude
                let east = position.longitude - before.longitude
                let meters = (north * north + east * east).squareRoot() * 111_320
                // At the edge, where the device turns back, the distance is shorter. Coordinates are rounded to 0.1 m.
                let place: [Double] = [position.latitude, position.longitude]
                let isAtEdge = place.contains(0) || place.contains(1)
                #expect(isAtEdge ? meters < 15.3 : abs(meters - 15) < 0.3, "\(before) to \(position)")
                last[number % count] = position
            } else {
                last.append(position)
            }
        }
    }

    @Test("Each prepared request has its positions, in order")
    func requests() throws {
        var devices = DenseDevices(3, seed: 1)
        var plain = devices
        let requests = PreparedRequests(4, positions: 2, of: &devices)
        #expect(requests.count == 4)
        for number in 0..<4 {
            var body: [UInt8] = []
            for _ in 0..<2 {
                plain.writeNext(into: &body)
                body.append(10)
            }
            var wanted: [UInt8] = []
            wanted.appendPost("/v1/positions", type: "application/x-ndjson", body: body)
            var request: [UInt8] = []
            requests.appendRequest(number, into: &request)
            #expect(request == wanted)
        }
    }
}
