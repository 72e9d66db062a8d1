import Geodesy
import Model
import Registry

/// All geofences as one platform's operating system would watch them, for any number of devices. They are built once, and updated
/// with each edit of a geofence.
///
/// Each geofence has a number. The numbers follow the order of the ids, so ties are resolved by id without comparing strings.
public struct RegionCandidates: Sendable {
    /// How well the operating system can watch a geofence.
    public enum Watchability: Hashable, Sendable {
        /// The operating system watches the geofence as it is.
        case well
        /// The radius is below the smallest radius that the operating system watches reliably.
        case small
        /// A polygon, watched by its enclosing circle.
        case enclosed
        /// The radius is over the largest that the operating system accepts. The geofence is never registered, but the sentinel guards it.
        case tooLarge
        /// The shape is not a valid circle: its radius is not a positive number, or its center is not a valid coordinate.
        case malformed

        /// Whether the geofence can be registered.
        public var isWatchable: Bool { self != .tooLarge && self != .malformed }
    }

    /// A geofence as the operating system would watch it.
    public struct RegionCandidate: Sendable {
        /// The geofence's id.
        public var id: String
        /// The geofence's name for people.
        public var name: String
        /// The circle to register.
        public var circle: Circle
        /// The geofence's priority: the higher one is registered if there are too few slots.
        public var priority: Int
        /// Whether the geofence is active; an inactive one is never registered.
        public var isActive: Bool
        /// How well the operating system can watch the geofence.
        public internal(set) var watchability = Watchability.well
        /// Whether the geofence is a polygon, of which `circle` is the enclosing circle.
        let isPolygon: Bool
        var center: EarthVector
        /// The radius in meters that the operating system really uses.
        var usedRadius: Double
        /// The ids of the devices that the geofence names; empty if it names none.
        var devices: [String]
        /// The groups that the geofence names; empty if it names none.
        var groups: [String]

        /// The identifier of the geofence's region.
        public var regionID: RegionID { RegionID(geofence: id) }

        /// The region to register.
        public var region: Region { Region(id: regionID, circle: circle) }

        /// A lower bound of the distance from a point to the circle's boundary, in meters.
        func distance(from place: EarthVector) -> Double {
            BoundaryTree.distance(chord: place.chordSquared(to: center).squareRoot(), radius: usedRadius)
        }

        /// Whether the geofence is active and applies to the device.
        public func applies(to device: Device) -> Bool {
            isActive
                && ((devices.isEmpty && groups.isEmpty) || devices.contains(device.id)
                    || groups.contains(where: device.groups.contains))
        }
    }

    /// The devices that a geofence is for.
    private enum Recipients: Hashable {
        case everyone
        case device(String)
        case group(String)
    }

    /// How the platform's operating system handles regions.
    public private(set) var profile: PlatformProfile
    /// The geofences, sorted by id. The index is the geofence's number.
    public private(set) var entries: [RegionCandidate]
    private var audiences: [Recipients: FenceAudience] = [:]

    /// Creates candidates of all geofences.
    ///
    /// - Parameters:
    ///   - fences: The geofences. Each id occurs once.
    ///   - profile: How the platform's operating system handles regions.
    /// - Complexity: O(n log n).
    public init(_ fences: some Sequence<Geofence>, profile: PlatformProfile) {
        self.init(fences.map { RegionCandidate($0, for: profile) }, profile: profile)
    }

    /// Creates candidates of geofences that were converted for the same profile.
    ///
    /// - Complexity: O(n log n).
    package init(_ entries: consuming [RegionCandidate], profile: PlatformProfile) {
        self.profile = profile
        entries.sort { $0.id < $1.id }
        self.entries = entries
        addToAudiences(self.entries.indices.map { Int32($0) })
    }

