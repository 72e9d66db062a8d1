import Model
import Store

/// Which store this is, and how far its events go.
public struct StoreIdentity: Hashable, Sendable {
    /// Stays for as long as the store does, also when a backup of it is restored.
    public var id: String
    /// The present generation; see `StoreGeneration`.
    public var generation: String
    /// How many times the store was set back.
    public var restores: Int
    /// The newest number that an event was given.
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
