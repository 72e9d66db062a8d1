import Model

/// The right to write to a store. What writes takes it as an argument, so it can be called within a transaction only.
///
/// A transaction cannot be copied or kept, and `PicketStore.transaction(_:)` makes one for as long as its body runs. Apart from that, only
/// this module makes one: where a query first writes rows that wait, and for temporary tables.
package struct Transaction: ~Copyable {}

/// Writes the states of devices that are written later than the inputs that led to them; see `PicketStore.writePendingStates(of:)`.
package protocol PendingStateWriter: AnyObject {
    /// Writes the state of a device, or of all devices for nil, within the open transaction.
    func writeState(of device: DeviceKey?, in transaction: borrowing Transaction) throws(Problem)

    /// Writes the state of a device, or of all devices for nil, in a transaction of its own.
    func writeState(of device: DeviceKey?) throws(Problem)
}
