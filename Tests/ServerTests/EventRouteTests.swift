import Foundation
import Geodesy
import Model
import Operations
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Server

@Suite("Events over HTTP")
struct EventRouteTests {
    /// Creates `count` events: a device enters and leaves in turn, once a minute.
    private static func happen(_ count: Int, from step: Int, _ service: ServiceWriter) throws {
        var batch = FixBatch()
        for number in step..<step + count {
            let place = Coordinate(latitude: number % 2 == 0 ? 52.5 : 52.6, longitude: 13.4)
            let time = Instant("2026-05-01T10:00:00Z")! + Double(number * 60)
            batch.rows.append(.init(fix: Fix(time: time, coordinate: place), device: batch.number(ofDevice: "anna"), line: 1))
        }
        #expect(try service.accept(batch, policy: .exact).events.count == count)
    }

    /// A service on a store that had 20 events and was restored from a backup with 18.
    private static func restored() throws -> (bench: ServerBench, old: EventCursor) {
        var old = EventCursor(20, of: nil)
        let bench = try ServerBench { data, clock in
            let backup = data.path + ".backup"
            do {
                let service = try ServiceWriter(data, purpose: "test", clock: clock)
                let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
                try service.apply([.save(Geofence(id: "home", name: "Home", shape: .circle(circle)))])
                // The device must not become silent, because the clock is months later.
                try service.save(Device(id: "anna", silentAfter: Device.maximumSilentAfter))
                try happen(18, from: 0, service)
                _ = try service.backup(to: backup)
                try happen(2, from: 18, service)
                old = try service.epochs().cursor(20)
            }
            _ = try Restoration.restore(backup, into: data, clock: clock)
        }
        return (bench, old)
    }

    private func page(_ answer: TestAnswer) throws -> [Int] {
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.json()["events"]?.array?.compactMap { $0["sequence"]?.double.map { Int($0) } } ?? []
    }

    private func expectGone(_ answer: TestAnswer, _ reason: String, resumeAfter: Int) throws {
        #expect(answer.status == 410 && answer["Content-Type"] == "application/problem+json")
        let problem = try answer.json()
        #expect(problem["code"]?.string == "cursorGone" && problem["parameters"]?["reason"]?.string == reason, "\(answer.text)")
        #expect(problem["parameters"]?["resumeAfter"]?.double == Double(resumeAfter))
        #expect(problem["recoveryAction"]?["kind"]?.string == "editInput")
        // The cursor in the problem can be used.
        #expect(problem["parameters"]?["resumeCursor"]?.string.flatMap(EventCursor.init)?.sequence == Int64(resumeAfter))
    }

    @Test("A reader beyond the restored event gets the number to continue from", arguments: ["", "&wait=30s"])
    func restored(wait: String) async throws {
        let (bench, old) = try Self.restored()
        for cursor in ["\(old)", "20", "19"] {
            try expectGone(try await bench.ask("GET", "/v1/events?after=\(cursor)\(wait)"), "setBack", resumeAfter: 18)
        }
        let turkish = try await bench.ask("GET", "/v1/events?after=20", headers: ["Accept-Language": "tr"])
        #expect(try turkish.json()["title"]?.string == "Bu olaydan devam edilemiyor")
        #expect(try page(try await bench.ask("GET", "/v1/events?after=16")) == [17, 18])
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-02T10:00:00Z")
        let start = Int(bench.clock.now().milliseconds)
        #expect(try page(try await bench.ask("GET", "/v1/events?after=18\(wait)")) == [start + 1])
    }

    @Test("A page ends with a cursor that continues from there")
    func cursors() async throws {
        let (bench, _) = try Self.restored()
        let start = bench.clock.now().milliseconds
        let first = try await bench.json("/v1/events?limit=15")
        let second = try await bench.json("/v1/events?limit=15&after=\(first["cursor"]?.string ?? "")")
        #expect(first["next"]?.double == 15 && second["events"]?.array?.count == 3)
        #expect(second["next"]?.double == Double(start))
        let end = try #require(second["cursor"]?.string)
        let third = try await bench.json("/v1/events?after=\(end)")
        #expect(third["events"]?.array?.isEmpty == true && third["cursor"]?.string == end)
        #expect(try page(try await bench.ask("GET", "/v1/events?after=\(start)")) == [])
    }

