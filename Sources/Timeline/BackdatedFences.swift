import Model
import Store

/// The geofences that hold for the past of a device instead of those on record.
struct BackdatedFences {
    /// In the order of the input log.
    private let entries: [FenceKey: [PicketStore.FenceBackdating]]

    /// - Parameter entries: In the order of the input log.
    init(_ entries: [PicketStore.FenceBackdating] = []) { self.entries = Dictionary(grouping: entries, by: \.fence) }

    var isEmpty: Bool { entries.isEmpty }

    /// The entry that counts for a geofence at a place in the log; nil if the geofence is as on record there.
    func entry(of fence: FenceKey, at place: InputPosition) -> PicketStore.FenceBackdating? {
        entries[fence]?.last { $0.holds(at: place) }
    }

    /// The entries that count at a place in the log, by geofence.
    func entries(at place: InputPosition) -> [PicketStore.FenceBackdating] {
        entries.keys.sorted().compactMap { entry(of: $0, at: place) }
    }
}
