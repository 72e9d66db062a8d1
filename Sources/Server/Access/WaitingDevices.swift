import Ingest
import Model
import Service
import Synchronization

/// Devices that report without a good token: noted in memory, so that a person can let them in. Of what they send only the device's
/// name is looked at; nothing of a position is kept.
final class WaitingDevices: Sendable {
    /// By which protocol a device reports.
    enum ReportProtocol: String, CaseIterable, Sendable {
        case osmAnd = "osmand"
        case ownTracks = "owntracks"
        /// `POST /v1/positions`.
        case positions

        /// Of a route that takes positions.
        init(_ route: Route) {
            switch route.path {
            case "/owntracks", "/pub": self = .ownTracks
            case "/v1/positions": self = .positions
            default: self = .osmAnd
            }
        }
    }

    /// A device, and what was seen of it.
    struct Entry: Hashable, Sendable {
        var deviceId: String
        /// In the order in which they were seen.
        var protocols: [ReportProtocol]
        var firstAt: Instant
        var lastAt: Instant
        var count = 1
        /// The numeric address that the newest request came from.
        var address: String
        /// Whether the newest request showed a token at all.
        var hasToken: Bool
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var refused: Set<String> = []
        /// Whether somebody waits whom nobody was told of yet.
        var hasNews = false
    }

    /// So many are kept: names come from outside. When there are more, those that were seen longest ago go.
    static let most = 200
    /// So many devices of one request are noted.
    static let mostOfRequest = 20

    private let state: Mutex<State>

    /// - Parameter refused: The devices that a person does not want to see.
    init(refused: [String]) { state = Mutex(State(refused: Set(refused))) }

    /// Notes the devices of a request that was not let in.
    func note(_ devices: [String], by way: ReportProtocol, from address: String, hasToken: Bool, at now: Instant) {
        state.withLock { state in
            for device in devices.prefix(Self.mostOfRequest) where !state.refused.contains(device) {
                if var entry = state.entries[device] {
                    if !entry.protocols.contains(way) { entry.protocols.append(way) }
                    entry.lastAt = now
                    entry.count += 1
                    entry.address = address
                    entry.hasToken = hasToken
                    state.entries[device] = entry
                    continue
                }
                if state.entries.count >= Self.most, let oldest = state.entries.values.min(by: { $0.lastAt < $1.lastAt }) {
                    state.entries[oldest.deviceId] = nil
                }
                state.entries[device] = Entry(
                    deviceId: device, protocols: [way], firstAt: now, lastAt: now, address: address, hasToken: hasToken)
                state.hasNews = true
            }
        }
    }

    /// Those that wait, the ones that were seen last first.
    var all: [Entry] {
        state.withLock { Array($0.entries.values) }.sorted { ($1.lastAt, $0.deviceId) < ($0.lastAt, $1.deviceId) }
    }

    /// Takes a device off the list, as when it has been enrolled. When it reports without a good token again, it is back.
    func remove(_ device: String) { state.withLock { $0.entries[device] = nil } }

    /// Sees no more of a device.
    func refuse(_ device: String) {
        state.withLock { state in
            state.refused.insert(device)
            state.entries[device] = nil
        }
    }

    /// Sees a device again.
    func readmit(_ device: String) { _ = state.withLock { $0.refused.remove(device) } }

    /// What watchers are to be told: that somebody new waits. Nil when nobody does. To be called once a second, so that a flood of
    /// names makes no flood of notices.
    func news() -> ServiceNotice? {
        state.withLock { state in
            guard state.hasNews else { return nil }
            state.hasNews = false
            return ServiceNotice(.device, deviceId: nil, ["waiting": JSONValue(state.entries.count)])
        }
    }
}

extension WaitingDevices.Entry {
    /// - Parameter isKnown: Whether there is such a device.
    func json(isKnown: Bool) -> JSONValue {
        [
            "deviceId": .string(deviceId), "isKnown": .bool(isKnown),
            "protocols": .array(protocols.map { .string($0.rawValue) }), "firstAt": JSONValue(firstAt),
            "lastAt": JSONValue(lastAt), "count": JSONValue(count), "address": .string(address), "hasToken": .bool(hasToken),
        ]
    }
}
