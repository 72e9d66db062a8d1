import Geodesy
import Model

/// The geofences that an engine judges by: one revision of the store's fences, laid out for speed.
///
/// What every fix looks at lies in flat arrays; what only a transition needs stays in the geofences themselves.
public struct FenceSet: Sendable {
    /// A fence with its number.
    public struct Entry: Sendable {
        public var key: FenceKey
        public var geofence: Geofence

        public init(key: FenceKey, geofence: Geofence) {
            self.key = key
            self.geofence = geofence
        }
    }

    /// The revision of the store's fences.
    public let revision: Int64
    /// The active fences, in the order given.
    public let entries: [Entry]
    /// Where each fence stands in `entries`, by the value of its key; −1 for none.
    private let positions: [Int32]
    let index: CellIndex
    /// The centre of each circle, by position; unused for polygons.
    let centers: [EarthVector]
    /// The square of the chord beyond which a place is surely outside of a circle; infinite for polygons, which a chord cannot
    /// settle.
    let reaches: [Double]
    /// Positions of fences that are not for everyone, or decide by a policy of their own.
    let special: [Bool]
    /// Whether any fence tells dwells.
    let hasDwells: Bool

    /// - Complexity: O(n log n) in the number of fences.
    public init(revision: Int64, _ fences: [Entry]) {
        self.revision = revision
        entries = fences.filter(\.geofence.isActive)
        var positions = [Int32](repeating: -1, count: Int((fences.map(\.key.value).max() ?? -1) + 1))
        var boxes: [BoundingBox] = []
        var centers: [EarthVector] = []
        var reaches: [Double] = []
        boxes.reserveCapacity(entries.count)
        centers.reserveCapacity(entries.count)
        reaches.reserveCapacity(entries.count)
        for (position, entry) in entries.enumerated() {
            positions[Int(entry.key.value)] = Int32(position)
            switch entry.geofence.shape {
            case .circle(let circle):
                boxes.append(BoundingBox(circle))
                centers.append(EarthVector(circle.center))
                let reach = EarthVector.surelyBeyond(length: circle.radius)
                reaches.append(reach * reach)
            case .polygons:
                boxes.append(entry.geofence.shape.boundingBox)
                centers.append(EarthVector(x: 0, y: 0, z: 0))
                reaches.append(.infinity)
            }
        }
        self.positions = positions
        self.centers = centers
        self.reaches = reaches
        index = CellIndex(boxes)
        hasDwells = entries.contains { $0.geofence.dwell != nil }
        special = entries.map { entry in
            !entry.geofence.devices.isEmpty || !entry.geofence.groups.isEmpty || !entry.geofence.policy.isEmpty
        }
    }

    /// Where a fence stands in `entries`; nil when it is not among the active ones.
    func position(of key: FenceKey) -> Int? {
        guard key.value >= 0, Int(key.value) < positions.count, positions[Int(key.value)] >= 0 else { return nil }
        return Int(positions[Int(key.value)])
    }

    /// The active geofence of that number.
    public func geofence(_ key: FenceKey) -> Geofence? { position(of: key).map { entries[$0].geofence } }

    /// The fences that are for some groups of devices only.
    public var keysForGroups: Set<FenceKey> { Set(entries.lazy.filter { !$0.geofence.groups.isEmpty }.map(\.key)) }

    /// The id of an active geofence; empty for others.
    func id(_ key: FenceKey) -> String { geofence(key)?.id ?? "" }
}
