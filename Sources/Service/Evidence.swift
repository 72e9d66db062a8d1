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

extension GeofenceService {
    /// Keeps what known devices said, and takes it as a sign of life of theirs; of unknown ones it is passed over.
    ///
    /// - Parameter heard: Devices that gave a sign of life and said nothing to keep.
    public func note(_ evidence: [Evidence], heard: [String] = []) throws(Problem) {
        let now = clock.now()
        try transaction { () throws(Problem) in
            for item in evidence {
                guard let stored = try store.device(id: item.deviceId) else { continue }
                try store.appendEvidence(item.json, of: stored.key, at: min(item.time ?? now, now), receivedAt: now)
            }
            for id in Set(evidence.map(\.deviceId) + heard).sorted() { _ = try hear(deviceId: id, at: now) }
        }
    }
}
