import Model
import Store

/// What a device said besides its positions: kept to compare with what these showed, and for its health. It makes no event.
public struct Evidence: Sendable {
    public var deviceId: String
    /// When it happened, by the device; nil when it does not say.
    public var time: Instant?
    /// A JSON object, as it was sent.
    public var json: String

    public init(deviceId: String, time: Instant?, json: String) {
        self.deviceId = deviceId
        self.time = time
        self.json = json
    }
}

extension ServiceWriter {
    /// Keeps what devices said, and takes it as a sign of life of theirs. A device that nobody knows yet is made of what there is to
    /// keep, as it is of a position; of its sign of life alone it is not.
    ///
    /// - Parameter heard: Devices that gave a sign of life and said nothing to keep.
    public func note(_ evidence: [Evidence], heard: [String] = []) throws(Problem) {
        let now = clock.now()
        try transaction { () throws(Problem) in
            for item in evidence {
                let slot = try makeSlot(of: item.deviceId)
                try store.appendEvidence(item.json, of: slots[slot].key, at: min(item.time ?? now, now), receivedAt: now)
            }
            for id in Set(evidence.map(\.deviceId) + heard).sorted() { _ = try hear(deviceId: id, at: now) }
        }
    }
}