    @Test("The last events are chosen by their numbers, also of some types only, and the cursor continues after them")
    func last() async throws {
        let (bench, _) = try Self.restored()
        let start = bench.clock.now().milliseconds
        for (query, expected) in [
            ("last=3", [16, 17, 18]), ("last=2&type=enter", [15, 17]), ("last=2&type=enter,exit", [17, 18]), ("last=0", []),
            ("last=10000", Array(1...18)), ("last=2&until=2026-05-01T10:05:00Z", [4, 5]), ("last=5&after=16", [17, 18]),
            ("last=2&wait=30s", [17, 18]), ("last=1&limit=3", [18]),
        ] {
            let answer = try await bench.ask("GET", "/v1/events?\(query)")
            #expect(try page(answer) == expected, "\(query)")
            #expect(try answer.json()["next"]?.double == Double(start), "\(query)")
        }
        for query in ["last=-1", "last=10001", "last=x", "last=2&order=newest", "type=", "type=enter,gone"] {
            #expect(try await bench.ask("GET", "/v1/events?\(query)").status == 422, "\(query)")
        }
        #expect(try await bench.ask("GET", "/v1/events?last=1&format=csv").text.split(separator: "\n").count == 19)
    }

    @Test("A page of some types is full while there are more of them")
    func types() async throws {
        let (bench, _) = try Self.restored()
        var (found, place): ([[Int]], Int) = ([], 0)
        repeat {
            let answer = try await bench.ask("GET", "/v1/events?type=exit&limit=4&after=\(place)")
            found.append(try page(answer))
            place = try answer.json()["next"]?.double.map { Int($0) } ?? 0
        } while found.last?.isEmpty == false
        #expect(found == [[2, 4, 6, 8], [10, 12, 14, 16], [18], []])
    }

    @Test("A cursor of another store, beyond the newest event or in another form is refused")
    func elsewhere() async throws {
        let (bench, _) = try Self.restored()
        let newest = Int(bench.clock.now().milliseconds)
        for target in ["/v1/events?after=", "/v1/events/stream?after="] {
            try expectGone(try await bench.ask("GET", target + "5-00ff"), "otherStore", resumeAfter: 0)
            try expectGone(try await bench.ask("GET", target + "\(newest + 1)"), "beyondNewest", resumeAfter: 0)
            try expectGone(try await bench.ask("GET", target + "20"), "setBack", resumeAfter: 18)
            for bad in ["-1", "x", "1.5", ""] {
                #expect(try await bench.ask("GET", target + bad).status == 422, "\(bad)")
            }
        }
    }

    /// The ids of the next events of a stream; where the stream ends, its reason instead of an id.
    private static func ids(_ count: Int, of stream: RawConnection) throws -> [String] {
        var found: [String] = []
        while found.count < count {
            let line = try stream.line()
            if line.hasPrefix("id: ") { found.append(String(line.dropFirst(4))) }
            if line.hasPrefix("data: {\"reason\"") { found.append(line) }
        }
        return found
    }

    @Test("A stream refuses a reader beyond the restored event, and an invalid cursor")
    func refusedStream() async throws {
        let (bench, old) = try Self.restored()
        func answer(after id: String) async throws -> TestAnswer {
            try await bench.ask("GET", "/v1/events/stream", headers: ["Last-Event-ID": id])
        }
        for id in ["\(old)", "20"] { try expectGone(try await answer(after: id), "setBack", resumeAfter: 18) }
        #expect(try await answer(after: "yesterday").status == 422)
    }

