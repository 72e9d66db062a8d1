import Core
import Model
import Service

/// The devices for which a token may report. A device outside of it is refused whether it exists or not.
package struct ReportScope: Sendable {
    /// Nil for all devices.
    private let scope: DeviceScope?
    private let groups: DeviceGroups

    /// The scope of a token. A token for only one device needs none, because everything it reports belongs to that device.
    package init(_ store: StoreThreads, _ head: Head) {
        scope = head.onlyDevice == nil ? head.scope : nil
        groups = store.writer.deviceGroups
    }

    /// - Parameter device: Nil if the report names none.
    /// - Throws: `Problem.forbidden`.
    package func check(_ device: String?) throws(Problem) {
        guard let device, !groups.isVisible(device, to: scope) else { return }
        throw .forbidden(details: Phrase("the token is restricted to some devices, and '\(device)' is not one of them"))
    }

    /// Checks the device in the address of a request that reports about it.
    ///
    /// - Throws: `Problem.forbidden`, even if the token is for only one other device.
    package static func checkDevice(of call: Call) throws(Problem) {
        if let only = call.head.onlyDevice, only != call.id {
            throw .forbidden(details: .reportOfOtherDevice(only, call.id))
        }
        try ReportScope(call.store, call.head).check(call.id)
    }

    /// Checks the devices of all positions and alarms. Refused input of other devices is no longer attributed to them.
    ///
    /// - Throws: `Problem.forbidden`.
    package func check(_ batch: inout FixBatch) throws(Problem) {
        if scope == nil { return }
        for number in Set(batch.rows.lazy.map(\.device)) where number >= 0 { try check(batch.deviceNames[Int(number)]) }
        for alarm in batch.alarms { try check(alarm.device) }
        for index in batch.refusals.indices {
            guard let device = batch.refusals[index].device, !groups.isVisible(device, to: scope) else { continue }
            batch.refusals[index].device = nil
        }
    }
}
