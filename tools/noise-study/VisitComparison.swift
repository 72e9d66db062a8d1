import Geodesy

/// The result of comparing the visits that the engine reported for one area with the true ones.
/// docs/internals/noise-study.md describes how it counts.
struct VisitComparison: Sendable {
    /// The properties by which a visit is sorted into the parts of the study.
    struct VisitProperties: Sendable {
        var kind: Journey.Kind
        /// The radius of the area in meters.
        var radius: Double
        /// The standard deviation in meters of the noise on each axis at the start of the visit.
        var sigma: Double
        /// The maximum distance in meters from a position inside the area to the boundary; nil for a reported visit that belongs
        /// to no true visit.
        var deepest: Double?
    }

    /// A true visit during which the device reported, and what the engine reported about the visit.
    struct Visit: Sendable {
        var facts: VisitProperties
        /// The seconds of the visit outside holes.
        var seenSeconds: Double
        /// The number of true transitions of the visit: its enter and its exit, as far as they happened during the journey.
        var transitions: Int
        /// Whether no reported visit belongs to the true visit or lasts through it.
        var isMissed: Bool
        /// Seconds from the true enter to its confirmation by the engine; negative if the confirmation came first. Nil if the engine did
        /// not report this enter on its own, or if the true enter lies in a hole.
        /// Seconds from the true exit to its confirmation, nil under the same conditions.
        var enterDelay: Double?
        var exitDelay: Double?
        /// The absolute difference in seconds between the true enter and the reported time of it; nil like `enterDelay`.
        /// The absolute difference in seconds between the true exit and the reported time of it; nil like `exitDelay`.
        var enterError: Double?
        var exitError: Double?
    }

    /// A reported visit that is wrong.
    struct FalseVisit: Sendable {
        var facts: VisitProperties
        var transitions: Int
        /// Whether the reported visit overlaps a true visit to which another reported visit already belongs.
        var isPiece: Bool
    }

    var visits: [Visit] = []
    var falseVisits: [FalseVisit] = []
    /// The number of true visits of which less than one interval lay outside holes. These count neither as seen nor as missed.
    var unseen = 0
    /// The absences between two consecutive seen visits: their seconds outside holes, and whether one reported visit lasted through both
    /// visits.
    var absences: [(facts: VisitProperties, seen: Double, isMissed: Bool)] = []

    /// Compares reported visits with true ones.
    ///
    /// - Parameters:
    ///   - truth: The true visits in order of time.
    ///   - reported: The visits that the engine reported, in order of time.
    ///   - holes: The stretches of the journey without plain fixes.
    ///   - interval: Seconds between two fixes.
    ///   - sigmas: The standard deviation in meters of the noise on each axis, at each second of the journey.
    init(
        _ truth: [TrueVisit], _ reported: [ReportedVisit], holes: Holes, interval: Double, radius: Double, kind: Journey.Kind,
        sigmas: [Double]
    ) {
        func facts(at second: Double, deepest: Double?) -> VisitProperties {
            VisitProperties(
                kind: kind, radius: radius, sigma: sigmas[min(sigmas.count - 1, max(0, Int(second)))], deepest: deepest)
        }
        let tolerance = interval + VisitComparison.slack
        /// The seconds that two visits have in common; negative if they do not overlap.
        func overlap(_ visit: TrueVisit, _ other: ReportedVisit) -> Double {
            min(visit.exit, other.exit) - max(visit.enter, other.enter)
        }

        // A reported visit belongs to the true visit with which it has the most time in common.
        var pieces = [[Int]](repeating: [], count: truth.count)
        var touched = [ClosedRange<Int>?](repeating: nil, count: reported.count)
        for (number, other) in reported.enumerated() {
            let near = truth.indices.filter { overlap(truth[$0], other) >= -tolerance }
            guard let owner = near.max(by: { overlap(truth[$0], other) < overlap(truth[$1], other) }) else {
                let transitions = (other.hasEnter ? 1 : 0) + (other.hasExit ? 1 : 0)
                falseVisits.append(
                    FalseVisit(facts: facts(at: other.enter, deepest: nil), transitions: transitions, isPiece: false))
                continue
            }
            let common = near.filter { $0 == owner || overlap(truth[$0], other) >= 0 }
            touched[number] = (common.min() ?? owner)...(common.max() ?? owner)
            if !pieces[owner].isEmpty {
                falseVisits.append(
                    FalseVisit(facts: facts(at: other.enter, deepest: truth[owner].deepest), transitions: 2, isPiece: true))
            }
            pieces[owner].append(number)
        }

        var lastSeen: Int?
        for (index, visit) in truth.enumerated() {
            let seen = visit.exit - visit.enter - holes.length(from: visit.enter, to: visit.exit)
            guard seen >= interval else {
                unseen += 1
                continue
            }
            let touching = reported.indices.filter { touched[$0]?.contains(index) ?? false }
            let facts = facts(at: visit.enter, deepest: visit.deepest)
            var evaluated = Visit(
                facts: facts, seenSeconds: seen, transitions: (visit.hasEnter ? 1 : 0) + (visit.hasExit ? 1 : 0),
                isMissed: touching.isEmpty)
            if visit.hasEnter, !holes.contains(visit.enter), let first = touching.first, reported[first].hasEnter,
                touched[first]?.lowerBound == index
            {
                evaluated.enterDelay = reported[first].enterConfirmed - visit.enter
                evaluated.enterError = abs(reported[first].enter - visit.enter)
            }
            if visit.hasExit, !holes.contains(visit.exit), let last = touching.last, reported[last].hasExit,
                touched[last]?.upperBound == index
            {
                evaluated.exitDelay = reported[last].exitConfirmed - visit.exit
                evaluated.exitError = abs(reported[last].exit - visit.exit)
            }
            visits.append(evaluated)
            if let before = lastSeen, before == index - 1 {
                let from = truth[before].exit
                let isMissed = touching.contains { touched[$0]?.contains(before) ?? false }
                absences.append((facts, visit.enter - from - holes.length(from: from, to: visit.enter), isMissed))
            }
            lastSeen = index
        }
    }

    /// The seconds, in addition to the interval, by which a reported visit may lie before or after a true visit and still belong to that
    /// visit.
    static let slack = 30.0
}

/// The stretches of a journey in which no observer can know where the device is: the time between two consecutive plain fixes
/// that are more than two and a half intervals apart.
struct Holes: Sendable {
    private var stretches: [ClosedRange<Double>] = []

    /// Finds the holes between the plain readings, from the start of the journey to `end`. Times are seconds since the start.
    init(_ readings: [Receiver.Reading], interval: Int, end: Double) {
        var last = 0.0
        func record(_ next: Double) {
            if next - last > 2.5 * Double(interval) { stretches.append(last...next) }
            last = next
        }
        for reading in readings where reading.isPlain { record(Double(reading.second)) }
        record(end)
    }

    /// Whether a moment lies in a hole.
    func contains(_ moment: Double) -> Bool { length(from: moment, to: moment + 1e-6) > 0 }

    /// The seconds between `start` and `end` that lie in holes.
    ///
    /// - Complexity: O(log *n* + *k*) with *n* holes, of which *k* overlap the range.
    func length(from start: Double, to end: Double) -> Double {
        // Binary search for the first hole that ends after `start`.
        var low = 0
        var high = stretches.count
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].upperBound <= start { low = middle + 1 } else { high = middle }
        }
        var total = 0.0
        for stretch in stretches[low...] {
            if stretch.lowerBound >= end { break }
            total += min(end, stretch.upperBound) - max(start, stretch.lowerBound)
        }
        return total
    }
}
