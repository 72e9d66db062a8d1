/// Counts of refused input, with one entry for each device, kind and field.
package struct RefusedInputs: Sendable {
    private struct Key: Hashable {
        var device: String?
        var kind: Refusal.Kind
        var field: String
    }

    private var places: [Key: Int] = [:]
    /// The entries in the order of their first refusal, which is the one kept.
    package private(set) var entries: [(refusal: Refusal, sender: String?, count: Int)] = []

    package init() {}

    /// Counts refusals.
    ///
    /// - Parameter sender: See `FixBatch.sender`.
    package mutating func add(_ refusals: [Refusal], sender: String?) {
        for refusal in refusals {
            let key = Key(device: refusal.device, kind: refusal.kind, field: refusal.field)
            if let place = places[key] {
                entries[place].count += 1
            } else {
                places[key] = entries.count
                entries.append((refusal, sender, 1))
            }
        }
    }
}
