import Model

/// How an app selects the regions that a phone's operating system watches for it.
///
/// `picket` is compared with what apps commonly do on the same track. Each of the other strategies gets every fix that it
/// requests, although an app in the background gets fewer.
package enum RegionStrategy: String, CaseIterable, Sendable {
    /// Picket's reconciler: a selection with a sentinel, and a repair at each exit from the sentinel.
    case picket
    /// The first geofences as they are stored, registered once.
    case firstStored
    /// The geofences with the nearest centers, selected again after each 500 m.
    case nearestEvery500m
    /// The geofences with the nearest centers, selected again on every fix.
    case nearestEveryFix
    /// The geofences with the nearest boundaries and a circle of 1 km around the device, selected again when the device leaves the circle.
    case nearestByEdge
    /// As `nearestEvery500m`, but every region is stopped and the new ones are started each time.
    case stopAllStartAll

    /// What an app with this strategy does, in a few English words.
    ///
    /// - Parameter limit: The maximum number of regions.
    package func summary(limit: Int) -> String { phrase(limit: limit).description }

    /// What an app with this strategy does, in a few words.
    ///
    /// - Parameter limit: The maximum number of regions.
    package func phrase(limit: Int) -> Phrase {
        switch self {
        case .picket: Phrase("Picket's selection, repaired at each sentinel exit")
        case .firstStored: Phrase("the first \(plain: limit) as stored, registered once")
        case .nearestEvery500m: Phrase("the nearest \(plain: limit) by center, every 500 m")
        case .nearestEveryFix: Phrase("the nearest \(plain: limit) by center, on every position")
        case .nearestByEdge: Phrase("the nearest \(plain: limit - 1) by edge and a 1 km sentinel")
        case .stopAllStartAll: Phrase("stop all, start the nearest \(plain: limit), every 500 m")
        }
    }

    /// When and how regions are selected, for the strategies other than Picket's.
    var selection: CommonSelection? {
        switch self {
        case .picket: nil
        case .firstStored: CommonSelection(order: .stored, refresh: .never)
        case .nearestEvery500m: CommonSelection(order: .center, refresh: .afterMoving(meters: 500))
        case .nearestEveryFix: CommonSelection(order: .center, refresh: .onEveryFix)
        case .nearestByEdge: CommonSelection(order: .edge, refresh: .onExit(radius: 1000))
        case .stopAllStartAll:
            CommonSelection(order: .center, refresh: .afterMoving(meters: 500), stopsAll: true)
        }
    }
}
