/// The accumulated counts of many comparisons.
struct Tally: Sendable {
    private(set) var visits = 0
    /// The number of true enters and exits of the visits that could be seen.
    private(set) var transitions = 0
    /// The number of true visits that could not be seen.
    private(set) var unseen = 0
    /// The number of reported transitions that are wrong.
    private(set) var falseTransitions = 0
    /// The number of wrong transitions that split a true visit into pieces.
    private(set) var falsePieces = 0
    /// The visits of which at least one minute was seen, and the missed ones of these.
    private(set) var minute = Share()
    /// The visits of which at least three minutes were seen.
    private(set) var threeMinutes = Share()
    /// The absences of which at least three minutes were seen.
    private(set) var absences = Share()
    /// The delays of enters in seconds.
    private var enterDelays: [Float] = []
    /// The delays of exits in seconds.
    private var exitDelays: [Float] = []
    /// The absolute errors of `occurredAt` in seconds.
    private var errors: [Float] = []

    /// A number of visits or absences, and how many of them were missed.
    struct Share: Sendable {
        var count = 0
        var missed = 0
        var percent: Double { count == 0 ? 0 : 100 * Double(missed) / Double(count) }

        mutating func add(_ isMissed: Bool) {
            count += 1
            if isMissed { missed += 1 }
        }

        static func += (a: inout Share, b: Share) {
            a.count += b.count
            a.missed += b.missed
        }
    }

    /// Adds a comparison, limited to the visits and absences for which `belongs` returns true.
    mutating func add(_ comparison: VisitComparison, where belongs: (VisitComparison.VisitProperties) -> Bool = { _ in true }) {
        unseen += comparison.unseen
        for visit in comparison.visits where belongs(visit.facts) {
            visits += 1
            transitions += visit.transitions
            if visit.seenSeconds >= 60 { minute.add(visit.isMissed) }
            if visit.seenSeconds >= 180 { threeMinutes.add(visit.isMissed) }
            if let delay = visit.enterDelay { enterDelays.append(Float(delay)) }
            if let delay = visit.exitDelay { exitDelays.append(Float(delay)) }
            if let error = visit.enterError { errors.append(Float(error)) }
            if let error = visit.exitError { errors.append(Float(error)) }
        }
        for reported in comparison.falseVisits where belongs(reported.facts) {
            falseTransitions += reported.transitions
            if reported.isPiece { falsePieces += reported.transitions }
        }
        for absence in comparison.absences where absence.seen >= 180 && belongs(absence.facts) { absences.add(absence.isMissed) }
    }

    static func += (a: inout Tally, b: Tally) {
        a.visits += b.visits
        a.transitions += b.transitions
        a.unseen += b.unseen
        a.falseTransitions += b.falseTransitions
        a.falsePieces += b.falsePieces
        a.minute += b.minute
        a.threeMinutes += b.threeMinutes
        a.absences += b.absences
        a.enterDelays += b.enterDelays
        a.exitDelays += b.exitDelays
        a.errors += b.errors
    }

    /// The figures computed from the counts.
    var summary: Summary {
        let delays = (enterDelays + exitDelays).sorted()
        return Summary(
            visits: visits, transitions: transitions, unseen: unseen,
            falsePer100: transitions == 0 ? 0 : 100 * Double(falseTransitions) / Double(transitions),
            piecesPer100: transitions == 0 ? 0 : 100 * Double(falsePieces) / Double(transitions),
            missedMinute: minute.percent, minuteVisits: minute.count, missedThreeMinutes: threeMinutes.percent,
            threeMinuteVisits: threeMinutes.count, missedAbsences: absences.percent, delay: Tally.quantile(0.5, delays),
            delay95: Tally.quantile(0.95, delays), enterDelay: Tally.quantile(0.5, enterDelays.sorted()),
            exitDelay: Tally.quantile(0.5, exitDelays.sorted()), error: Tally.quantile(0.5, errors.sorted()))
    }

    /// The value below which the given share of the sorted values lies; NaN if there are no values.
    static func quantile(_ share: Double, _ sorted: [Float]) -> Double {
        guard let last = sorted.indices.last else { return .nan }
        return Double(sorted[Int((Double(last) * share).rounded())])
    }
}

/// The figures computed from a tally.
struct Summary: Sendable {
    var visits: Int
    var transitions: Int
    var unseen: Int
    /// The number of wrong transitions per 100 true ones.
    var falsePer100: Double
    /// The number of wrong transitions per 100 true ones that split a true visit into pieces.
    var piecesPer100: Double
    /// The percentage of missed visits among those of which at least one minute was seen.
    var missedMinute: Double
    /// The number of visits of which at least one minute was seen.
    var minuteVisits: Int
    /// The percentage of missed visits among those of which at least three minutes were seen.
    var missedThreeMinutes: Double
    /// The number of visits of which at least three minutes were seen.
    var threeMinuteVisits: Int
    /// The percentage of missed absences among those of which at least three minutes were seen.
    var missedAbsences: Double
    /// The median of the delays of all transitions in seconds. This and the following figures are NaN if the engine reported no transition.
    var delay: Double
    /// The 95th percentile of the delays of all transitions in seconds.
    var delay95: Double
    /// The median of the delays of enters in seconds.
    var enterDelay: Double
    /// The median of the delays of exits in seconds.
    var exitDelay: Double
    /// The median of the absolute errors of `occurredAt` in seconds.
    var error: Double
}
