import Geodesy
import Model
import Registry

/// Which regions an operating system watched at which time, as the region lists of a log and a snapshot show.
struct RegionTimeline {
    /// A region that was listed for a geofence.
    struct HeldRegion: Hashable {
        var circle: Circle
        var notifyOnEntry: Bool
        var notifyOnExit: Bool

        init(_ region: Region) {
            circle = region.circle
            notifyOnEntry = region.notifyOnEntry
            notifyOnExit = region.notifyOnExit
        }
    }

    /// What the lists show for a geofence at a moment.
    enum Answer {
        /// There is no list.
        case unknown
        case absent(list: Int)
        case held(HeldRegion, list: Int)
    }

    /// A change between two lists: the region from this list on; nil if there is none.
    private struct Change {
        var list: Int
        var region: HeldRegion?
    }

    /// A region under an identifier that no geofence has.
    private struct UnknownRegion {
        var id: RegionID
        var circle: Circle
        /// The lists that have it: the first one, and the first one after it that does not have it.
        var lists: Range<Int>
    }

    /// The time of each list. The time of a list without one is `Instant.earliest`.
    private(set) var times: [Instant] = []
    /// The number of regions of each list, including foreign ones.
    private(set) var counts: [Int] = []
    /// The changes of each geofence, by number, in order.
    private var changes: [Int: [Change]] = [:]
    private var current: [Int: HeldRegion] = [:]
    private var unknown: [Cell: [UnknownRegion]] = [:]
    private var listedUnknown: Set<RegionID> = []
    private var currentUnknown: [RegionID: (cell: Cell, index: Int)] = [:]

    /// About a meter of latitude: regions with centers in the same or an adjacent cell are around the same place.
    private struct Cell: Hashable {
        var latitude: Int
        var longitude: Int

        init(_ center: Coordinate) {
            latitude = Int((center.latitude * 1e5).rounded(.down))
            longitude = Int((center.longitude * 1e5).rounded(.down))
        }

        var neighborhood: [Cell] {
            (-1...1).flatMap { north in
                (-1...1).map { east in
                    var cell = self
                    cell.latitude += north
                    cell.longitude += east
                    return cell
                }
            }
        }
    }

    /// Adds a list that is newer than those before.
    ///
    /// - Parameter number: Returns the number of a region's geofence; nil if no geofence has the identifier.
    mutating func add(_ regions: [Region], at moment: Instant, number: (RegionID) -> Int?) {
        let list = times.count
        times.append(moment)
        counts.append(regions.count)
        var held: [Int: HeldRegion] = [:]
        var heldUnknown: [RegionID: (cell: Cell, index: Int)] = [:]
        for region in regions {
            if let number = number(region.id) {
                held[number] = HeldRegion(region)
            } else if region.id != .sentinel, heldUnknown[region.id] == nil {
                heldUnknown[region.id] = addUnknown(region, in: list)
            }
        }
        for (number, region) in held where current[number] != region {
            changes[number, default: []].append(Change(list: list, region: region))
        }
        for number in current.keys where held[number] == nil {
            changes[number, default: []].append(Change(list: list, region: nil))
        }
        current = held
        currentUnknown = heldUnknown
    }

    /// Extends the time of an unknown region by a list, or begins a new one.
    private mutating func addUnknown(_ region: Region, in list: Int) -> (cell: Cell, index: Int) {
        if let place = currentUnknown[region.id], unknown[place.cell]?[place.index].circle == region.circle {
            let first = unknown[place.cell]?[place.index].lists.lowerBound ?? list
            unknown[place.cell]?[place.index].lists = first..<list + 1
            return place
        }
        listedUnknown.insert(region.id)
        let cell = Cell(region.circle.center)
        unknown[cell, default: []].append(UnknownRegion(id: region.id, circle: region.circle, lists: list..<list + 1))
        return (cell, (unknown[cell]?.count ?? 1) - 1)
    }

    // MARK: - Questions

    /// The list that applies at a moment: the last one up to then, or else the first one.
    func list(at moment: Instant) -> Int? {
        if times.isEmpty { return nil }
        return max(times.partitioningIndex { $0 > moment } - 1, 0)
    }

    /// What is known about a geofence at a moment.
    func answer(for number: Int, at moment: Instant) -> Answer {
        guard let list = list(at: moment) else { return .unknown }
        return answer(for: number, inList: list)
    }

    func answer(for number: Int, inList list: Int) -> Answer {
        guard times.indices.contains(list) else { return .unknown }
        let own = changes[number] ?? []
        let last = own.partitioningIndex { $0.list > list } - 1
        guard last >= 0, let region = own[last].region else { return .absent(list: list) }
        return .held(region, list: list)
    }

    /// Whether a list has an identifier that no geofence has.
    func hasListed(_ id: RegionID) -> Bool { listedUnknown.contains(id) }

    /// The maximum number of unknown regions around one place that are considered.
    private static let mostAroundOnePlace = 1000

    /// The identifier of an unknown region around the same place as a circle, in a list; nil if there is none.
    func unknownRegion(around circle: Circle, inList list: Int) -> RegionID? {
        for cell in Cell(circle.center).neighborhood {
            if let found = unknown[cell]?.prefix(Self.mostAroundOnePlace).first(where: {
                $0.lists.contains(list) && ($0.circle.radius - circle.radius).magnitude <= max(1, circle.radius * 0.01)
            }) {
                return found.id
            }
        }
        return nil
    }
}
