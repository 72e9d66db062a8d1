import Geometry
import Model
import Monitor
import Store

/// Adds up the visits and the traveled distance of one device after the other.
struct ReportTable {
    private let question: ReportQuestion
    /// The rows of each period, by the id or the name of the thing that they are about.
    private var rows: [[String: ReportRow]]
    private(set) var count = 0
    /// The number of visits that are left out, because they are shorter than the requested minimum.
    var omittedVisits = 0
    /// The rows, by period and name, of which a visit continues now.
    private var ongoing: [Set<String>]

    init(_ question: ReportQuestion) {
        self.question = question
        rows = Array(repeating: [:], count: question.periods.count)
        ongoing = Array(repeating: [], count: question.periods.count)
    }

    /// The rows, sorted by period and name.
    var sorted: [ReportRow] {
        rows.indices.flatMap { span in
            rows[span].sorted { $0.key < $1.key }.map { name, row in
                var row = row
                if ongoing[span].contains(name) { row.lastOut = nil }
                return row
            }
        }
    }

    private mutating func change(_ name: String, in span: Int, _ body: (inout ReportRow) -> Void) {
        var row = rows[span][name] ?? ReportRow(question.periods[span])
        if rows[span][name] == nil { count += 1 }
        body(&row)
        rows[span][name] = row
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

    /// Adds the visits of a device to the rows of their geofences.
    mutating func addByGeofence(_ device: PicketStore.DeviceVisits) throws(Problem) {
        for index in periods(of: device.visits) {
            for part in try parts(of: device, in: question.periods[index]) {
                let seen = try device.seenSeconds(from: part.first, to: part.shownEnd)
                add([part], seen: seen, to: part.visit.geofenceId, in: index)
                change(part.visit.geofenceId, in: index) { row in
                    // The name of the newest version of the geofence in the period.
                    (row.geofenceId, row.geofenceName) = (part.visit.geofenceId, part.visit.geofenceName)
                }
            }
        }
    }

    /// Adds the visits of a device to the row of its id, or to those of its groups. Time in several geofences at once counts once.
    mutating func add(_ device: PicketStore.DeviceVisits, to names: [String]) throws(Problem) {
        for index in periods(of: device.visits) {
            for together in Self.joined(try parts(of: device, in: question.periods[index])) {
                let (first, end) = (together[0].first, together.map(\.shownEnd).max() ?? together[0].shownEnd)
                let seen = try device.seenSeconds(from: first, to: end)
                for name in names { add(together, seen: seen, to: name, in: index) }
            }
            for name in names where rows[index][name] != nil { setName(name, in: index) }
        }
    }

    private mutating func setName(_ name: String, in span: Int) {
        let subject = question.subject
        change(name, in: span) { row in
            if subject == .device { row.deviceId = name } else { row.group = name }
            row.distance = row.distance ?? 0
        }
    }

    private mutating func add(_ parts: [Part], seen: Double, to name: String, in span: Int) {
        if parts.contains(where: { $0.last == nil }) { ongoing[span].insert(name) }
        change(name, in: span) { row in
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
    ///   - names: The rows: its id, or its groups.
    mutating func addWay(of device: String, _ policy: DecisionPolicy, to names: [String], _ store: PicketStore) throws(Problem) {
        // Reports on one geofence have a row only where there are visits.
        let isNarrow = question.geofenceId != nil
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
            for name in names where !isNarrow || rows[index][name] != nil {
                setName(name, in: index)
                change(name, in: index) {
                    $0.distance = ($0.distance ?? 0) + way.meters
                    $0.outliers += way.outliers
                }
            }
        }
    }
}
