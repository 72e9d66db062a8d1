import Core
import Model
import Places
import Routing
import Synchronization

/// Devices that report without a valid token, kept in memory so that a person can admit them. Only the device names in their
/// reports are recorded, no positions.
final class WaitingDevices: Sendable {
    private struct State {
        var entries: [String: WaitingDevice] = [:]
        var refused: Set<String> = []
        /// Whether a device was added since the last notice.
        var hasNewDevices = false
    }

    /// The maximum number of devices kept, because the names come from outside. When there are more, the one that was seen longest ago is
    /// removed.
    static let maximumDevices = 200
    /// The maximum number of devices recorded for one request.
    static let maximumDevicesPerRequest = 20

    private let state: Mutex<State>

    /// - Parameter refused: The devices that a person has hidden.
    init(refused: [String]) { state = Mutex(State(refused: Set(refused))) }

    /// Records the devices of a rejected request.
    func recordReport(
        of devices: [String], by way: WaitingDevice.ReportProtocol, from address: String, hasToken: Bool, at now: Instant
    ) {
        state.withLock { state in
            for device in devices.prefix(Self.maximumDevicesPerRequest) where !state.refused.contains(device) {
                if var entry = state.entries[device] {
                    if !entry.protocols.contains(way) { entry.protocols.append(way) }
                    entry.lastAt = now
                    entry.count += 1
                    entry.address = address
                    entry.hasToken = hasToken
                    state.entries[device] = entry
                    continue
                }
                if state.entries.count >= Self.maximumDevices,
                    let oldest = state.entries.values.min(by: { $0.lastAt < $1.lastAt })
                {
                    state.entries[oldest.deviceId] = nil
                }
                state.entries[device] = WaitingDevice(
                    deviceId: device, isKnown: false, protocols: [way], firstAt: now, lastAt: now, count: 1, address: address,
                    hasToken: hasToken)
                state.hasNewDevices = true
            }
        }
    }

    /// The waiting devices, the most recently seen first. `isKnown` is not set, because the store has the answer.
    var all: [WaitingDevice] {
        state.withLock { Array($0.entries.values) }.sorted { ($1.lastAt, $0.deviceId) < ($0.lastAt, $1.deviceId) }
    }

    /// Removes a device from the list, for example when it has been enrolled. It is added again with its next report without a
    /// valid token.
    func remove(_ device: String) { state.withLock { $0.entries[device] = nil } }

    /// Hides a device.
    func refuse(_ device: String) {
        state.withLock { state in
            state.refused.insert(device)
            state.entries[device] = nil
        }
    }

    /// Stops hiding a device.
    func readmit(_ device: String) { _ = state.withLock { $0.refused.remove(device) } }

    /// The notice that new devices wait; nil when there are none since the last call. Called once a second, so that many names do not cause
    /// many notices.
    func takeNotice() -> ServiceNotice? {
        state.withLock { state in
            guard state.hasNewDevices else { return nil }
            state.hasNewDevices = false
            return ServiceNotice(.device, deviceId: nil, ["waiting": JSONValue(state.entries.count)])
        }
    }
}

extension WaitingDevice.ReportProtocol {
    /// The protocol of a route for positions.
    init(_ route: Route<API>) {
        switch route.path {
        case "/owntracks", "/pub": self = .ownTracks
        case "/v1/positions": self = .positions
        default: self = .osmAnd
        }
    }
}
