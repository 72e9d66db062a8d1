/// The targets that the policy `balanced` has to meet.
enum Targets {
    /// The maximum number of false transitions per 100 true ones, with a fix every 5 s like all values here.
    static let falsePer100 = 1.0
    /// The highest percentage of missed visits of a minute or more.
    static let missedMinute = 3.0
    /// The highest percentage of missed visits of three minutes or more.
    static let missedThreeMinutes = 1.0
    /// The highest median delay in seconds.
    static let delay = 20.0
    /// The minimum number of false transitions per 100 true ones that the policy `exact` must have. With fewer of them, the noise
    /// is too weak for a meaningful test.
    static let falsePer100OfExact = 200.0

    /// Describes the targets that are not met with a fix every `interval` seconds.
    ///
    /// With a fix every 5 s all targets apply. With fixes a minute or more apart, the median delay of `balanced` may be at most one
    /// interval longer than that of `exact`. Other intervals have no target.
    static func missedTargets(exact: Summary, balanced: Summary, interval: Int) -> [String] {
        if interval >= 60, !(balanced.delay <= exact.delay + Double(interval)) {
            return [
                "a fix every \(interval) s: the median delay of 'balanced' is \(rounded(balanced.delay)) s; expected at most one interval "
                    + "more than the \(rounded(exact.delay)) s of 'exact'"
            ]
        }
        if interval != 5 { return [] }
        var flaws = missedTargets(balanced)
        if exact.falsePer100 < falsePer100OfExact {
            flaws.append(
                "'exact' has only \(rounded(exact.falsePer100)) false transitions per 100 true ones; the noise is too weak")
        }
        return flaws
    }

    /// Describes the targets that a policy does not meet with a fix every 5 s.
    static func missedTargets(_ summary: Summary) -> [String] {
        var flaws: [String] = []
        func check(_ value: Double, _ most: Double, _ what: String) {
            if !(value <= most) { flaws.append("\(what): \(rounded(value)); expected at most \(rounded(most))") }
        }
        check(summary.falsePer100, falsePer100, "false transitions per 100 true ones")
        check(summary.missedMinute, missedMinute, "percentage of missed visits of a minute or more")
        check(summary.missedThreeMinutes, missedThreeMinutes, "percentage of missed visits of three minutes or more")
        check(summary.delay, delay, "median delay in seconds")
        return flaws
    }

    /// How far a summary is from the targets; 0 if it meets all of them.
    static func distance(_ summary: Summary) -> Double {
        max(0, summary.falsePer100 / falsePer100 - 1) + max(0, summary.missedMinute / missedMinute - 1)
            + max(0, summary.missedThreeMinutes / missedThreeMinutes - 1)
            + (summary.delay.isNaN ? 10 : max(0, summary.delay / delay - 1))
    }

    // MARK: - Devices that report rarely

    /// The maximum number of false transitions per 100 true ones.
    static let sparseFalsePer100 = 2.0
    /// The highest percentage of missed visits with a good position well inside.
    static let sparseMissed = 2.0
    /// The seconds within which 90 % of enters are confirmed after the first good position inside, and 99 % after the second.
    static let sparseDelay = 60.0

    /// Describes the targets that a policy does not meet with a reporting pattern.
    static func missedTargets(_ tally: SparseTally, _ pattern: ReportingPattern) -> [String] {
        let figures = [
            (tally.falsePer100, sparseFalsePer100, "false transitions per 100 true ones"),
            (tally.visits.percent, sparseMissed, "percentage of missed visits"),
            (tally.enterDelay90, sparseDelay, "seconds from the first position inside to the confirmation of 90 % of enters"),
            (tally.enterDelayAfterSecond99, sparseDelay, "seconds from the second position inside, of 99 %"),
        ]
        // Without a second position inside there is no delay after it.
        return figures.filter { $0.0 > $0.1 }.map { value, most, what in
            "\(pattern.name): \(what): \(rounded(value)); expected at most \(rounded(most))"
        }
    }
}
