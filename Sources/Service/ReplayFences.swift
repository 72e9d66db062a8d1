import Geodesy
import Model
import Monitor
import Store

/// The fences that a replay judges by: those of every revision in turn, as far as they can matter, or the same ones all the time.
final class ReplayFences {
    /// A change of the fences.
    struct Change {
        /// The first revision that has it.
        var revision: Int64
        /// Fences that are new or cover other ground.
        var changed: Set<FenceKey>
        var removed: Set<FenceKey>
    }

    /// The revisions that change something, ascending; none where the fences are the same all the time.
    private var breaks: [Int64] = []
    private var versions: [FenceKey: [RegionStore.FenceVersion]] = [:]
    /// The engine that was asked for last, and the revisions that it is for.
    private var current: (revisions: Range<Int64>, engine: TransitionEngine)?
    private let same: TransitionEngine?

    /// The same fences all the time.
    init(_ engine: TransitionEngine) { same = engine }

    /// The fences of every revision from one on, that lie near some places or are among those named.
    ///
    /// - Parameters:
    ///   - extent: Where the device was; nil for all fences.
    ///   - margin: The widest exit margin that the device was judged by, in metres.
    ///   - known: The fences that it has to do with at first.
    init(
        _ store: RegionStore, since revision: Int64, near extent: RegionStore.Extent?, margin: Double, known: Set<FenceKey>
    ) throws(Problem) {
        same = nil
        let box = extent.flatMap { Self.box($0, margin: margin) }
        try store.forEachVersion(since: revision, latitudes: box.map { $0.south...$0.north }, known: known) { version in
            if let box, !known.contains(version.key), !version.geofence.shape.boundingBox.intersects(box) { return }
            versions[version.key, default: []].append(version)
        }
        findBreaks()
    }

    /// Some fences alone, as they were at every revision.
    init(_ store: RegionStore, only keys: Set<FenceKey>) throws(Problem) {
        same = nil
        for version in try store.fenceVersions(keys) { versions[version.key, default: []].append(version) }
        findBreaks()
    }

    private func findBreaks() {
        breaks = Set(versions.values.joined().flatMap { [$0.start, $0.end].compactMap { $0 } }).sorted()
    }

    /// The box in which a fence has to lie to matter to a device; nil where none can be told: around the antimeridian and the poles.
    private static func box(_ extent: RegionStore.Extent, margin: Double) -> BoundingBox? {
        // From fix to fix a device need not keep to lines of latitude; a kilometre is more than that in minutes.
        // Of a coarse fix twice its accuracy counts.
        let reach = (2 * extent.accuracy + margin + 1000) / WGS84.shortestDegreeOfLatitude
        let widest = max(abs(extent.north), abs(extent.south)) + reach
        guard extent.east - extent.west < 180, widest < 85 else { return nil }
        let wide = reach / cos(widest.radians)
        return BoundingBox(
            south: extent.south - reach, north: extent.north + reach, west: extent.west - wide, east: extent.east + wide)
    }

    /// The engine over the fences of a revision.
    func engine(at revision: Int64) -> TransitionEngine {
        if let same { return same }
        if let current, current.revisions.contains(revision) { return current.engine }
        let entries = versions.keys.sorted().compactMap { key in
            version(of: key, at: revision).map { FenceSet.Entry(key: key, geofence: $0.geofence) }
        }
        let engine = TransitionEngine(fences: FenceSet(revision: revision, entries))
        let from = breaks.last { $0 <= revision } ?? .min
        current = (from..<(breaks.first { $0 > revision } ?? .max), engine)
        return engine
    }

    /// A fence as it was at a revision.
    func geofence(_ key: FenceKey, at revision: Int64) -> Geofence? {
        same?.fences.geofence(key) ?? version(of: key, at: revision)?.geofence
    }

    private func version(of key: FenceKey, at revision: Int64) -> RegionStore.FenceVersion? {
        versions[key]?.first { $0.holds(at: revision) }
    }

    /// The next change after one revision, up to another; nil when nothing that matters changes.
    func nextChange(after revision: Int64, upTo last: Int64) -> Change? {
        guard let next = breaks.first(where: { $0 > revision }), next <= last else { return nil }
        var change = Change(revision: next, changed: [], removed: [])
        for key in versions.keys {
            let (old, new) = (version(of: key, at: next - 1), version(of: key, at: next))
            switch (old?.geofence, new?.geofence) {
            case (let old?, let new?): if !old.coversAlike(new) { change.changed.insert(key) }
            case (nil, .some): change.changed.insert(key)
            case (.some, nil): change.removed.insert(key)
            case (nil, nil): break
            }
        }
        return change
    }
}
