import Geodesy
import Model
import Registry

/// All geofences as one kind of operating system would watch them, for any number of devices. Built once, and then changed with each edit
/// of a geofence.
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

        public var regionID: RegionID { RegionID(geofence: id) }

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

    private enum Whom: Hashable {
        case everyone
        case device(String)
        case group(String)
    }

    public private(set) var profile: PlatformProfile
    /// By number.
    public private(set) var entries: [Entry]
    private var audiences: [Whom: FenceAudience] = [:]

    /// - Parameters:
    ///   - enclosing: the circle to watch in place of polygons.
    /// - Complexity: O(n log n).
    public init(
        _ fences: some Sequence<Geofence>, profile: PlatformProfile,
        enclosing: ([Polygon]) -> Circle = { Circle(enclosing: $0) }
    ) {
        self.profile = profile
        entries = fences.map { Entry($0, profile, enclosing) }.sorted { $0.id < $1.id }
        addToAudiences(entries.indices.map { Int32($0) })
    }

    /// Takes over changes of geofences. Afterward the catalogue answers as one that is made of all geofences anew.
    ///
    /// - Parameters:
    ///   - fences: New and changed geofences, each id once.
    ///   - removed: The ids of geofences that are no more, none of them among `fences`. Unknown ids are ignored.
    ///   - enclosing: The circle to watch in place of polygons.
    /// - Complexity: O(n + k log n) for n fences and k changes: some milliseconds for 100,000 fences.
    public mutating func apply(
        put fences: some Sequence<Geofence>, removed: some Sequence<String>,
        enclosing: ([Polygon]) -> Circle = { Circle(enclosing: $0) }
    ) {
        let changed = fences.map { Entry($0, profile, enclosing) }.sorted { $0.id < $1.id }
        let gone = Set(removed.compactMap { number(ofGeofence: $0) })
        let replaced = changed.map { number(ofGeofence: $0.id) }
        // The new number of each entry by its old one; −1 for one that is removed, or that may be for other devices now.
        var numbers: [Int32]
        if gone.isEmpty, !replaced.contains(nil) {
            numbers = Array(0..<Int32(entries.count))
            for case (let entry, let number?) in zip(changed, replaced) {
                entries[number] = entry
                numbers[number] = -1
            }
        } else {
            (entries, numbers) = merged(with: changed, without: gone)
        }
        for whom in Array(audiences.keys) {
            audiences[whom]?.renumber(numbers, entries)
            if audiences[whom]?.all.isEmpty == true { audiences[whom] = nil }
        }
        addToAudiences(changed.compactMap { entry in number(ofGeofence: entry.id).map { Int32($0) } })
    }

    /// The entries and others in one order of ids; with the new number of each old entry, −1 for one that is gone or replaced.
    private func merged(with changed: [Entry], without gone: Set<Int>) -> ([Entry], [Int32]) {
        var all: [Entry] = []
        all.reserveCapacity(entries.count + changed.count)
        var numbers = [Int32](repeating: -1, count: entries.count)
        var rest = changed[...]
        for (number, entry) in entries.enumerated() {
            while let next = rest.first, next.id < entry.id { all.append(rest.removeFirst()) }
            if gone.contains(number) || rest.first?.id == entry.id { continue }
            numbers[number] = Int32(all.count)
            all.append(entry)
        }
        return (all + rest, numbers)
    }

    /// Adds entries, by number ascending, to what is known of the devices that they are for.
    private mutating func addToAudiences(_ numbers: [Int32]) {
        var byWhom: [Whom: [Int32]] = [:]
        for number in numbers where entries[Int(number)].isActive {
            let entry = entries[Int(number)]
            var whom = Set(entry.devices.map(Whom.device) + entry.groups.map(Whom.group))
            if whom.isEmpty { whom = [.everyone] }
            for whom in whom { byWhom[whom, default: []].append(number) }
        }
        for (whom, added) in byWhom {
            audiences[whom, default: FenceAudience(isEveryones: whom == .everyone)].add(added, entries)
        }
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
    ///
    /// - Complexity: O(log n).
    public func number(of region: RegionID) -> Int? { region.geofence.flatMap { number(ofGeofence: $0) } }

    /// The number of a geofence, active or not; nil when there is none of that id.
    private func number(ofGeofence id: String) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }

    /// A fence by its id.
    public subscript(id: String) -> Entry? { number(ofGeofence: id).map { entries[$0] } }

    /// The fences that are for a device.
    func audience(of device: Device) -> DeviceFences {
        var parts: [FenceAudience] = []
        if let everyone = audiences[.everyone] { parts.append(everyone) }
        if let own = audiences[.device(device.id)] { parts.append(own) }
        for group in Set(device.groups).sorted() { if let group = audiences[.group(group)] { parts.append(group) } }
        return DeviceFences(parts: parts, entries: entries)
    }
}

extension FenceCatalogue.Entry {
    /// - Parameter enclosing: The circle to watch in place of polygons.
    public init(
        _ fence: Geofence, _ profile: PlatformProfile, _ enclosing: ([Polygon]) -> Circle = { Circle(enclosing: $0) }
    ) {
        id = fence.id
        name = fence.name
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
