import Geodesy
import Model
import Monitor
import ServiceTestSupport
import Testing
import Timeline

@Suite("Difference of two states")
struct StateDifferenceTests {
    private let time = Instant("2026-05-01T08:00:00Z")!

    private func state(dueAfter seconds: Double) -> DeviceState {
        DeviceState(
            device: Device(id: "a"), policy: .balanced,
            newest: Fix(time: time, coordinate: Coordinate(latitude: 1, longitude: 2)), fenceStates: [],
            fenceDeadline: time + seconds, lastHeard: time)
    }

    @Test("A deadline of geofences behind that of the device's silence is compared as well")
    func fenceDeadline() throws {
        // Both states have the same next deadline, which is that of the silence.
        let (one, other) = (state(dueAfter: 100_000), state(dueAfter: 200_000))
        #expect(one.deadline == other.deadline && one.deadline != nil)
        let difference = try #require(one.difference(from: other))
        #expect(difference.hasPrefix("its deadline of geofences is stored as"))
        #expect(one.difference(from: state(dueAfter: 100_000)) == nil)
    }
}
