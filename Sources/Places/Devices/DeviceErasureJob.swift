import Core
import Model
import Secrets
import Store

/// Removes most positions and events of a device that has many, before `ServiceWriter.eraseRecords(ofDevice:key:rewriting:)` erases the rest. In
/// between the device exists, with fewer positions and events, and late positions are not evaluated. If the process ends then, the erasure is
/// completed when the store is next opened for writing.
package struct DeviceErasureJob: LongJob {
    /// The device's key; nil if the device is unknown.
    package private(set) var key: DeviceKey?
    private let id: String
    private let isRewriting: Bool
    private let limit: Int

    /// - Parameters:
    ///   - key: Nil for the current device of this id.
    ///   - rewriting: See `ServiceWriter.eraseRecords(ofDevice:key:rewriting:)`.
    ///   - limit: The number of positions or events that a step removes, which takes a few milliseconds.
    package init(ofDevice id: String, key: DeviceKey? = nil, rewriting: Bool, limit: Int = 150) {
        self.id = id
        self.key = key
        self.limit = limit
        isRewriting = rewriting
    }

    /// - Throws: See `ServiceWriter.eraseRecords(ofDevice:key:rewriting:)`.
    package mutating func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        let stored = try service.erasableDevice(id: id, key)
        key = key ?? stored?.key
        guard let stored, try service.store.hasMoreRecords(of: stored.key, than: limit) else { return false }
        let before = try service.store.ongoingErasure(of: stored.key)
        if isRewriting, before == nil { try service.makeRoomToRewrite() }
        var erasure =
            before
            ?? UnfinishedErasure(
                digest: Digest.hexadecimal(of: id.inNormalForm), device: stored.key, fixes: 0, events: 0,
                rewritesStore: isRewriting, rewritesPhones: isRewriting)
        service.interruptReplay(ofDevice: stored.key)
        return try service.transaction { [limit] (transaction: borrowing Transaction) throws(Problem) in
            try service.writeState(of: stored.key, in: transaction)
            try service.store.eraseStep(of: stored.key, &erasure, limit: limit, in: transaction)
            return try service.store.hasMoreRecords(of: stored.key, than: limit)
        }
    }
}
