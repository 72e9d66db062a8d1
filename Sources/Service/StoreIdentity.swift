import Model
import Store

/// The identity of a store, and the number of its newest event.
public struct StoreIdentity: Hashable, Sendable {
    /// The id of the store. It stays the same as long as the store exists, also when a backup is restored.
    public var id: String
    /// The id of the current generation; see `StoreGeneration`.
    public var generation: String
    /// The number of times that the store was restored from a backup.
    public var restores: Int
    /// The number of the newest event.
    public var newest: Int64

    public init(id: String, generation: String, restores: Int, newest: Int64) {
        self.id = id
        self.generation = generation
        self.restores = restores
        self.newest = newest
    }

    init(_ store: RegionStore) throws(Problem) {
        let generations = try store.generations()
        self.init(
            id: generations.store, generation: generations.current.id, restores: generations.restores,
            newest: try store.newestSequence())
    }

    public var json: JSONValue {
        [
            "id": .string(id), "generation": .string(generation), "restores": JSONValue(restores),
            "newestEvent": JSONValue(Int(newest)),
        ]
    }
}

extension Queries {
    public func identity() throws(Problem) -> StoreIdentity { try StoreIdentity(store) }
}
