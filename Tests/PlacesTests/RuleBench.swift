import Geodesy
import Model
import Store
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence

/// A service with the geofence `school` and rules about it. A test sets the clock.
final class RuleBench {
    private let directory: TemporaryDirectory
    let clock: TestClock
    /// Replaced by a restart.
    private(set) var service: ServiceWriter!
    let place = Coordinate(latitude: 52.5, longitude: 13.4)
    var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    init(at now: String = "2026-05-03T12:00:00Z", devices: [Device] = [Device(id: "mia")]) throws {
        directory = try TemporaryDirectory()
        clock = TestClock(time: Instant(now)!)
        try restart()
        try service.apply([.save(school)])
        for device in devices { try service.save(device) }
    }

    /// Restarts the service.
    func restart() throws {
        service = nil
        service = try ServiceWriter(data, purpose: "test", clock: clock)
    }

    var school: Geofence {
        Geofence(id: "school", name: "School", shape: .circle(Circle(center: place, radius: 100)))
    }

    /// Creates a rule about the school, with times in Berlin.
    ///
    /// - Parameter isInterrupted: Whether the past of the rule is not evaluated, as when a service is stopped before it has done that.
    @discardableResult
    func rule(
        _ text: String, device: String? = "mia", group: String? = nil, _ more: JSONValue = [:], isInterrupted: Bool = false
    ) throws -> PresenceRule {
        let words = text.split(separator: " ").map(String.init)
        var json: JSONValue = .compact([
            ("deviceId", group == nil ? device.map(JSONValue.string) : nil), ("group", group.map(JSONValue.string)),
            ("geofenceId", "school"), ("timeZone", "Europe/Berlin"), ("kind", .string(words[0])),
        ])
        switch words[0] {
        case "entersBy":
            json = json.merged(with: ["by": .string(words[1]), "from": .string(words.count > 2 ? words[2] : "00:00")])
        case "staysUntil": json = json.merged(with: ["until": .string(words[1]), "from": .string(words[2])])
        default: json = json.merged(with: ["duration": .number(words[1])])
        }
        if isInterrupted { return try service.makeRule(json.merged(with: more)).made.rule }
        return try service.createRule(json.merged(with: more)).rule
    }

    /// Stores positions such as `mia 2026-05-04T06:10:00Z in` at the clock's time.
    @discardableResult
    func accept(_ lines: String..., policy: PolicyOverride? = .exact) throws -> [String] {
        var batch = FixBatch()
        for (number, line) in lines.enumerated() {
            let words = line.split(separator: " ").map(String.init)
            let north = words[2] == "in" ? 0 : 500.0
            let coordinate = Coordinate(latitude: place.latitude + north / 111_000, longitude: place.longitude)
            batch.rows.append(
                .init(
                    fix: Fix(time: Instant(words[1])!, coordinate: coordinate), device: batch.number(ofDevice: words[0]),
                    line: number))
        }
        return summaries(try service.accept(batch, policy: policy).events)
    }

    /// Stores positions at the time at which they were made.
    @discardableResult
    func acceptInTime(_ lines: String..., policy: PolicyOverride? = .exact) throws -> [String] {
        var events: [String] = []
        for line in lines {
            let time = Instant(String(line.split(separator: " ")[1]))!
            events += try tick(time)
            events += try accept(line, policy: policy)
        }
        return events
    }

    /// Moves the clock to a moment and fires the deadlines.
    @discardableResult
    func tick(_ now: Instant) throws -> [String] {
        clock.set(now)
        return summaries(try service.fireDeadlines(upTo: now))
    }

    @discardableResult
    func tick(_ now: String) throws -> [String] { try tick(Instant(now)!) }

    /// Enters, exits and missed events, in the form "mia missed 06:15".
    func summaries(_ events: [Event]) -> [String] {
        events.filter { ![.silent, .returned, .dwell].contains($0.type) }.map(summary)
    }

    func summary(_ event: Event) -> String {
        let rule = event.rule.map { " \($0.expectation.kind)" } ?? ""
        return "\(event.deviceId) \(event.type)\(rule) \(event.occurredAt.description.dropFirst(5).prefix(11))"
    }

    func events(standing: Bool = false) throws -> [Event] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = standing
        var found: [Event] = []
        try service.forEachEvent(filter) { found.append($0) }
        return found
    }

    /// The standing missed events, by time.
    func standing() throws -> [String] {
        try events(standing: true).filter { $0.type == .missed }.map(summary).sorted()
    }
}
