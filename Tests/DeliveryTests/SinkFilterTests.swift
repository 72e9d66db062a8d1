import Geodesy
import Model
import TestSupport
import Testing

@testable import Delivery

/// A sample event.
func sample(
    _ type: EventType = .enter, device: String = "mia", geofence: String? = "home", cause: Cause = .moved, inferred: Bool = false,
    at time: String = "2026-05-01T10:00:00Z", groups: [String] = [], triggers: Geofence.Triggers = .all, sequence: Int64 = 7,
    name: String? = nil, duration: Double? = nil, properties: [JSONValue.Member] = [], alarm: Alarm? = nil,
    rule: MissedRule? = nil
) -> OutboxEvent {
    let time = Instant(time)!
    return OutboxEvent(
        event: Event(
            id: "e\(sequence)", sequence: sequence, type: type, deviceId: device, geofenceId: geofence,
            geofenceName: geofence.map { $0.capitalized }, occurredAt: time, recordedAt: time, confirmedAt: time, cause: cause,
            inferred: inferred, fix: Fix(time: time, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 8),
            enteredAt: duration.map { time + -$0 }, duration: duration, properties: properties, alarm: alarm, rule: rule),
        deviceName: name ?? device.capitalized, deviceGroups: groups, triggers: triggers)
}

@Suite("Sink filters")
struct SinkFilterTests {
    private func admits(_ filter: SinkFilter, _ outbox: OutboxEvent, _ zone: SinkTimeZone = .utc) -> Bool {
        filter.admits(outbox, in: zone)
    }

    @Test("A filter admits an event that every part of it admits")
    func parts() {
        #expect(admits(SinkFilter(), sample()))
        #expect(admits(SinkFilter(geofences: ["home", "school"]), sample()))
        #expect(!admits(SinkFilter(geofences: ["school"]), sample()))
        #expect(!admits(SinkFilter(notGeofences: ["home"]), sample()) && admits(SinkFilter(notGeofences: ["school"]), sample()))
        #expect(admits(SinkFilter(notGeofences: ["home"]), sample(.silent, geofence: nil)))
        #expect(!admits(SinkFilter(geofences: ["home"], notGeofences: ["home"]), sample()))
        #expect(!admits(SinkFilter(geofences: ["school"]), sample(.silent, geofence: nil)))
        #expect(admits(SinkFilter(devices: ["mia"]), sample()) && !admits(SinkFilter(devices: ["tom"]), sample()))
        #expect(admits(SinkFilter(groups: ["family"]), sample(groups: ["family", "kids"])))
        #expect(!admits(SinkFilter(groups: ["family"]), sample()))
        #expect(admits(SinkFilter(types: [.exit]), sample(.exit)) && !admits(SinkFilter(types: [.exit]), sample()))
    }

    @Test("Initial events are sent only when the filter asks for them, and inferred events unless it refuses them")
    func causes() {
        #expect(!admits(SinkFilter(), sample(cause: .initial)))
        #expect(admits(SinkFilter(initial: true), sample(cause: .initial)))
        #expect(admits(SinkFilter(), sample(inferred: true)))
        #expect(!admits(SinkFilter(inferred: false), sample(inferred: true)))
    }

    @Test("A geofence's triggers decide which of its events are sent, and events of the device alone are always sent")
    func triggers() {
        for (type, trigger) in [(EventType.enter, Geofence.Triggers.enter), (.exit, .exit), (.dwell, .dwell)] {
            #expect(admits(SinkFilter(), sample(type, triggers: trigger)))
            #expect(!admits(SinkFilter(), sample(type, triggers: Geofence.Triggers.all.subtracting(trigger))))
        }
        #expect(admits(SinkFilter(), sample(.silent, geofence: nil, triggers: [])))
    }

