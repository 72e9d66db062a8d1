import Delivery
import Model

/// Data of a device that was removed from the store, so that no sink may get it any more.
package struct RemovedData: Sendable {
    var device: String
    /// The time from which on the positions were removed.
    var positionsSince: Instant
    var includesEvents: Bool

    func includes(_ item: OutboxItem) -> Bool {
        switch item {
        case .event(let outbox): includesEvents && outbox.event.deviceId == device
        case .position(let position): position.deviceId == device && position.fix.time >= positionsSince
        }
    }
}
