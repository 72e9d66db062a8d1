import Geodesy
import Model
import TestSupport
import Testing

@Suite("JSON written as bytes")
struct JSONBytesTests {
    private func text(of event: Event) -> String {
        var text = JSONBytes()
        event.write(into: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// An event with a random set of optional members.
    private func event(_ random: inout SeededRandom) -> Event {
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? { Bool.random(using: &random) ? value() : nil }
        func moment() -> Instant { Instant(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)) }
        let texts = ["", "home", "a \"b\" \\ c", "ev\u{7}\n\t\u{1F3E0}", "İstanbul", "<img src=x>"]
        let numbers = [0, -0.0, 1, 12.5, 1e-7, 123_456_789.25, 1e15, -179.999_999_9, .infinity]
        func name() -> String { texts.randomElement(using: &random)! }
        func number() -> Double {
            Bool.random(using: &random) ? numbers.randomElement(using: &random)! : .random(in: -180...180, using: &random)
        }
        return Event(
            id: name(), sequence: .random(in: 0...(.max), using: &random),
            type: EventType.allCases.randomElement(using: &random)!,
            deviceId: name(), geofenceId: maybe(name()), geofenceName: maybe(name()), occurredAt: moment(), recordedAt: moment(),
            confirmedAt: moment(), crossedAt: maybe(moment()), cause: Cause.allCases.randomElement(using: &random)!,
            inferred: .random(using: &random),
            fix: Fix(
                time: moment(), coordinate: Coordinate(latitude: number() / 2, longitude: number()), accuracy: maybe(number())),
            enteredAt: maybe(moment()), duration: maybe(number()), lastHeard: maybe(moment()), retracts: maybe(name()),
            properties: maybe([.init("k", .string(name())), .init("n", .array([JSONValue(1), JSONValue(2.5), .null]))]) ?? [],
            alarm: maybe(Alarm(kind: name(), inside: [], hasPosition: .random(using: &random), emergencyNumber: "112")))
    }

    @Test("The bytes of an event equal its JSON", arguments: [1, 2, 3] as [UInt64])
    func events(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let event = event(&random)
            #expect(text(of: event) == event.json.description, "seed \(seed)")
        }
    }

    @Test("Commas are written between members and elements only")
    func nesting() {
        var text = JSONBytes()
        text.beginObject()
        text.name("a")
        text.beginArray()
        text.endArray()
        text.name("b")
        text.beginArray()
        for number in [1, -25, 300] as [Int64] {
            text.element()
            text.write(number)
        }
        text.endArray()
        text.member("c", "d")
        text.endObject()
        #expect(String(decoding: text.bytes, as: UTF8.self) == #"{"a":[],"b":[1,-25,300],"c":"d"}"#)
    }
}