    @Test("Nothing is sent in quiet hours or outside the schedule, in the time zone of the sink")
    func windows() throws {
        let quiet = SinkFilter(quietHours: [try WeeklyWindow("22:00-07:00", field: "quietHours")])
        #expect(!admits(quiet, sample(at: "2026-05-01T23:00:00Z")) && !admits(quiet, sample(at: "2026-05-01T06:59:00Z")))
        #expect(admits(quiet, sample(at: "2026-05-01T07:00:00Z")) && admits(quiet, sample(at: "2026-05-01T21:59:59Z")))
        let east = SinkTimeZone(name: "East") { _ in 7200 }
        #expect(
            admits(quiet, sample(at: "2026-05-01T05:00:00Z"), east) && !admits(quiet, sample(at: "2026-05-01T20:00:00Z"), east))
        // The quiet hours of the device hold beside those of the sink.
        for (time, isSent) in [("2026-05-01T21:30:00Z", false), ("2026-05-01T23:00:00Z", false), ("2026-05-01T12:00:00Z", true)] {
            var event = sample(at: time)
            event.quietHours = [try WeeklyWindow("21:00-22:00", field: "quietHours")]
            #expect(admits(quiet, event) == isSent, "\(time)")
            #expect(admits(SinkFilter(), event) == (time != "2026-05-01T21:30:00Z"), "\(time)")
        }
        // 1 May 2026 is a Friday.
        let work = SinkFilter(schedule: [try WeeklyWindow("mon-fri 08:00-18:00", field: "schedule")])
        #expect(admits(work, sample(at: "2026-05-01T08:00:00Z")) && !admits(work, sample(at: "2026-05-02T08:00:00Z")))
        #expect(!admits(work, sample(at: "2026-05-01T18:00:00Z")))
    }

    /// Windows, with minutes of the week inside and outside.
    static let weeklyWindows: [(text: String, inside: [Int], outside: [Int])] = [
        ("sun 23:00-01:00", [10_020, 0, 59], [60, 9960]), ("fri-mon 00:00-24:00", [5760, 10_079, 0, 1439], [1440, 5759]),
        ("sat,wed 10:00-10:01", [7800, 3480], [7801, 0]), ("12:00-12:00", [0, 719, 720, 721, 5000, 10_079], []),
    ]

    @Test("A weekly window contains the minutes that its text names", arguments: weeklyWindows)
    func weekly(text: String, inside: [Int], outside: [Int]) throws {
        let window = try WeeklyWindow(text, field: "quietHours")
        for minute in inside { #expect(window.contains(minute), "\(minute)") }
        for minute in outside { #expect(!window.contains(minute), "\(minute)") }
    }

    @Test(
        "An invalid window is refused with the name of its field",
        arguments: [
            "", "22-7", "22:00", "25:00-07:00", "24:00-25:00", "mon 22:00", "someday 10:00-11:00", "mon-tue-wed 10:00-11:00",
            "10:60-11:00",
            "10:00-11:00 mon", "-", "mon  ", "+1:00-02:00",
        ])
    func badWindow(text: String) {
        #expect { try WeeklyWindow(text, field: "quietHours") } throws: { error in
            guard case .validationFailed("quietHours", text, _, let expected)? = error as? Problem else { return false }
            return expected == .weeklyWindow
        }
    }

    @Test("A filter is unchanged after it is written and read")
    func roundTrip() throws {
        let filter = SinkFilter(
            geofences: ["home"], devices: ["mia"], groups: ["kids"], types: [.enter, .alarm], initial: true, inferred: false,
            quietHours: [try WeeklyWindow("22:00-07:00", field: "")],
            schedule: [try WeeklyWindow("mon-fri 08:00-18:00", field: "")])
        #expect(try SinkFilter(json: filter.json(in: AnswerLocale())) == filter)
        #expect(SinkFilter().json(in: AnswerLocale()) == [:])
    }

    @Test(
        "A filter with an unknown type or field is refused",
        arguments: [
            #"{"types":["entered"]}"#, #"{"types":["retracted"]}"#, #"{"geofence":["a"]}"#, #"{"initial":"yes"}"#,
            #"{"quietHours":"22:00-07:00"}"#,
        ])
    func badFilter(text: String) throws {
        let json = try JSONParser.parse(text)
        #expect(throws: Problem.self) { try SinkFilter(json: json) }
    }
}

@Suite("Rate limits")
struct RateLimitTests {
    @Test("The limit lets a burst through, then single messages at even intervals")
    func bucket() {
        var bucket = TokenBucket(RateLimit(count: 3, period: 60))
        var now = Instant("2026-05-01T10:00:00Z")!
        /// The results of the next `count` attempts to take a token.
        func take(_ count: Int) -> [Bool] { (0..<count).map { _ in bucket.takeToken(at: now) } }
        #expect(take(4) == [true, true, true, false])
        let next = bucket.nextToken(after: now)
        #expect(next == now + 20)
        now = now + 19.999
        #expect(take(1) == [false])
        now = now + 0.001
        #expect(take(2) == [true, false])
        // The tokens stay the same when the clock is set back.
        now = now + -3600
        #expect(take(1) == [false])
        now = now + 20
        #expect(take(1) == [true])
        now = now + 86_400
        #expect(take(4) == [true, true, true, false])
    }

    @Test(
        "The limit never lets more messages through than it allows, regardless of the times", arguments: 0..<20 as Range<UInt64>)
    func never(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let limit = RateLimit(count: Int.random(in: 1...20, using: &random), period: Double.random(in: 1...100, using: &random))
        var bucket = TokenBucket(limit)
        let start = Instant("2026-05-01T10:00:00Z")!
        var now = start
        var sent = 0
        for _ in 0..<500 {
            now = now + Double.random(in: 0...limit.period / 5, using: &random)
            while bucket.takeToken(at: now) { sent += 1 }
            let most = Double(limit.maximumCount) + (now - start) * Double(limit.maximumCount) / limit.period
            #expect(Double(sent) <= most + 1e-3, "seed \(seed): \(limit)")
            let next = bucket.nextToken(after: now)
            #expect(next > now)
        }
    }
}
