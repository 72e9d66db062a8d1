/// What is asked of the policy `balanced`.
enum Targets {
    /// With a fix every 5 s.
    static let falsePer100 = 1.0
    static let missedMinute = 3.0
    static let missedThreeMinutes = 1.0
    static let delay = 20.0
    /// What `exact` has at least, or the noise was no trial.
    static let falsePer100OfExact = 200.0

    /// What does not hold with a fix every so many seconds, in words. Of `balanced` little is asked but every 5 s, and that it
    /// is at most one fix later than `exact` where fixes are a minute apart or more.
    static func flaws(exact: Summary, balanced: Summary, interval: Int) -> [String] {
        if interval >= 60, !(balanced.delay <= exact.delay + Double(interval)) {
            return [
                "a fix every \(interval) s: \(rounded(balanced.delay)) seconds of median delay, and at most one fix more than "
                    + "the \(rounded(exact.delay)) of 'exact' is wanted"
            ]
        }
        if interval != 5 { return [] }
        var flaws = flaws(balanced)
        if exact.falsePer100 < falsePer100OfExact {
            flaws.append("'exact' tells only \(rounded(exact.falsePer100)) false transitions per 100 true ones: too little noise")
        }
        return flaws
    }

    /// What does not hold of a policy with a fix every 5 s, in words.
    static func flaws(_ summary: Summary) -> [String] {
        var flaws: [String] = []
        func check(_ value: Double, _ most: Double, _ what: String) {
            if !(value <= most) { flaws.append("\(what): \(rounded(value)), and at most \(rounded(most)) is wanted") }
        }
        check(summary.falsePer100, falsePer100, "false transitions per 100 true ones")
        check(summary.missedMinute, missedMinute, "per cent missed of the visits of a minute or more")
        check(summary.missedThreeMinutes, missedThreeMinutes, "per cent missed of the visits of three minutes or more")
        check(summary.delay, delay, "seconds of median delay")
        return flaws
    }

    /// How far a summary is from the targets: 0 when all hold.
    static func distance(_ summary: Summary) -> Double {
        max(0, summary.falsePer100 / falsePer100 - 1) + max(0, summary.missedMinute / missedMinute - 1)
            + max(0, summary.missedThreeMinutes / missedThreeMinutes - 1)
            + (summary.delay.isNaN ? 10 : max(0, summary.delay / delay - 1))
    }
}
