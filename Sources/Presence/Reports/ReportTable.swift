import Geometry
import Model
import Monitor
import Store

/// Adds up the visits and the traveled distance of one device after the other.
struct ReportTable {
    private let question: ReportQuestion
    /// The ids or the names of the things that a row is about, in the order of the question's subjects.
    private typealias Key = [String]

    /// The rows of each period.
    private var rows: [[Key: ReportRow]]
    private(set) var count = 0
    /// The number of visits that are left out, because they are shorter than the requested minimum.
    var omittedVisits = 0
    /// The rows of each period of which a visit continues now.
    private var ongoing: [Set<Key>]

    init(_ question: ReportQuestion) {
        self.question = question
        rows = Array(repeating: [:], count: question.periods.count)
        ongoing = Array(repeating: [], count: question.periods.count)
    }

    /// The rows, sorted by period and key.
    var sorted: [ReportRow] {
        rows.indices.flatMap { span in
            rows[span].sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, row in
                var row = row
                if ongoing[span].contains(key) { row.lastOut = nil }
                return row
            }
        }
    }

    private mutating func change(_ key: Key, in span: Int, _ body: (inout ReportRow) -> Void) {
        var row = rows[span][key] ?? newRow(key, in: span)
        if rows[span][key] == nil { count += 1 }
        body(&row)
        rows[span][key] = row
    }

    private func newRow(_ key: Key, in span: Int) -> ReportRow {
        var row = ReportRow(question.periods[span])
        for (subject, name) in zip(question.subjects, key) {
            switch subject {
            case .geofence: row.geofenceId = name
            case .device: row.deviceId = name
            case .group: row.group = name
            }
        }
        if question.hasDistance { row.distance = 0 }
        return row
    }

    /// The keys of the rows to which a device in some groups, in a geofence, belongs.
    private func keys(of device: String, in groups: [String], _ geofence: String = "") -> [Key] {
        question.subjects.reduce([[]]) { keys, subject in
            let names =
                switch subject {
                case .geofence: [geofence]
                case .device: [device]
                case .group: groups
                }
            return keys.flatMap { key in names.map { key + [$0] } }
        }
    }

    // MARK: - Visits

    /// The part of a visit within a period. `last` is nil while the visit continues.
    private struct Part {
        var visit: Visit
        var first: Instant
        var last: Instant?
        /// The end of the part; the period's end while the visit continues.
        var end: Instant
        /// The time up to which positions show that the device was there.
        var shownEnd: Instant
    }

    /// The periods in which visits can have a part.
    private func periods(of visits: [Visit]) -> Range<Int> {
        guard let first = visits.map(\.enteredAt).min(), let last = visits.map({ $0.exitedAt ?? question.now }).max() else {
            return 0..<0
        }
        let start = question.periods.firstIndex { $0.to > first } ?? question.periods.endIndex
        let end = question.periods.lastIndex { $0.from <= max(first, last) }.map { $0 + 1 } ?? 0
        return start..<max(start, end)
    }

    /// The parts of a device's visits in a period, in order of time.
    ///
    /// A silent device stays inside until it is seen elsewhere. A visit that neither begins nor ends in the period has no part in it if the
    /// device was not seen in the whole period.
    private func parts(
        of device: PicketStore.DeviceVisits, in period: ReportPeriod
    ) throws(Problem) -> [Part] {
        var parts: [Part] = []
        var isSilent: Bool?
        for visit in device.visits {
            // A visit that continues lasts until now, but positions whose times are slightly ahead of the clock belong to it.
            let end = visit.exitedAt ?? max(question.now, visit.enteredAt)
            guard visit.enteredAt < period.to, end > period.from || visit.enteredAt >= period.from else { continue }
            if visit.enteredAt < period.from, visit.exitedAt.map({ $0 > period.to }) ?? true {
                if isSilent == nil { isSilent = try device.seenSeconds(from: period.from, to: period.to) == 0 }
                if isSilent == true { continue }
            }
            let goesOn = visit.exitedAt == nil && period.to >= question.now
            let partEnd = visit.exitedAt.map { min($0, period.to) } ?? period.to
            parts.append(
                Part(
                    visit: visit, first: max(visit.enteredAt, period.from), last: goesOn ? nil : min(end, period.to),
                    end: partEnd,
                    shownEnd: min(try device.shownEnd(of: visit) ?? partEnd, partEnd)))
        }
        return parts
    }

    /// Adds the visits of a device in some groups. In rows that are not about one geofence, time in several geofences at once counts once.
    mutating func add(_ device: PicketStore.DeviceVisits, in groups: [String]) throws(Problem) {
        for index in periods(of: device.visits) {
            let parts = try parts(of: device, in: question.periods[index])
            for together in question.subjects.contains(.geofence) ? parts.map({ [$0] }) : Self.joined(parts) {
                let (first, end) = (together[0].first, together.map(\.shownEnd).max() ?? together[0].shownEnd)
                let seen = try device.seenSeconds(from: first, to: end)
                for key in keys(of: device.deviceId, in: groups, together[0].visit.geofenceId) {
                    add(together, seen: seen, to: key, in: index)
                }
            }
        }
    }

    private mutating func add(_ parts: [Part], seen: Double, to key: Key, in span: Int) {
        if parts.contains(where: { $0.last == nil }) { ongoing[span].insert(key) }
        change(key, in: span) { row in
            // The name of the newest version of the geofence in the period.
            if row.geofenceId != nil { row.geofenceName = parts[0].visit.geofenceName }
            row.visits += parts.count
            row.firstIn = (parts.map(\.first) + [row.firstIn].compactMap(\.self)).min()
            row.lastOut = (parts.map { $0.last ?? $0.end } + [row.lastOut].compactMap(\.self)).max()
            row.seenSeconds += seen
        }
    }

    /// The parts whose shown times overlap or touch, together.
    private static func joined(_ parts: [Part]) -> [[Part]] {
        var joined: [[Part]] = []
        var end: Instant?
        for part in parts.sorted(by: { $0.first < $1.first }) {
            if let before = end, part.first <= before {
                joined[joined.endIndex - 1].append(part)
                end = max(before, part.shownEnd)
            } else {
                joined.append([part])
                end = part.shownEnd
            }
        }
        return joined
    }

    // MARK: - Distances

    /// Adds the distances between a device's positions, without outliers. The distance to a position, or an outlier, counts in
    /// the period of that position.
    ///
    /// - Parameters:
    ///   - policy: The policy of the device, which identifies outliers by their speed.
    ///   - groups: The groups of the device that have rows.
    mutating func addWay(
        of device: String, _ policy: DecisionPolicy, in groups: [String], _ store: PicketStore
    ) throws(Problem) {
        // Reports on some geofences have a row only where there are visits.
        let isNarrow = !question.geofenceIds.isEmpty
        let keys = keys(of: device, in: groups)
        var ways: [(meters: Double, outliers: Int)?] = Array(repeating: nil, count: question.periods.count)
        var track = OutlierFilter(policy)
        var span = 0
        func countOutlier(_ fix: Fix?) {
            guard let fix, fix.time >= question.since,
                let span = question.periods[...span].lastIndex(where: { fix.time >= $0.from })
            else { return }
            ways[span]?.outliers += 1
        }
        try store.forEachFix(of: device, since: question.since, until: question.until) { fix in
            let step = track.add(fix)
            if fix.time >= question.since {
                while span + 1 < question.periods.count, fix.time >= question.periods[span].to { span += 1 }
                let meters = step.start.map { Geodesic.distance($0.coordinate, fix.coordinate) } ?? 0
                ways[span] = ((ways[span]?.meters ?? 0) + meters, ways[span]?.outliers ?? 0)
            }
            countOutlier(step.outlier)
        }
        countOutlier(track.unconfirmed)
        for (index, way) in ways.enumerated() {
            guard let way else { continue }
            for key in keys where !isNarrow || rows[index][key] != nil {
                change(key, in: index) {
                    $0.distance = ($0.distance ?? 0) + way.meters
                    $0.outliers += way.outliers
                }
            }
        }
    }
}
