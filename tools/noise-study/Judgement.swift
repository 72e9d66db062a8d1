import Geodesy

/// What was told about one area, compared with what was true. docs/noise-study.md says by which rules.
struct Judgement: Sendable {
    /// What a visit is counted under.
    struct Facts: Sendable {
        var kind: Journey.Kind
        /// Metres.
        var radius: Double
        /// The noise on each axis when it began, in metres.
        var sigma: Double
        /// How far inside of the boundary the device came, in metres; nil for what was told and not true.
        var deepest: Double?
    }

    /// A true visit that could be seen, and what was told of it.
    struct Visit: Sendable {
        var facts: Facts
        /// Seconds of it in which the device reported.
        var seen: Double
        var transitions: Int
        /// Nothing was told of it.
        var isMissed: Bool
        /// Seconds from the enter or exit to when it was told; nil when it was not, or nobody could see it at the time.
        var enterDelay: Double?
        var exitDelay: Double?
        /// Seconds between the enter or exit and when it is said to have been, without sign.
        var enterError: Double?
        var exitError: Double?
    }

    /// What was told and not true.
    struct FalseVisit: Sendable {
        var facts: Facts
        var transitions: Int
        /// Whether it is part of a true visit that was told in pieces.
        var isPiece: Bool
    }

    var visits: [Visit] = []
    var falseVisits: [FalseVisit] = []
    /// True visits that nobody could see.
    var unseen = 0
    /// Seconds of the absences between two visits that could be seen, and whether they were told.
    var absences: [(facts: Facts, seen: Double, isMissed: Bool)] = []

    /// - Parameters:
    ///   - told: In order of time, as `truth` is.
    ///   - holes: Stretches of the journey without plain fixes.
    ///   - interval: Seconds from a fix to the next.
    init(
        _ truth: [TrueVisit], _ told: [ToldVisit], holes: Holes, interval: Double, radius: Double, kind: Journey.Kind,
        sigmas: [Double]
    ) {
        func facts(at second: Double, deepest: Double?) -> Facts {
            Facts(
                kind: kind, radius: radius, sigma: sigmas[min(sigmas.count - 1, max(0, Int(second)))], deepest: deepest)
        }
        let tolerance = interval + Judgement.slack
        /// Seconds that both have in common; less than 0 when they lie apart.
        func overlap(_ visit: TrueVisit, _ other: ToldVisit) -> Double {
            min(visit.exit, other.exit) - max(visit.enter, other.enter)
        }

        // What was told belongs to the true visit that it has most in common with.
        var pieces = [[Int]](repeating: [], count: truth.count)
        var touched = [ClosedRange<Int>?](repeating: nil, count: told.count)
        for (number, other) in told.enumerated() {
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
            let touching = told.indices.filter { touched[$0]?.contains(index) ?? false }
            let facts = facts(at: visit.enter, deepest: visit.deepest)
            var judged = Visit(
                facts: facts, seen: seen, transitions: (visit.hasEnter ? 1 : 0) + (visit.hasExit ? 1 : 0),
                isMissed: touching.isEmpty)
            if visit.hasEnter, !holes.contains(visit.enter), let first = touching.first, told[first].hasEnter,
                touched[first]?.lowerBound == index
            {
                judged.enterDelay = told[first].enterTold - visit.enter
                judged.enterError = abs(told[first].enter - visit.enter)
            }
            if visit.hasExit, !holes.contains(visit.exit), let last = touching.last, told[last].hasExit,
                touched[last]?.upperBound == index
            {
                judged.exitDelay = told[last].exitTold - visit.exit
                judged.exitError = abs(told[last].exit - visit.exit)
            }
            visits.append(judged)
            if let before = lastSeen, before == index - 1 {
                let from = truth[before].exit
                let isMissed = touching.contains { touched[$0]?.contains(before) ?? false }
                absences.append((facts, visit.enter - from - holes.length(from: from, to: visit.enter), isMissed))
            }
            lastSeen = index
        }
    }

    /// Seconds by which, beside the interval, something may be told too early or too late and still be about a visit.
    static let slack = 30.0
}

/// Stretches without plain fixes, in which nothing can be known: from one such fix to the next, where they lie more than two and
/// a half intervals apart.
struct Holes: Sendable {
    private var stretches: [ClosedRange<Double>] = []

    init(_ readings: [Receiver.Reading], interval: Int, end: Double) {
        var last = 0.0
        func note(_ next: Double) {
            if next - last > 2.5 * Double(interval) { stretches.append(last...next) }
            last = next
        }
        for reading in readings where reading.isPlain { note(Double(reading.second)) }
        note(end)
    }

    func contains(_ moment: Double) -> Bool { length(from: moment, to: moment + 1e-6) > 0 }

    /// Seconds of a time that lie in them.
    func length(from start: Double, to end: Double) -> Double {
        // The first that ends after the start.
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
