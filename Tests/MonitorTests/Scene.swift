import Geodesy
import Geometry
import Model
import Monitor

extension DeviceState {
    /// The state as it would be loaded from a store.
    ///
    /// - Parameters:
    ///   - policy: The store's policy.
    ///   - presences: The fence states, in any order; nil for those of this state.
    func reloaded(_ policy: DecisionPolicy, presences: [FenceState]? = nil) -> DeviceState {
        DeviceState(
            device: device, policy: policy, newest: newest, fenceStates: presences ?? self.fenceStates,
            fenceDeadline: fenceDeadline, lastHeard: lastHeard,
            isSilent: isSilent, deadlinesFiredBefore: deadlinesFiredBefore, lastReport: lastReport,
            outlierCandidate: outlierCandidate, stay: stay)
    }
}

/// One device and some fences, driven fix by fix.
struct Scene {
    let engine: TransitionEngine
    var state: DeviceState
    var transitions: [Transition] = []
    static let start = Instant("2026-05-01T10:00:00Z")!
    static let berlin = Coordinate(latitude: 52.5163, longitude: 13.3777)

    init(_ fences: [Geofence], policy: DecisionPolicy = .exact, device: Device = Device(id: "d")) {
        engine = TransitionEngine(fences: Scene.set(fences))
        state = DeviceState(device: device, policy: policy)
    }

    static func set(_ fences: [Geofence], revision: Int64 = 1) -> FenceSet {
        FenceSet(
            revision: revision,
            fences.enumerated().map { FenceSet.KeyedGeofence(key: FenceKey(Int32($0.offset + 1)), geofence: $0.element) })
    }

    /// A circle around the scene's center.
    static func circle(
        _ id: String, _ radius: Double, dwell: Double? = nil, devices: [String] = [], policy: PolicyOverride = PolicyOverride()
    ) -> Geofence {
        Geofence(
            id: id, name: id, shape: .circle(Circle(center: berlin, radius: radius)), dwell: dwell, devices: devices,
            policy: policy)
    }

    /// A fix a number of seconds after the start and of meters north of the center.
    static func fix(_ seconds: Double, _ north: Double, accuracy: Double? = nil) -> Fix {
        Fix(time: start + seconds, coordinate: Geodesic.direct(berlin, azimuth: 0, distance: north), accuracy: accuracy)
    }

    mutating func observe(_ seconds: Double, _ north: Double, accuracy: Double? = nil) {
        engine.observe(Scene.fix(seconds, north, accuracy: accuracy), &state, into: &transitions)
    }

    /// Records a sign of life a number of seconds after the start.
    mutating func recordLife(_ seconds: Double) { engine.recordSignOfLife(at: Scene.start + seconds, &state, into: &transitions) }

    /// Advances the clock to a number of seconds after the start.
    mutating func advance(_ seconds: Double) { engine.advance(before: Scene.start + seconds, &state, into: &transitions) }

    /// The transitions, formatted like "enter a 10" (type, fence or -, seconds after the start).
    var events: [String] {
        transitions.map { transition in
            let fence = transition.fence.map { engine.fences.geofence($0)?.id ?? "?" } ?? "-"
            return "\(transition.type) \(fence) \(JSONValue(transition.occurredAt - Scene.start))"
        }
    }
}
