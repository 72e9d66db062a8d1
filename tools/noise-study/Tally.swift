/// What many judgements come to.
struct Tally: Sendable {
    private(set) var visits = 0
    /// Enters and exits of the true visits that could be seen.
    private(set) var transitions = 0
    /// True visits that nobody could see.
    private(set) var unseen = 0
    private(set) var falseTransitions = 0
    /// Those of them that cut a true visit in pieces.
    private(set) var falsePieces = 0
    /// Visits that were seen for a minute or more, three minutes or more; and absences of three minutes or more.
    private(set) var minute = Share()
    private(set) var threeMinutes = Share()
    private(set) var absences = Share()
    private var enterDelays: [Float] = []
    private var exitDelays: [Float] = []
    private var errors: [Float] = []

    /// How many there were, and how many were missed.
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

    mutating func add(_ judgement: Judgement, where belongs: (Judgement.Facts) -> Bool = { _ in true }) {
        unseen += judgement.unseen
        for visit in judgement.visits where belongs(visit.facts) {
            visits += 1
            transitions += visit.transitions
            if visit.seen >= 60 { minute.add(visit.isMissed) }
            if visit.seen >= 180 { threeMinutes.add(visit.isMissed) }
            if let delay = visit.enterDelay { enterDelays.append(Float(delay)) }
            if let delay = visit.exitDelay { exitDelays.append(Float(delay)) }
            if let error = visit.enterError { errors.append(Float(error)) }
            if let error = visit.exitError { errors.append(Float(error)) }
        }
        for told in judgement.falseVisits where belongs(told.facts) {
            falseTransitions += told.transitions
            if told.isPiece { falsePieces += told.transitions }
        }
        for absence in judgement.absences where absence.seen >= 180 && belongs(absence.facts) { absences.add(absence.isMissed) }
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

    /// The figures.
    var summary: Summary {
        let delays = (enterDelays + exitDelays).sorted()
        return Summary(
            visits: visits, transitions: transitions, unseen: unseen,
            falsePer100: transitions == 0 ? 0 : 100 * Double(falseTransitions) / Double(transitions),
            piecesPer100: transitions == 0 ? 0 : 100 * Double(falsePieces) / Double(transitions),
            missedMinute: minute.percent, minuteVisits: minute.count, missedThreeMinutes: threeMinutes.percent,
            threeMinuteVisits: threeMinutes.count, missedAbsences: absences.percent, delay: quantile(0.5, delays),
            delay95: quantile(0.95, delays), enterDelay: quantile(0.5, enterDelays.sorted()),
            exitDelay: quantile(0.5, exitDelays.sorted()), error: quantile(0.5, errors.sorted()))
    }

    /// NaN where nothing was told.
    private func quantile(_ share: Double, _ sorted: [Float]) -> Double {
        guard let last = sorted.indices.last else { return .nan }
        return Double(sorted[Int((Double(last) * share).rounded())])
    }
}

/// The figures of a tally.
struct Summary: Sendable {
    var visits: Int
    var transitions: Int
    var unseen: Int
    /// False transitions, and those of them that cut a visit in pieces, per 100 true ones.
    var falsePer100: Double
    var piecesPer100: Double
    /// Per cent of the visits of a minute or more, of three minutes or more, and of the absences of three minutes or more.
    var missedMinute: Double
    var minuteVisits: Int
    var missedThreeMinutes: Double
    var threeMinuteVisits: Int
    var missedAbsences: Double
    /// Seconds: the median and the 95th percentile of the delay, its median for enters and for exits, and the median error of
    /// `occurredAt`. NaN where nothing was told.
    var delay: Double
    var delay95: Double
    var enterDelay: Double
    var exitDelay: Double
    var error: Double
}
