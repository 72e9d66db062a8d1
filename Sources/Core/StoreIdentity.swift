import Model
import Store

/// The identity of a store, and the number of its newest event.
package struct StoreIdentity: Hashable, Sendable {
    /// The id of the store. It stays the same as long as the store exists, even when a backup is restored.
    package var id: String
    /// The id of the current epoch; see `StoreEpoch`.
    package var epoch: String
    /// The number of times that the store was restored from a backup.
    package var restores: Int
    /// The number of the newest event.
    package var newest: Int64

    init(id: String, epoch: String, restores: Int, newest: Int64) {
        self.id = id
        self.epoch = epoch
        self.restores = restores
        self.newest = newest
    }

    package init(_ store: PicketStore) throws(Problem) {
        let epochs = try store.epochs()
        self.init(
            id: epochs.store, epoch: epochs.current.id, restores: epochs.restores,
            newest: try store.newestSequence())
    }
}

extension StoreIdentity: JSONDescribed {
    package static let shape = JSONShape<StoreIdentity>(
        "StoreIdentity",
        summary: "The identity of the store",
        .init("id", kind: .text, summary: "The store's id, which stays the same when a backup is restored", content: \.id),
        .init("generation", kind: .text, summary: "Changes with each restore; a part of cursors", content: \.epoch),
        .init("restores", kind: .whole, summary: "How often a backup was restored", content: \.restores),
        .init("newestEvent", kind: .whole, summary: "The number of the newest event", content: \.newest)
    ) { id, epoch, restores, newest in
        StoreIdentity(id: id, epoch: epoch, restores: restores, newest: newest)
    }
}

extension Queries {
    package func identity() throws(Problem) -> StoreIdentity { try StoreIdentity(store) }

    /// The secret from which the links of alarms and the keys of sessions and streams are made. It stays the same as long as the store
    /// exists.
    ///
    /// - Throws: `Problem` if the store has no such secret.
    package func storeSecret() throws(Problem) -> String {
        guard let secret = try store.text(ofSetting: "alarm_secret") else {
            throw store.damaged("the secret of the store is missing")
        }
        return secret
    }

    /// The client identifier for an MQTT broker: letters and digits that stay the same for the lifetime of the store.
    package func mqttClientID() throws(Problem) -> String { try store.text(ofSetting: "mqtt_client") ?? "picket" }
}