    @Test("A stream continues after a bare number and after an older cursor, then live without a gap", arguments: [false, true])
    func stream(isCursor: Bool) async throws {
        let (bench, old) = try Self.restored()
        let port = try bench.takeConnections()
        let epoch = try #require(try await bench.json("/v1/status")["store"]?["generation"]?.string)
        let id = isCursor ? EventCursor(17, of: old.epoch).description : "17"
        let ids = try await BlockingCall.run {
            let stream = try ServerBench.stream(port, after: id)
            var ids = try Self.ids(1, of: stream)
            for (time, latitude) in [("10:00:00", 52.5), ("10:01:00", 52.6)] {
                let position =
                    "{\"device\":\"anna\",\"timestamp\":\"2026-05-02T\(time)Z\",\"latitude\":\(latitude),\"longitude\":13.4}"
                let answer = try RawConnection(port: port).send("POST", "/v1/positions?policy=exact", body: position)
                #expect(answer?.status == 200)
                ids += try Self.ids(1, of: stream)
            }
            return ids
        }
        let start = bench.clock.now().milliseconds
        #expect(ids == ["18-\(epoch)", "\(start + 1)-\(epoch)", "\(start + 2)-\(epoch)"])
    }

    @Test("A stream begins with a heartbeat, and sends another one while it is idle")
    func heartbeat() async throws {
        let bench = try ServerBench()
        let port = try bench.takeConnections()
        let (streams, now) = (bench.server.api.streams, bench.clock.now())
        let lines = try await BlockingCall.run {
            let stream = try ServerBench.stream(port)
            func next() throws -> [String] {
                var lines: [String] = []
                while lines.last != "" { lines.append(try stream.line()) }
                return lines
            }
            // The head of the response ends with an empty line, too.
            _ = try next()
            let first = try next()
            streams.heartbeat(at: now)
            return (first, try next())
        }
        #expect(lines.0 == ["retry: 3000", "event: heartbeat", "data: {}", ""])
        #expect(lines.1 == ["event: heartbeat", "data: {}", ""])
    }

