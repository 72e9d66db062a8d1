import Geodesy
import Model

extension Event {
    /// An event with a random set of optional members. Its times, numbers and texts cover what JSON has to escape or to round.
    package static func random(using random: inout SeededRandom) -> Event {
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { Bool.random(using: &random) ? value() : nil }
        func oneOf<Value: CaseIterable>(_ type: Value.Type) -> Value where Value.AllCases == [Value] {
            type.allCases[.random(in: type.allCases.indices, using: &random)]
        }
        func moment() -> Instant { Instant(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)) }
        let texts = ["", "home", "a \"b\" \\ c", "ev\u{7}\n\t\u{1F3E0}", "İstanbul", "<img src=x>"]
        let numbers = [0, -0.0, 1, 12.5, 1e-7, 123_456_789.25, 1e15, -179.999_999_9, .infinity]
        func name() -> String { texts[.random(in: texts.indices, using: &random)] }
        func number() -> Double {
            Bool.random(using: &random)
                ? numbers[.random(in: numbers.indices, using: &random)] : .random(in: -180...180, using: &random)
        }
        let hasPosition = Bool.random(using: &random)
        return Event(
            id: name(), sequence: .random(in: 0...(1 << 53), using: &random), type: oneOf(EventType.self), deviceId: name(),
            geofenceId: maybe(name()), geofenceName: maybe(name()), occurredAt: moment(), recordedAt: moment(),
            confirmedAt: moment(), crossedAt: maybe(moment()), cause: oneOf(Cause.self), inferred: .random(using: &random),
            fix: Fix(
                time: moment(), coordinate: Coordinate(latitude: number() / 2, longitude: number()), accuracy: maybe(number())),
            enteredAt: maybe(moment()), duration: maybe(number()), lastHeard: maybe(moment()), retracts: maybe(name()),
            properties: maybe([.init("k", .string(name())), .init("n", .array([JSONValue(1), JSONValue(2.5), .null]))]) ?? [],
            alarm: maybe(
                Alarm(
                    kind: name(), inside: maybe([.init(geofenceId: name(), geofenceName: name())]) ?? [],
                    hasPosition: hasPosition, emergencyNumber: "112",
                    acknowledgement: maybe(.init(at: moment(), by: maybe(name()))))),
            rule: maybe(
                MissedRule(id: name(), expectation: .staysAtMost(3600), timeZone: "Europe/Berlin", hasPosition: hasPosition)))
    }
}
