import Foundation
import TestSupport
import Testing

/// Mutated requests. `PICKET_FUZZ=100000 swift test --filter HTTPFuzzTests` runs more of them.
@Suite("Requests that are almost valid")
struct HTTPFuzzTests {
    private struct Shape {
        var method: String
        var target: String
        var headers: [String] = []
        var body = ""
    }

    private static let shapes: [Shape] = [
        Shape(
            method: "POST", target: "/v1/positions", headers: ["Content-Type: application/json"],
            body:
                #"{"device":"van-7","timestamp":"2026-05-01T10:00:00Z","latitude":52.52,"longitude":13.40,"accuracy":8,"speed":12.1}"#
        ),
        Shape(
            method: "POST", target: "/v1/positions?device=a&policy=exact", headers: ["Content-Type: application/x-ndjson"],
            body:
                "{\"timestamp\":1770000000,\"latitude\":52.52,\"longitude\":13.4}\n{\"timestamp\":1770000001,\"latitude\":52,\"longitude\":13}\n"
        ),
        Shape(
            method: "POST", target: "/v1/positions?device=b", headers: ["Content-Type: text/csv"],
            body: "device,timestamp,latitude,longitude\na,2026-05-01T10:00:00Z,52.5,13.4\n"),
        Shape(
            method: "POST", target: "/v1/positions?device=c", headers: ["Content-Type: application/gpx+xml"],
            body:
                "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"52.5\" lon=\"13.4\"><time>2026-05-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>"
        ),
        Shape(
            method: "POST", target: "/owntracks?u=jane&d=phone", headers: ["X-Limit-U: jane", "Content-Type: application/json"],
            body: #"{"_type":"location","tid":"JJ","lat":48.85833,"lon":2.29513,"acc":5,"batt":67,"tst":1770000000,"vel":61}"#),
        Shape(method: "GET", target: "/osmand?id=123&lat=52.5&lon=13.4&timestamp=1770000000&accuracy=5&speed=9.7&batt=80"),
        Shape(
            method: "POST", target: "/", headers: ["Content-Type: application/x-www-form-urlencoded"],
            body: "id=123&lat=52.5&lon=13.4&timestamp=1770000000&charge=true"),
        Shape(
            method: "POST", target: "/osmand", headers: ["Content-Type: application/json"],
            body:
                #"{"device_id":"123","location":{"timestamp":"2026-05-01T10:00:00Z","coords":{"latitude":52.5,"longitude":13.4}}}"#
        ),
        Shape(method: "GET", target: "/v1/events?after=0&limit=10&device=a&type=enter,exit&since=2026-05-01"),
        Shape(method: "GET", target: "/v1/geofences?limit=10&matching=a"),
        Shape(method: "GET", target: "/v1/geofences/home"),
        Shape(
            method: "PUT", target: "/v1/geofences/home", headers: ["If-Match: \"1\"", "Content-Type: application/json"],
            body: #"{"name":"Home","latitude":52.5,"longitude":13.4,"radius":100,"dwell":60,"policy":{"base":"exact"}}"#),
        Shape(method: "GET", target: "/v1/devices/a", headers: ["If-None-Match: \"x\"", "Accept-Language: tr, en;q=0.5"]),
        Shape(method: "GET", target: "/healthz", headers: ["Authorization: Bearer picket_x"]),
        Shape(method: "GET", target: "/v1/events", headers: ["Authorization: Basic YTpi"]),
    ]

    @Test("Every valid request is answered, never with a 500, and the service survives")
    func fuzz() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["PICKET_FUZZ"].flatMap { Int($0) } ?? 3000
        var random = SeededRandom(seed: environment["PICKET_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...UInt64.max))
        let directory = try TemporaryDirectory()
        let service = try RunningService(
            data: directory.path + "/data", "--durability", "normal", "--auto-repair-interval", "0", "--log-level", "error")
        var connections = try (0..<4).map { _ in try service.connect() }
        for number in 0..<count {
            let index = number % connections.count
            let isWhole = number % 10 != 0
            let request = Self.request(&random, isWhole: isWhole)
            let note: Comment =
                "seed \(random.seed), request \(number): \(String(decoding: request.bytes.prefix(1000), as: UTF8.self))"
            if !isWhole {
                // The end of such a request is unknown, so no answer is awaited; the service only has to survive.
                try service.connect().send(request.bytes)
                continue
            }
            connections[index].send(request.bytes)
            let answer = try connections[index].answer(hasBody: request.hasBody)
            #expect(answer != nil, note)
            if let answer { #expect((200..<500).contains(answer.status) || [501, 503, 505].contains(answer.status), note) }
            if answer == nil || answer?["Connection"]?.lowercased() == "close" {
                connections[index] = try service.connect()
            }
            if !service.running.process.isRunning { break }
        }
        #expect(service.running.process.isRunning, "seed \(random.seed)")
        #expect(try service.connect().send("GET", "/healthz")?.status == 200)
    }

    private static func request(_ random: inout SeededRandom, isWhole: Bool) -> (bytes: [UInt8], hasBody: Bool) {
        var shape = shapes.randomElement(using: &random)!
        if Int.random(in: 0..<10, using: &random) == 0 {
            shape.method = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"].randomElement(using: &random)!
        }
        if Int.random(in: 0..<5, using: &random) == 0 { shape.target = shapes.randomElement(using: &random)!.target }
        var target = Array(shape.target.utf8)
        if Bool.random(using: &random) { mutate(&target, &random, isPlain: true) }
        if target.first != UInt8(ascii: "/") { target.insert(UInt8(ascii: "/"), at: 0) }
        var body = Array(shape.body.utf8)
        if Int.random(in: 0..<4, using: &random) > 0 { mutate(&body, &random, isPlain: false) }
        var headers = ["Host: localhost"]
        for header in shape.headers {
            guard Int.random(in: 0..<4, using: &random) == 0 else {
                headers.append(header)
                continue
            }
            let colon = header.firstIndex(of: ":")!
            var value = Array(header[colon...].utf8.dropFirst())
            mutate(&value, &random, isPlain: true)
            headers.append(header[...colon] + " " + String(decoding: value.filter { $0 < 0x7F }, as: UTF8.self))
        }
        if !body.isEmpty || shape.method == "POST" { headers.append("Content-Length: \(body.count)") }
        var bytes = Array((shape.method + " ").utf8) + target + Array((" HTTP/1.1\r\n" + headers.joined(separator: "\r\n")).utf8)
        bytes += Array("\r\n\r\n".utf8) + body
        if !isWhole { mutate(&bytes, &random, isPlain: false) }
        return (bytes, shape.method != "HEAD")
    }

    private static let words = [
        "%00", "%2F", "..", "null", "1e400", "-0", "NaN", "99999999999999999999", "[[[[", "{", "}", "\"", "\\u0000", "\\ud800",
        "&", "=", "?", ",",
        "true", "0x", "é", "\u{FEFF}", "2026-13-45T99:99:99Z", "-91", "181",
    ]

    /// - Parameter isPlain: Whether spaces and control characters must not be inserted, because they would break the line.
    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom, isPlain: Bool) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.insert(contentsOf: words.randomElement(using: &random)!.utf8, at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...10, using: &random)))
            case 4:
                let end = min(bytes.count, place + Int.random(in: 0...20, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        if isPlain { bytes.removeAll { $0 <= 0x20 || $0 == 0x7F } }
    }
}
