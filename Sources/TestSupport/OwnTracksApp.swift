import Model
import Synchronization

/// A simulated OwnTracks app: its list of waypoints and its reaction to commands, which differs by platform as in the apps' sources.
package final class OwnTracksApp: Sendable {
    /// A message of the app, and the part of its topic below the app's own topic.
    package struct Message: Sendable {
        package var subtopic: String
        package var json: JSONValue
    }

    private struct State {
        var waypoints: [JSONValue] = []
        var allowsCommands = true
        var commands: [JSONValue] = []
        var refused = 0
    }

    package let platform: Device.Platform
    private let state: Mutex<State>

    /// - Parameter waypoints: The waypoints that the person made.
    package init(_ platform: Device.Platform, _ waypoints: [JSONValue] = []) {
        self.platform = platform
        state = Mutex(State(waypoints: waypoints))
    }

    package var waypoints: [JSONValue] {
        get { state.withLock { $0.waypoints } }
        set { state.withLock { $0.waypoints = newValue } }
    }

    /// Whether the person has allowed remote commands.
    package var allowsCommands: Bool {
        get { state.withLock { $0.allowsCommands } }
        set { state.withLock { $0.allowsCommands = newValue } }
    }

    /// The commands that were executed.
    package var commands: [JSONValue] { state.withLock { $0.commands } }

    /// The number of commands that arrived while they were not allowed.
    package var refused: Int { state.withLock { $0.refused } }

    /// The names of the waypoints, in the order of the list.
    package var names: [String] { waypoints.compactMap { $0["desc"]?.string } }

    /// The message with the app's list of waypoints.
    package var list: Message {
        let waypoints = waypoints.map { waypoint -> JSONValue in
            let members = (waypoint.members ?? []).filter { platform == .ios || $0.name != "rid" }
            return .object(members)
        }
        return Message(subtopic: "/waypoints", json: ["_type": "waypoints", "waypoints": .array(waypoints)])
    }

    /// Receives commands, one by one from a broker or together in the answer to a request.
    ///
    /// - Returns: The messages that the app sends in response.
    package func receiveCommands(_ commands: [JSONValue]) -> [Message] {
        guard allowsCommands else {
            state.withLock { $0.refused += commands.count }
            return []
        }
        let isKnown = { (command: JSONValue) in
            command["_type"]?.string == "cmd" && Self.actions.contains(command["action"]?.string ?? "")
        }
        // On Android, an unknown element makes the app ignore the whole answer.
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
            // iOS also adds waypoints with invalid coordinates, because the app does not check them.
            case (nil, _, _): state.waypoints.append(waypoint)
            }
        }
    }
}
