/// What is asked of the policy `balanced`.
enum Targets {
    /// With a fix every 5 s.
    static let falsePer100 = 1.0
    static let missedMinute = 3.0
    static let missedThreeMinutes = 1.0
    static let delay = 20.0
    /// What `exact` has at least, if the noise is any trial.
    static let falsePer100OfExact = 200.0

    /// What does not hold with a fix every 5 s, in words.
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
