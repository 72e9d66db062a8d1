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

    @Test("The bytes of an event equal its JSON", arguments: [1, 2, 3] as [UInt64])
    func events(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let event = Event.random(using: &random)
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
