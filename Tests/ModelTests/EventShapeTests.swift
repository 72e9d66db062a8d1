import Model
import TestSupport
import Testing

@Suite("Shape of events")
struct EventShapeTests {
    @Test("An event that is read is written as it was", arguments: [3, 4] as [UInt64])
    func decode(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var count = 0
        for _ in 0..<300 {
            let event = Event.random(using: &random)
            // Infinity is written as null, which is not read as a number.
            let fix = event.fix
            guard [fix.coordinate.latitude, fix.coordinate.longitude, fix.accuracy ?? 0].allSatisfy(\.isFinite) else { continue }
            let read = try Event.shape.decode(event.json)
            #expect(read.hasPosition == event.hasPosition && read.sequence == event.sequence, "seed \(seed)")
            // The time of the newest position is not in the JSON of an event without a position.
            let names = (event.json.members ?? []).filter { event.hasPosition || $0.name != "lastSeen" }
            #expect(
                names.allSatisfy { read.json[$0.name]?.description == $0.value.description || $0.value == .null }, "seed \(seed)")
            count += 1
        }
        #expect(count > 100, "seed \(seed)")
    }

    @Test("Only alarms and missed events are read without a position")
    func position() throws {
        var random = SeededRandom(seed: 5)
        var event = Event.random(using: &random)
        (event.alarm, event.rule) = (nil, nil)
        let members = (event.json.members ?? []).filter { $0.name != "fix" }
        let error = #expect(throws: JSONMismatch.self) { try Event.shape.decode(.object(members)) }
        #expect(error?.member == "fix")
    }
}
