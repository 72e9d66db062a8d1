import Geodesy

/// A simple way to select regions, as apps without a reconciler do.
struct CommonSelection {
    enum Order {
        /// As the geofences are stored: by id.
        case stored
        /// By the distance to the center.
        case center
        /// By the distance to the boundary.
        case edge
    }

    /// When regions are selected again.
    enum Refresh {
        case never
        /// When the device is this far (meters) from the place where they were last selected.
        case afterMoving(meters: Double)
        case onEveryFix
        /// When the device leaves a circle of this radius (meters) around the place where they were last selected, which takes a slot.
        case onExit(radius: Double)
    }

    var order: Order
    var refresh: Refresh
    /// Whether all regions are stopped before the new ones are started, including those that are selected again.
    var stopsAll = false

    /// The numbers of the geofences to watch around a place, at most `count`.
    ///
    /// - Complexity: O(n log k) for n geofences by center, and less for the other orders.
    func select(_ count: Int, from fences: WatchedFences, around place: EarthVector) -> [Int] {
        switch order {
        case .stored: Array(fences.numbers.prefix(count))
        case .edge: fences.nearest(count, to: place)
        case .center: nearestCenters(count, fences, place)
        }
    }

    private func nearestCenters(_ count: Int, _ fences: WatchedFences, _ place: EarthVector) -> [Int] {
        guard count > 0 else { return [] }
        var nearest: [(number: Int, chord: Double)] = []
        for (number, center) in zip(fences.numbers, fences.centers) {
            let chord = place.chordSquared(to: center)
            if nearest.count == count {
                if chord >= nearest[count - 1].chord { continue }
                nearest.removeLast()
            }
            var (low, high) = (0, nearest.count)
            while low < high {
                let middle = (low + high) / 2
                if nearest[middle].chord <= chord { low = middle + 1 } else { high = middle }
            }
            nearest.insert((number, chord), at: low)
        }
        return nearest.map(\.number)
    }
}
