import Model
import Store

/// The versions of geofences that replace the recorded versions in one device's past.
struct BackdatedFences {
    /// The entries of each geofence, in the order of the input log.
    private let entries: [FenceKey: [PicketStore.FenceBackdating]]

    /// - Parameter entries: In the order of the input log.
    init(_ entries: [PicketStore.FenceBackdating] = []) { self.entries = Dictionary(grouping: entries, by: \.fence) }

    var isEmpty: Bool { entries.isEmpty }

    /// The entry that applies to a geofence at a place in the log; nil if the recorded version applies there.
    func entry(of fence: FenceKey, at place: InputPosition) -> PicketStore.FenceBackdating? {
        entries[fence]?.last { $0.holds(at: place) }
    }

    /// The entries that apply at a place in the log, sorted by geofence.
    func entries(at place: InputPosition) -> [PicketStore.FenceBackdating] {
        entries.keys.sorted().compactMap { entry(of: $0, at: place) }
    }
}
