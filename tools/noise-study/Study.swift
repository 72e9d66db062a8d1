import Model
import TestSupport

/// A set of journeys, each observed at several reporting intervals and evaluated under several policies.
struct Study: Sendable {
    var seed: UInt64
    private var journeys: [JourneySource] = []
    /// The seconds between two fixes, for each series of the study.
    var intervals: [Int]
    var policies: [DecisionPolicy]
    /// The parts of the visits that are counted separately, for the policy with the index `partsOf`.
    var parts: [Part] = []
    var partsOf = 0
    /// The errors that the simulated devices do not have.
    var without: Set<Receiver.ErrorSource> = []
    /// The range in meters of the radius that contains 68 % of the noise.
    var noise = Receiver.usualNoise

    /// How to create a journey. Journeys are created when they are needed, to save memory.
    private enum JourneySource: Sendable {
        case walker(seed: UInt64)
        case driver(seed: UInt64)
        case recorded(RecordedTrack, seed: UInt64)

        var journey: Journey {
            switch self {
            case .walker(let seed): Walker.journey(seed: seed, seconds: 8 * 3600)
            case .driver(let seed): Driver.journey(seed: seed, seconds: 3 * 3600)
            case .recorded(let track, let seed): track.journey(seed: seed)
            }
        }
    }

    /// A subset of the visits.
    struct Part: Sendable {
        var name: String
        var contains: @Sendable (VisitComparison.VisitProperties) -> Bool
    }

    /// Creates a study.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random numbers.
    ///   - scale: The number of journeys relative to the full study, which has about 1,500 hours on foot, 450 hours by car, and each
    ///     recorded track 36 times.
    init(seed: UInt64, scale: Double, tracks: [RecordedTrack], intervals: [Int], policies: [DecisionPolicy]) {
        self.seed = seed
        self.intervals = intervals
        self.policies = policies
        var random = SeededRandom(seed: seed)
        func count(_ whole: Double) -> Int { Int((whole * scale).rounded(.up)) }
        for _ in 0..<count(180) { journeys.append(.walker(seed: random.next())) }
        for _ in 0..<count(150) { journeys.append(.driver(seed: random.next())) }
        for _ in 0..<count(36) { for track in tracks { journeys.append(.recorded(track, seed: random.next())) } }
    }

    /// The counts of a study or of one of its journeys.
    struct Result: Sendable {
        /// The tallies by interval, then by policy.
        var tallies: [[Tally]]
        /// The tallies by interval, then by part.
        var parts: [[Tally]]
        /// The simulated or recorded seconds by kind of journey.
        var seconds: [Journey.Kind: Int] = [:]
        /// The number of fixes by interval.
        var fixes: [Int]

        /// Creates a result with empty tallies for a study.
        init(_ study: Study) {
            tallies = study.intervals.map { _ in study.policies.map { _ in Tally() } }
            parts = study.intervals.map { _ in study.parts.map { _ in Tally() } }
            fixes = study.intervals.map { _ in 0 }
        }

        static func += (a: inout Result, b: Result) {
            for interval in a.tallies.indices {
                for policy in a.tallies[interval].indices { a.tallies[interval][policy] += b.tallies[interval][policy] }
                for part in a.parts[interval].indices { a.parts[interval][part] += b.parts[interval][part] }
                a.fixes[interval] += b.fixes[interval]
            }
            a.seconds.merge(b.seconds, uniquingKeysWith: +)
        }
    }

    /// Runs the study on all processors. The result depends only on the properties of the study, not on the order in which journeys finish.
    func run() async -> Result {
        await withTaskGroup(of: (Int, Result).self) { group in
            for (number, source) in journeys.enumerated() { group.addTask { (number, run(source, number)) } }
            var results = [Result?](repeating: nil, count: journeys.count)
            for await (number, result) in group { results[number] = result }
            var total = Result(self)
            for case let result? in results { total += result }
            return total
        }
    }

    /// Evaluates one journey at every interval and under every policy.
    private func run(_ source: JourneySource, _ number: Int) -> Result {
        var result = Result(self)
        let journey = source.journey
        let receiver = Receiver(journey.path, without: without, radii: noise, seed: seed &+ UInt64(number) &* 0x9E37_79B9)
        let observer = Observer(journey)
        let truth = journey.areas.map { journey.visits(to: $0) }
        result.seconds[journey.kind] = journey.path.count
        for (column, interval) in intervals.enumerated() {
            let readings = receiver.readings(every: interval)
            let holes = Holes(readings, interval: interval, end: journey.end)
            let fixes = observer.fixes(readings)
            result.fixes[column] += fixes.count
            for (row, policy) in policies.enumerated() {
                for (number, reported) in observer.reportedVisits(fixes, policy).enumerated() {
                    let comparison = VisitComparison(
                        truth[number], reported, holes: holes, interval: Double(interval), radius: journey.areas[number].radius,
                        kind: journey.kind, sigmas: receiver.sigmas)
                    result.tallies[column][row].add(comparison)
                    guard row == partsOf else { continue }
                    for (index, part) in parts.enumerated() { result.parts[column][index].add(comparison, where: part.contains) }
                }
            }
        }
        return result
    }
}

extension Study.Part {
    /// The parts by kind of journey, by radius of the geofence, by noise (the radius in meters that contains 68 % of it), and by depth of
    /// the visit in standard deviations of the noise.
    static let all: [Study.Part] =
        [Journey.Kind.walker, .driver, .recorded].map { kind in Study.Part(name: "\(kind)") { $0.kind == kind } }
        + [(30, 60), (60, 120), (120, 250), (250, 500)].map { from, to in
            Study.Part(name: "radius \(from) to \(to) m") { $0.radius >= Double(from) && $0.radius < Double(to) }
        }
        + [(5, 10), (10, 20), (20, 40), (40, 65)].map { from, to in
            Study.Part(name: "noise \(from) to \(to) m") {
                let radius = $0.sigma * Receiver.radius68
                return radius >= Double(from) && radius < Double(to)
            }
        }
        + [(0, 1), (1, 2), (2, 4), (4, 1000)].map { from, to in
            Study.Part(name: to == 1000 ? "deepest over \(from) × noise" : "deepest \(from) to \(to) × noise") { facts in
                guard let deepest = facts.deepest else { return false }
                return deepest >= Double(from) * facts.sigma && deepest < Double(to) * facts.sigma
            }
        }
}
