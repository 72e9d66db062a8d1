import Model
import TestSupport

/// People who stay, travel and stay again for ten days with devices that report rarely, observed under several policies.
struct SparseStudy: Sendable {
    var seed: UInt64
    var people: Int
    var patterns = ReportingPattern.all
    var policies: [DecisionPolicy]
    private static let seconds = 10 * 86_400

    /// The tallies by pattern, then by policy. They do not depend on the order in which people finish.
    func run() async -> [[SparseTally]] {
        await withTaskGroup(of: [[SparseTally]].self) { group in
            var random = SeededRandom(seed: seed)
            for _ in 0..<people {
                let seed = random.next()
                group.addTask { run(seed: seed) }
            }
            var total = patterns.map { _ in policies.map { _ in SparseTally() } }
            for await part in group {
                for row in total.indices { for column in total[row].indices { total[row][column] += part[row][column] } }
            }
            return total
        }
    }

    private func run(seed: UInt64) -> [[SparseTally]] {
        let journey = Resident.journey(seed: seed, seconds: SparseStudy.seconds)
        let receiver = Receiver(
            journey.path, without: [.coarse, .gaps], radii: 6...25, plausibleOutliers: 0.4, seed: seed &+ 1)
        let observer = Observer(journey)
        let truth = journey.areas.map { journey.visits(to: $0) }
        return patterns.map { pattern in
            let readings = pattern.readings(journey.path, receiver.readings, seed: seed &+ 2)
            let fixes = observer.fixes(readings)
            return policies.map { policy in
                var tally = SparseTally()
                for (number, reported) in observer.reportedVisits(fixes, policy).enumerated() {
                    tally.add(truth[number], reported, readings: readings, area: journey.areas[number])
                }
                return tally
            }
        }
    }
}

/// The counts of visits by devices that report few positions, and of what was reported about the visits.
struct SparseTally: Sendable {
    /// The true visits with a good position well inside: one that is not an outlier and lies further inside than its accuracy.
    private(set) var visits = Tally.Share()
    /// The true enters and exits of those visits.
    private(set) var transitions = 0
    private(set) var falseTransitions = 0
    /// The absences between two such visits with a good position well outside; missed if one reported visit lasts through both.
    private(set) var absences = Tally.Share()
    /// Seconds from the first good position inside to the confirmation of the enter, and from the second one.
    private(set) var afterFirst: [Float] = []
    private(set) var afterSecond: [Float] = []

    var falsePer100: Double { transitions == 0 ? 0 : 100 * Double(falseTransitions) / Double(transitions) }
    var enterDelay90: Double { Tally.quantile(0.9, afterFirst.sorted()) }
    var enterDelayAfterSecond99: Double { Tally.quantile(0.99, afterSecond.sorted()) }

    /// - Parameters:
    ///   - truth: The true visits in order of time.
    ///   - reported: The visits that the engine reported, in order of time.
    mutating func add(_ truth: [TrueVisit], _ reported: [ReportedVisit], readings: [Receiver.Reading], area: Area) {
        func overlaps(_ visit: TrueVisit, _ other: ReportedVisit) -> Bool {
            other.enter <= visit.exit + SparseTally.slack && other.exit >= visit.enter - SparseTally.slack
        }
        // A reported visit is false if it overlaps no true one. If several begin during one true visit, all but one are false.
        var pieces = [Int](repeating: 0, count: truth.count)
        for other in reported {
            guard let owner = truth.firstIndex(where: { overlaps($0, other) }) else {
                falseTransitions += (other.hasEnter ? 1 : 0) + (other.hasExit ? 1 : 0)
                continue
            }
            let last = truth.lastIndex { overlaps($0, other) } ?? owner
            if pieces[owner] > 0, owner == last {
                falseTransitions += 2
            } else {
                pieces[owner] += 1
            }
            if last != owner { pieces[last] += 1 }
        }
        var next = 0
        var before: (exit: Double, reported: ReportedVisit)?
        for visit in truth {
            while next < readings.count, Double(readings[next].second) < visit.enter { next += 1 }
            var good: [Double] = []
            while next < readings.count, Double(readings[next].second) <= visit.exit {
                if readings[next].isPlain, area.depth(of: readings[next].point) >= readings[next].accuracy {
                    good.append(Double(readings[next].second))
                }
                next += 1
            }
            guard let first = good.first else { continue }
            transitions += (visit.hasEnter ? 1 : 0) + (visit.hasExit ? 1 : 0)
            let match = reported.first { overlaps(visit, $0) && $0.exit >= first }
            visits.add(match == nil)
            if let before, let match {
                let isSeen = readings.contains {
                    Double($0.second) > before.exit && Double($0.second) < visit.enter && $0.isPlain
                        && area.depth(of: $0.point) < -$0.accuracy - SparseTally.clearOutside
                }
                if isSeen { absences.add(match.enter == before.reported.enter) }
            }
            if let match {
                before = (visit.exit, match)
                guard visit.hasEnter, match.hasEnter, match.enter >= visit.enter - SparseTally.slack else { continue }
                afterFirst.append(Float(match.enterConfirmed - first))
                if good.count > 1 { afterSecond.append(Float(match.enterConfirmed - good[1])) }
            }
        }
    }

    static func += (a: inout SparseTally, b: SparseTally) {
        a.visits += b.visits
        a.transitions += b.transitions
        a.falseTransitions += b.falseTransitions
        a.absences += b.absences
        a.afterFirst += b.afterFirst
        a.afterSecond += b.afterSecond
    }

    /// Seconds by which a reported visit may lie before or after a true one.
    private static let slack = 90.0
    /// Meters past the boundary and the accuracy from which on a position is clearly outside.
    private static let clearOutside = 60.0
}

extension SparseTally {
    /// The cells of a table row, in the order of `heads`.
    var cells: [String] {
        [
            String(visits.count), rounded(falsePer100), rounded(visits.percent) + " %", rounded(enterDelay90) + " s",
            rounded(enterDelayAfterSecond99) + " s", rounded(absences.percent) + " %",
        ]
    }

    /// The column headings that belong to `cells`.
    static let heads = [
        "visits", "false per 100", "missed", "90 % of enters after the first position inside", "99 % after the second",
        "absences missed",
    ]

    var json: JSONValue {
        [
            "visits": JSONValue(visits.count), "falsePer100": JSONValue(falsePer100), "missedPercent": JSONValue(visits.percent),
            "enterDelay90": JSONValue(enterDelay90), "enterDelayAfterSecond99": JSONValue(enterDelayAfterSecond99),
            "missedAbsencesPercent": JSONValue(absences.percent),
        ]
    }
}
