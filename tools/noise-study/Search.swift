import Model
import TestSupport

/// Searches for better values of the policy's fields: first many random policies, then variations of the best ones. The best policies are
/// evaluated again on journeys with another seed.
struct Search {
    /// A policy with its results for a fix every 5 s (`summary`) and every 180 s (`slow`).
    struct Candidate: Sendable {
        var policy: DecisionPolicy
        var summary: Summary
        var slow: Summary
    }

    /// The result of a search.
    struct Findings {
        /// The unchanged policy `balanced`, with its results on the journeys of the search and on the held-out journeys.
        var balanced: (chosen: Candidate, heldOut: Candidate)
        /// The eight best candidates, the best first.
        var best: [(chosen: Candidate, heldOut: Candidate)]
        /// The candidates that no other candidate beats in false transitions, both kinds of missed visits and delay at the same time, in
        /// order of the delay.
        var front: [(chosen: Candidate, heldOut: Candidate)]
        /// The number of evaluated policies.
        var tried: Int
    }

    /// The seed of the journeys by which candidates are chosen.
    var seed: UInt64
    /// The seed of the journeys on which the chosen candidates are evaluated again.
    var heldOutSeed: UInt64
    var scale: Double
    var tracks: [RecordedTrack]
    /// The number of policies to evaluate, approximately.
    var count: Int

    /// Runs the search. The result depends only on the properties of the search, not on the number of processors.
    func run() async -> Findings {
        var random = SeededRandom(seed: seed)
        var candidates = await evaluate([.balanced] + (1..<max(2, count / 2)).map { _ in draw(&random) }, seed)
        for _ in 0..<2 {
            let best = candidates.sorted(by: isBetter).prefix(8)
            let more = (0..<count / 4).map { number in vary(best[number % best.count].policy, &random) }
            candidates += await evaluate(more, seed)
        }
        let ranked = candidates.sorted(by: isBetter)
        let best = Array(ranked.prefix(8))
        let front = candidates.filter { candidate in !candidates.contains { isBetterInSomeFigure($0, candidate) } }
            .sorted { $0.summary.delay < $1.summary.delay }
        let held = await evaluate([candidates[0].policy] + (best + front).map(\.policy), heldOutSeed)
        return Findings(
            balanced: (candidates[0], held[0]), best: Array(zip(best, held[1...])),
            front: Array(zip(front, held.dropFirst(1 + best.count))), tried: candidates.count)
    }

    private func evaluate(_ policies: [DecisionPolicy], _ seed: UInt64) async -> [Candidate] {
        let study = Study(seed: seed, scale: scale, tracks: tracks, intervals: [5, 180], policies: policies)
        let result = await study.run()
        return policies.indices.map {
            Candidate(policy: policies[$0], summary: result.tallies[0][$0].summary, slow: result.tallies[1][$0].summary)
        }
    }

    /// Whether `a` is closer to the targets than `b`; if both meet the targets, whether the sum of its figures relative to the targets is
    /// smaller.
    private func isBetter(_ a: Candidate, _ b: Candidate) -> Bool {
        func rank(_ candidate: Candidate) -> (Double, Double) {
            let summary = candidate.summary
            let room =
                summary.falsePer100 / Targets.falsePer100 + summary.missedMinute / Targets.missedMinute
                + summary.missedThreeMinutes / Targets.missedThreeMinutes + summary.delay / Targets.delay
            return (Targets.distance(summary), room)
        }
        return rank(a) < rank(b)
    }

    /// Whether `a` is no worse than `b` in any figure and better in at least one.
    private func isBetterInSomeFigure(_ a: Candidate, _ b: Candidate) -> Bool {
        let (a, b) = (figures(a.summary), figures(b.summary))
        return zip(a, b).allSatisfy { $0 <= $1 } && a != b
    }

    private func figures(_ summary: Summary) -> [Double] {
        [summary.falsePer100, summary.missedMinute, summary.missedThreeMinutes, summary.delay.isNaN ? .infinity : summary.delay]
    }

    /// A random policy.
    private func draw(_ random: inout SeededRandom) -> DecisionPolicy {
        let least = random.uniform(0...40).rounded()
        return DecisionPolicy(
            accuracyCap: random.uniform(0...120).rounded(), maxAccuracy: random.logUniform(100...1000).rounded(),
            exitMargin: .init(
                share: (random.uniform(0...0.4) * 100).rounded() / 100, least: least,
                most: least + random.uniform(0...100).rounded()),
            confirmFixes: Int.random(in: 1...5, using: &random),
            confirmSeconds: random.isTrue(0.5) ? 0 : random.uniform(5...40).rounded(),
            maxSpeed: [.infinity, 340, 100, 60][Int.random(in: 0...3, using: &random)],
            crossing: [0, 60, 300][Int.random(in: 0...2, using: &random)],
            stay: random.isTrue(0.2) ? 0 : (random.uniform(3...6) * 10).rounded() / 10)
    }

    /// A policy with small random changes of some fields.
    private func vary(_ policy: DecisionPolicy, _ random: inout SeededRandom) -> DecisionPolicy {
        var result = policy
        let other = draw(&random)
        func near(_ value: Double) -> Double { max(0, (value * random.uniform(0.7...1.4) + random.uniform(-2...2)).rounded()) }
        if random.isTrue(0.5) { result.accuracyCap = near(policy.accuracyCap) }
        if random.isTrue(0.3) { result.maxAccuracy = max(50, near(policy.maxAccuracy)) }
        if random.isTrue(0.5) {
            let share = policy.exitMargin.share + random.uniform(-0.06...0.06)
            let least = near(policy.exitMargin.minimum)
            result.exitMargin = .init(
                share: (max(0, share) * 100).rounded() / 100, least: least, most: max(least, near(policy.exitMargin.maximum)))
        }
        if random.isTrue(0.3) { result.confirmFixes = max(1, policy.confirmFixes + (random.isTrue(0.5) ? 1 : -1)) }
        if random.isTrue(0.3) { result.confirmSeconds = near(policy.confirmSeconds) }
        if random.isTrue(0.2) { result.maxSpeed = other.maxSpeed }
        if random.isTrue(0.2) { result.crossing = other.crossing }
        if random.isTrue(0.3) { result.stay = other.stay }
        return result
    }
}