    /// Applies changes of geofences. The result equals candidates that are built from all geofences again.
    ///
    /// - Parameters:
    ///   - fences: New and changed geofences. Each id occurs once.
    ///   - removed: Ids of removed geofences, none of which is in `fences`. Unknown ids are ignored.
    /// - Complexity: O(n + k log n) for n geofences and k changes: a few milliseconds for 100,000 geofences.
    public mutating func apply(put fences: some Sequence<Geofence>, removed: some Sequence<String>) {
        let changed = fences.map { RegionCandidate($0, for: profile) }.sorted { $0.id < $1.id }
        let gone = Set(removed.compactMap { number(ofGeofence: $0) })
        let replaced = changed.map { number(ofGeofence: $0.id) }
        // The new number of each entry, indexed by old number. −1 for entries that are removed, and for changed ones, which may apply to
        // other devices now and are added again below.
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

    /// All entries sorted by id, and the new number of each old entry: −1 if it is removed or replaced.
    private func merged(with changed: [RegionCandidate], without gone: Set<Int>) -> ([RegionCandidate], [Int32]) {
        var all: [RegionCandidate] = []
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

    /// Adds entries (numbers ascending) to the audiences of the devices and groups that they apply to.
    private mutating func addToAudiences(_ numbers: [Int32]) {
        var byWhom: [Recipients: [Int32]] = [:]
        for number in numbers where entries[Int(number)].isActive {
            let entry = entries[Int(number)]
            var whom = Set(entry.devices.map(Recipients.device) + entry.groups.map(Recipients.group))
            if whom.isEmpty { whom = [.everyone] }
            for whom in whom { byWhom[whom, default: []].append(number) }
        }
        for (whom, added) in byWhom {
            audiences[whom, default: FenceAudience(appliesToEveryone: whom == .everyone)].add(added, entries)
        }
    }

    /// The same geofences with another profile of the same platform, for devices whose registry has its own rules.
    ///
    /// - Complexity: O(1), or O(n log n) for n geofences if the largest radius differs.
    public func with(_ profile: PlatformProfile) -> RegionCandidates {
        var copy = self
        copy.profile = profile
        guard profile.largestRadius != self.profile.largestRadius else { return copy }
        for number in copy.entries.indices { copy.entries[number].rate(for: profile) }
        copy.audiences.removeAll()
        copy.addToAudiences(entries.indices.map { Int32($0) })
        return copy
    }

    /// The number of a region's geofence, active or not; nil if the geofence does not exist.
    ///
    /// - Complexity: O(log n).
    public func number(of region: RegionID) -> Int? { region.geofence.flatMap { number(ofGeofence: $0) } }

    /// The number of a geofence, active or not; nil if the id is unknown.
    private func number(ofGeofence id: String) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }

    /// The geofence with this id; nil if the id is unknown.
    public subscript(id: String) -> RegionCandidate? { number(ofGeofence: id).map { entries[$0] } }

    /// The active geofences that apply to a device.
    package func fences(for device: Device) -> DeviceFences {
        var parts: [FenceAudience] = []
        if let everyone = audiences[.everyone] { parts.append(everyone) }
        if let own = audiences[.device(device.id)] { parts.append(own) }
        for group in Set(device.groups).sorted() { if let group = audiences[.group(group)] { parts.append(group) } }
        return DeviceFences(parts: parts, entries: entries)
    }
}

extension RegionCandidates.RegionCandidate {
    /// Creates the geofence as a platform's operating system would watch it.
    ///
    /// - Parameters:
    ///   - fence: The geofence.
    ///   - profile: How the platform's operating system handles regions.
    public init(_ fence: Geofence, for profile: PlatformProfile) {
        id = fence.id
        name = fence.name
        priority = fence.priority
        isActive = fence.isActive
        devices = fence.devices
        groups = fence.groups
        switch fence.shape {
        case .circle(let own): (circle, isPolygon) = (own, false)
        case .polygons(let polygons): (circle, isPolygon) = (Circle(enclosing: polygons), true)
        }
        center = EarthVector(circle.center)
        usedRadius = profile.usedRadius(circle.radius)
        rate(for: profile)
    }

    /// Determines how well an operating system with this profile can watch the geofence.
    fileprivate mutating func rate(for profile: PlatformProfile) {
        if !circle.center.isValid || !(circle.radius > 0) {
            watchability = .malformed
        } else if !profile.accepts(radius: circle.radius) {
            watchability = .tooLarge
        } else if isPolygon {
            watchability = .enclosed
        } else {
            watchability = circle.radius < profile.smallestReliableRadius ? .small : .well
        }
    }
}
