import Delivery
import Geodesy
import Model
import TestSupport

/// Makes valid geofences, devices, rules and sinks with random sets of optional members.
struct RandomDocuments {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[.random(in: values.indices, using: &random)] }
    private mutating func flag() -> Bool { .random(using: &random) }
    private mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    private mutating func list(_ texts: [String]) -> [String] { texts.filter { _ in Bool.random(using: &random) } }

    private mutating func limit() -> Double? { pick([nil, .infinity, 0, 12.5, 3600]) }

    mutating func policy() -> PolicyOverride {
        var policy = PolicyOverride()
        policy.base = pick([nil] + DecisionPolicy.Name.allCases)
        policy.accuracyCap = limit()
        policy.maxAccuracy = limit()
        policy.exitMargin = limit()
        policy.confirmFixes = pick([nil, 1, 100])
        policy.confirmSeconds = limit()
        policy.maxSpeed = limit()
        policy.crossing = limit()
        policy.stay = limit()
        return flag() ? policy : PolicyOverride()
    }

    mutating func geofence() -> Geofence {
        let center = Coordinate(latitude: number(-80...80), longitude: number(-170...170))
        let corners = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)].map {
            Coordinate(latitude: center.latitude + $0.0, longitude: center.longitude + $0.1)
        }
        let shape: Shape =
            flag()
            ? .circle(Circle(center: center, radius: number(1...1_000_000))) : .polygons([Polygon(exterior: corners, holes: [])])
        return Geofence(
            id: pick(["home", "a.b-c_d"]), name: pick(["Home", "Ev \u{1F3E0} \"x\""]), shape: shape, isActive: flag(),
            priority: pick([0, -3, 7]), triggers: pick([.all, .enter, [.enter, .dwell], .exit]), dwell: pick([nil, 60, 1.5]),
            devices: list(["anna", "ben"]), groups: list(["family", "vans"]), policy: policy(),
            properties: flag() ? [] : [.init("color", "red"), .init("n", .array([.null, .number("1")]))])
    }

    mutating func device() throws -> Device {
        let platform = pick([nil] + Device.Platform.allCases)
        let registry: Device.Registry = platform == nil ? .none : pick(Device.Registry.allCases)
        var device = Device(
            id: pick(["anna", "jane/phone"]), name: pick(["Anna", "Ä \"q\""]), groups: list(["family", "vans"]), policy: policy(),
            platform: platform, registry: registry, autoRepair: registry != .none && flag(),
            silentAfter: pick([nil, 60, 3600.5]), keepPositions: pick([nil, .infinity, 86_400]))
        device.own.quietHours = try quietHours()
        let groups = ["family": try defaults(), "vans": try defaults()]
        device.inherit(InheritedDefaults(groups: device.groups, general: try defaults(), ofGroups: groups))
        return device
    }

    mutating func defaults() throws -> DeviceDefaults {
        try DeviceDefaults(
            silentAfter: pick([nil, 90, 7200]), policy: policy().nonEmpty, keepPositions: pick([nil, .infinity, 0, 3600]),
            quietHours: quietHours())
    }

    private mutating func quietHours() throws -> [WeeklyWindow]? {
        let texts = pick([nil, ["22:00-06:00"], ["mon-fri 08:00-18:00", "sat,sun 00:00-24:00"], []])
        return try texts?.map { try WeeklyWindow($0, field: "quietHours") }
    }

    private mutating func time() -> TimeOfDay { TimeOfDay(pick(["00:00", "08:15", "23:59"])) ?? .midnight }

    mutating func rule() -> PresenceRule {
        let expectation: PresenceRule.Expectation = pick([
            .entersBy(time(), from: time(), grace: number(0...600)), .staysAtMost(number(60...86_400)),
            .staysUntil(time(), from: time()),
        ])
        return PresenceRule(
            id: pick(["rule", "r-2"]), subject: pick([.device("anna"), .group("family")]),
            geofences: pick([.geofence("home"), .label("site")]),
            expectation: expectation, days: Weekdays(pick(["mon-fri", "sat,sun"])) ?? .all,
            exceptions: list(["2026-12-24", "2026-12-24..2027-01-06"]).compactMap { DateSpan($0) },
            timeZone: pick(["UTC", "Europe/Berlin"]), isActive: flag(),
            since: Instant(milliseconds: pick([0, 1_777_629_600_123])))
    }

    mutating func sink() -> Sink {
        var filter = SinkFilter(
            geofences: list(["home"]), notGeofences: list(["yard"]), devices: list(["anna"]), groups: list(["vans"]),
            types: pick([[], [.enter], [.exit, .dwell]]),
            initial: flag(), inferred: flag())
        let target = target()
        if target.kind == .report { filter = SinkFilter(geofences: filter.geofences, notGeofences: filter.notGeofences) }
        return Sink(
            id: pick(["phone", "s-1"]), target: target, filter: flag() ? filter : SinkFilter(),
            rateLimit: pick([nil, RateLimit(count: 10, period: 60)]), emergency: flag(), language: pick(Language.allCases),
            timeZone: pick(["UTC", "Europe/Istanbul"]))
    }

    private mutating func target() -> SinkTarget {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            var target = SinkTarget(.webhook, url: pick(["https://u:p4ss@example.com/h?key=k3y", "http://127.0.0.1:9/h"]))
            target.token = pick([nil, "t0ken"])
            target.headers = flag() ? [] : [.init("X-Key", "v4lue")]
            target.signingSecret = pick([nil, "s1gn"])
            return target
        case 1: return SinkTarget(.ntfy, url: "https://ntfy.sh/topic", priority: pick([nil, 1, 5]))
        case 2: return SinkTarget(.telegram, token: "123:abc", chat: "42")
        case 3:
            var target = SinkTarget(.email)
            (target.server, target.from, target.to) = ("smtps://mail.example.com", "a@b.c", ["d@e.f"])
            target.user = pick([nil, "u"])
            target.password = target.user.map { _ in "p4ss" }
            return target
        case 7:
            var target = SinkTarget(.report)
            (target.server, target.from, target.to) = ("smtps://mail.example.com", "a@b.c", ["d@e.f"])
            (target.every, target.by) = (pick(ReportPeriodLength.allCases), pick([[.device], [.geofence, .group]]))
            (target.period, target.minDuration) = (pick([nil, .day]), pick([nil, 180]))
            target.at = TimeOfDay(pick(["06:00", "23:30"]))
            return target
        case 4:
            var target = SinkTarget(.file)
            target.path = "/var/log/events.ndjson"
            return target
        case 5:
            var target = SinkTarget(.command)
            target.command = ["/bin/notify", "--title", "{title}"]
            return target
        default:
            var target = SinkTarget(.positions, url: "https://example.com/in", token: pick([nil, "t0ken"]))
            target.format = pick(SinkTarget.Format.allCases)
            return target
        }
    }
}
