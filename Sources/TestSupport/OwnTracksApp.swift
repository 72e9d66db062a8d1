import Model
import Synchronization

/// The list of waypoints of an OwnTracks app, and what the app does with commands; by platform, as the apps' sources have it.
public final class OwnTracksApp: Sendable {
    /// What the app sends, and below which of its topics.
    public struct Message: Sendable {
        public var subtopic: String
        public var json: JSONValue
    }

    private struct State {
        var waypoints: [JSONValue] = []
        var allowsCommands = true
        var commands: [JSONValue] = []
        var refused = 0
    }

    public let platform: Device.Platform
    private let state: Mutex<State>

    /// - Parameter waypoints: Those that the person made.
    public init(_ platform: Device.Platform, _ waypoints: [JSONValue] = []) {
        self.platform = platform
        state = Mutex(State(waypoints: waypoints))
    }

    public var waypoints: [JSONValue] {
        get { state.withLock { $0.waypoints } }
        set { state.withLock { $0.waypoints = newValue } }
    }

    /// Whether the person lets others send commands.
    public var allowsCommands: Bool {
        get { state.withLock { $0.allowsCommands } }
        set { state.withLock { $0.allowsCommands = newValue } }
    }

    /// The commands that it was sent.
    public var commands: [JSONValue] { state.withLock { $0.commands } }

    /// How many commands came while nobody was let send any.
    public var refused: Int { state.withLock { $0.refused } }

    /// What the person reads, in the order of the list.
    public var names: [String] { waypoints.compactMap { $0["desc"]?.string } }

    /// Its list, as it publishes it.
    public var list: Message {
        let waypoints = waypoints.map { waypoint -> JSONValue in
            let members = (waypoint.members ?? []).filter { platform == .ios || $0.name != "rid" }
            return .object(members)
        }
        return Message(subtopic: "/waypoints", json: ["_type": "waypoints", "waypoints": .array(waypoints)])
    }

    /// Takes commands, as they come from the broker one by one, or as the answer to a request.
    ///
    /// - Returns: What it sends thereupon.
    public func take(_ commands: [JSONValue]) -> [Message] {
        guard allowsCommands else {
            state.withLock { $0.refused += commands.count }
            return []
        }
        let isKnown = { (command: JSONValue) in
            command["_type"]?.string == "cmd" && Self.actions.contains(command["action"]?.string ?? "")
        }
        // An element that it does not know voids the whole answer on Android.
        if platform == .android, !commands.allSatisfy(isKnown) { return [] }
        var sent: [Message] = []
        for command in commands where isKnown(command) {
            state.withLock { $0.commands.append(command) }
            switch command["action"]?.string {
            case "waypoints": sent.append(list)
            case "clearWaypoints": waypoints = []
            default:
                for waypoint in command["waypoints"]?["waypoints"]?.array ?? [] { set(waypoint) }
            }
        }
        return sent
    }

    private static let actions: Set = ["waypoints", "clearWaypoints", "setWaypoints"]

    private func set(_ waypoint: JSONValue) {
        let key = platform == .ios ? "rid" : "tst"
        let isPlace = abs(waypoint["lat"]?.double ?? 999) <= 90 && abs(waypoint["lon"]?.double ?? 999) <= 180
        state.withLock { state in
            let index = state.waypoints.firstIndex { $0[key] == waypoint[key] }
            switch (index, platform, isPlace) {
            case (let index?, .ios, false): state.waypoints.remove(at: index)
            case (let index?, _, _): state.waypoints[index] = waypoint
            // On iOS also what is no place: the app does not look.
            case (nil, _, _): state.waypoints.append(waypoint)
            }
        }
    }
}
