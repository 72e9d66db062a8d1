import Geodesy
import Model
import Registry

/// All geofences as one kind of operating system would watch them, built once for any number of devices.
///
/// Every fence has a number, in the order of the ids, so that ties are settled by id without comparing text.
public struct FenceCatalogue: Sendable {
    /// How well the system can watch a fence.
    public enum Watchability: Hashable, Sendable {
        case well
        /// Below the smallest radius that is watched reliably.
        case small
        /// A polygon, by its enclosing circle.
        case enclosed
        /// Over the largest radius: never registered, but guarded by the sentinel.
        case tooLarge
        /// Not a circle at all: a radius that is no length, a place that is none.
        case malformed

        /// Whether it can be registered.
        public var isWatchable: Bool { self != .tooLarge && self != .malformed }
    }

    /// A fence as the system sees it.
    public struct Entry: Sendable {
        public var id: String
        public var name: String
        public var regionID: RegionID
        /// As it is registered.
        public var circle: Circle
        public var priority: Int
        public var isActive: Bool
        public var watchability: Watchability
        var center: EarthVector
        /// Metres that the system really uses.
        var usedRadius: Double
        var devices: [String]
        var groups: [String]

        /// The region that should be registered for it.
        public var region: Region { Region(id: regionID, circle: circle) }

        /// The least that its boundary can be away from a place, in metres.
        func distance(from place: EarthVector) -> Double {
            BoundaryTree.distance(chord: place.chordSquared(to: center).squareRoot(), radius: usedRadius)
        }

        /// Whether it is for a device and switched on.
        public func applies(to device: Device) -> Bool {
            isActive
                && ((devices.isEmpty && groups.isEmpty) || devices.contains(device.id)
                    || groups.contains(where: device.groups.contains))
        }
    }

    /// The active fences that are for the same devices.
    struct Audience: Sendable {
        /// By number, those that can be registered: the highest priority first, then by id.
        var ranked: [Int32] = []
        var watchable = BoundaryTree([])
        /// Those too large to be registered.
        var tooLarge = BoundaryTree([])
        /// The first hundred of those that cannot be registered at all.
        var unwatchable: [Int32] = []
        /// All of them, by number.
        var all: [Int32] = []
        /// Whether they name nobody.
        var isEveryones = false
    }

    private enum Whom: Hashable {
        case everyone
        case device(String)
        case group(String)
    }

    public private(set) var profile: PlatformProfile
    /// By number.
    public let entries: [Entry]
    private let numbers: [RegionID: Int32]
    private let audiences: [Whom: Audience]

    /// - Parameters:
    ///   - enclosing: the circle to watch in place of polygons.
    /// - Complexity: O(n log n).
    public init(
        _ fences: some Sequence<Geofence>, profile: PlatformProfile,
        enclosing: ([Polygon]) -> Circle = { Circle(enclosing: $0) }
    ) {
        self.profile = profile
        let entries = fences.map { Entry($0, profile, enclosing) }.sorted { $0.id < $1.id }
        var numbers: [RegionID: Int32] = [:]
        numbers.reserveCapacity(entries.count)
        var byWhom: [Whom: [Int32]] = [:]
        for (number, entry) in entries.enumerated() {
            numbers[entry.regionID] = Int32(number)
            guard entry.isActive else { continue }
            var whom = Set(entry.devices.map(Whom.device) + entry.groups.map(Whom.group))
            if whom.isEmpty { whom = [.everyone] }
            for whom in whom { byWhom[whom, default: []].append(Int32(number)) }
        }
        self.entries = entries
        self.numbers = numbers
        audiences = Dictionary(
            uniqueKeysWithValues: byWhom.map { whom, all in
                func tree(_ wanted: (Watchability) -> Bool) -> BoundaryTree {
                    BoundaryTree(
                        all.compactMap { number in
                            let entry = entries[Int(number)]
                            guard wanted(entry.watchability), entry.usedRadius.isFinite else { return nil }
                            return BoundaryTree.Member(center: entry.center, radius: entry.usedRadius, number: number)
                        })
                }
                let ranked = all.filter { entries[Int($0)].watchability.isWatchable }.sorted {
                    let (a, b) = (entries[Int($0)].priority, entries[Int($1)].priority)
                    return a != b ? a > b : $0 < $1
                }
                let audience = Audience(
                    ranked: ranked, watchable: tree(\.isWatchable), tooLarge: tree { $0 == .tooLarge },
                    unwatchable: Array(all.lazy.filter { !entries[Int($0)].watchability.isWatchable }.prefix(100)), all: all,
                    isEveryones: whom == .everyone)
                return (whom, audience)
            })
    }

    /// The same fences, for a device whose app may have fewer or more regions than the platform allows as a rule.
    public func limited(to limit: Int) -> FenceCatalogue {
        var copy = self
        copy.profile.limit = limit
        return copy
    }

    /// The same fences, for devices whose registry is an app with rules of its own. These may not change how large a region the system
    /// watches.
    public func with(_ profile: PlatformProfile) -> FenceCatalogue {
        var copy = self
        copy.profile = profile
        return copy
    }

    /// The number of a geofence's region, active or not; nil when there is no such fence.
    public func number(of region: RegionID) -> Int? { numbers[region].map(Int.init) }

    /// A fence by its id.
    public subscript(id: String) -> Entry? { number(of: RegionID(geofence: id)).map { entries[$0] } }

    /// The fences that are for a device.
    func audience(of device: Device) -> DeviceFences {
        var parts: [Audience] = []
        if let everyone = audiences[.everyone] { parts.append(everyone) }
        if let own = audiences[.device(device.id)] { parts.append(own) }
        for group in Set(device.groups).sorted() { if let group = audiences[.group(group)] { parts.append(group) } }
        return DeviceFences(parts: parts, entries: entries)
    }
}

extension FenceCatalogue.Entry {
    init(_ fence: Geofence, _ profile: PlatformProfile, _ enclosing: ([Polygon]) -> Circle) {
        id = fence.id
        name = fence.name
        regionID = RegionID(geofence: fence.id)
        priority = fence.priority
        isActive = fence.isActive
        devices = fence.devices
        groups = fence.groups
        let isPolygon: Bool
        switch fence.shape {
        case .circle(let own): (circle, isPolygon) = (own, false)
        case .polygons(let polygons): (circle, isPolygon) = (enclosing(polygons), true)
        }
        center = EarthVector(circle.center)
        usedRadius = profile.usedRadius(circle.radius)
        if !circle.center.isValid || !(circle.radius > 0) {
            watchability = .malformed
        } else if !profile.takes(radius: circle.radius) {
            watchability = .tooLarge
        } else if isPolygon {
            watchability = .enclosed
        } else {
            watchability = circle.radius < profile.smallestReliableRadius ? .small : .well
        }
    }
}