    @Test("A stream with notices reports devices that are created, changed or removed")
    func deviceNotices() async throws {
        let bench = try ServerBench()
        let received = try await bench.notices {
            _ = try await bench.ask("POST", "/v1/devices", body: #"{"id":"anna"}"#)
            _ = try await bench.ask("PATCH", "/v1/devices/anna", body: #"{"name":"Anna"}"#)
            // The first position of an unknown device creates it.
            try await bench.move("ben", to: 52.5, 13.4, at: "2026-11-20T11:00:00Z")
            try await bench.move("ben", to: 52.5, 13.4, at: "2026-11-20T11:01:00Z")
            _ = try await bench.ask("DELETE", "/v1/devices/anna")
        } until: {
            $0.kind == "devices" && $0.json["deviceId"] == "anna" && $0.json["isRemoved"] == true
        }
        let ids = received.filter { $0.kind == "devices" }.map { $0.json["deviceId"]?.string }
        #expect(ids == ["anna", "anna", "ben", "anna"])
    }

    @Test("The status names the identity of the store")
    func identity() async throws {
        let (bench, old) = try Self.restored()
        let store = try #require(try await bench.json("/v1/status")["store"])
        #expect(store["id"]?.string == old.epoch && store["restores"]?.double == 1)
        #expect(store["newestEvent"]?.double == Double(bench.clock.now().milliseconds))
        let metrics = try await bench.ask("GET", "/metrics").text
        let epoch = store["generation"]?.string ?? ""
        #expect(metrics.contains("picket_store_info{store=\"\(old.epoch ?? "")\",generation=\"\(epoch)\"} 1\n"))
        #expect(metrics.contains("picket_newest_event \(bench.clock.now().milliseconds)\n"))
        let totals = try await bench.json("/v1/status?totals=true")["totals"]
        #expect(totals?["events"]?.double == 18)
    }

    @Test("Matching events are downloaded in full as a file, in order, and safe for spreadsheets")
    func files() async throws {
        let count = 4500
        let bench = try ServerBench { data, clock in
            let service = try ServiceWriter(data, purpose: "test", clock: clock)
            let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
            try service.apply([.save(Geofence(id: "home", name: "=1+1, \"so\"", shape: .circle(circle)))])
            try service.save(Device(id: "anna", silentAfter: Device.maximumSilentAfter))
            try Self.happen(count, from: 0, service)
        }
        let csv = try await bench.ask("GET", "/v1/events?format=csv&type=enter")
        #expect(csv["Content-Type"] == "text/csv; charset=utf-8")
        #expect(csv["Content-Disposition"] == "attachment; filename=\"events.csv\"")
        let lines = csv.text.split(separator: "\n")
        #expect(lines.count == count / 2 + 1 && lines[0].hasPrefix("sequence,id,type,deviceId"))
        #expect(lines[1].contains(",enter,anna,home,\"'=1+1, \"\"so\"\"\",2026-05-01T10:00:00.000Z,"))
        #expect(lines.dropFirst().compactMap { Int($0.prefix { $0 != "," }) } == Array(stride(from: 1, through: count, by: 2)))
        let map = try JSONParser.parse(try await bench.ask("GET", "/v1/events?format=geojson").text)
        let features = try #require(map["features"]?.array)
        #expect(map["type"] == "FeatureCollection" && features.count == count)
        #expect(
            features[0]["geometry"]?["coordinates"]?.description == "[13.4,52.5]" && features[0]["properties"]?["type"] == "enter"
        )
        // The last page has no row, and then the whole file has none.
        let none = try await bench.ask("GET", "/v1/events?format=geojson&until=2026-05-01T10:00:00Z")
        #expect(try none.json()["features"] == [])
        let few = try await bench.ask("GET", "/v1/events?format=geojson&type=exit&until=2026-05-01T10:02:00Z")
        #expect(try few.json()["features"]?.array?.count == 1)
        #expect(try await bench.ask("GET", "/v1/events?format=csv&device=nobody").status == 404)
        #expect(try await bench.ask("GET", "/v1/events?format=xml").status == 422)

        let visits = try await bench.ask("GET", "/v1/visits?format=csv")
        #expect(visits["Content-Disposition"] == "attachment; filename=\"visits.csv\"")
        let rows = visits.text.split(separator: "\n")
        #expect(
            rows.count == count / 2 + 1 && rows[1].contains(",2026-05-01T10:00:00.000Z,2026-05-01T10:01:00.000Z,60"), "\(rows[1])"
        )
        let shown = try await bench.ask("GET", "/v1/visits?format=geojson").json()["features"]?.array ?? []
        #expect(shown.count == count / 2 && shown.allSatisfy { $0["geometry"]?["coordinates"]?.description == "[13.4,52.5]" })
        #expect(shown.first?["properties"]?["radius"]?.double == 100 && shown.first?["properties"]?["deviceId"] == "anna")
    }

    @Test("A stream sends positions as devices move, everywhere or in a box, and when one leaves it")
    func positions() async throws {
        let bench = try ServerBench()
        /// The devices and latitudes that a stream sends, up to the device "end".
        func movements(_ notices: [StreamNotice]) -> [String] {
            notices.flatMap { $0.json.array ?? [] }.map { "\($0["deviceId"]?.string ?? "") \($0["latitude"]?.description ?? "")" }
        }
        @Sendable func isLast(_ notice: StreamNotice) -> Bool {
            notice.kind == "positions" && notice.json.array?.last?["deviceId"] == "end"
        }
        let moves = [("anna", 52.5), ("ben", 48), ("anna", 54), ("anna", 55), ("end", 52.1)]
        var inBox: [StreamNotice] = []
        let everywhere = try await bench.notices("positions=all") {
            inBox = try await bench.notices("positions=13,52,14,53") {
                for (minute, (device, latitude)) in moves.enumerated() {
                    try await bench.move(device, to: latitude, 13.4, at: "2026-05-01T10:0\(minute):00Z")
                }
            } until: {
                isLast($0)
            }
        } until: {
            isLast($0)
        }
        let (all, box) = (movements(everywhere), movements(inBox))
        // A slow reader gets only the newest position of each device.
        #expect(all.filter { $0 != "anna 52.5" && $0 != "anna 54" } == ["ben 48", "anna 55", "end 52.1"])
        #expect(box.filter { $0 != "anna 52.5" } == ["anna 54", "end 52.1"])
        #expect(try await bench.ask("GET", "/v1/events/stream?positions=here").status == 422)
    }
}
