import Model

/// The options of the command line.
struct Options {
    var seed: UInt64 = 1
    var heldOutSeed: UInt64 = 2
    /// The size of the study; nil for the default, which is 1 for the table and 0.2 for the search.
    var scale: Double?
    var intervals = [5, 1, 30, 180]
    /// The named policies, followed by the policy with the fields given on the command line, if any field was given.
    var policies: [(name: String, policy: DecisionPolicy)] = DecisionPolicy.Name.allCases.map { ($0.rawValue, $0.policy) }
    var isJSON = false
    var isSearch = false
    /// Whether to study devices that report rarely instead.
    var isSparse = false
    var hasParts = false
    var mustHold = false
    var candidates = 200
    var wantsHelp = false
    var without: Set<Receiver.ErrorSource> = []
    /// The range in meters from which the radius is drawn that contains 68 % of the noise.
    var noise = Receiver.usualNoise

    static let help = """
        noise-study: how many false transitions a policy gives, how many visits it misses, and how late its decisions are.

        usage: tools/noise-study/run [options]

          --seed N              The seed of the journeys and the noise (1)
          --scale X             The size of the study; 1 has 19,000 true transitions (1; 0.2 with --search)
          --intervals S,S       Seconds between fixes (5,1,30,180)
          --parts               Also print the results by kind of journey, size of fence, noise and depth, at the first interval
          --sparse              Study people who stay and travel for ten days with devices that report rarely
          --without T,T         Leave out some troubles of the receiver: outliers, coarse, gaps
          --noise FROM,TO       The range of radii in meters that contain 68 % of the noise (5,65)
          --json                Print one JSON object
          --check               End with status 1 if 'balanced' misses a target

        Another policy, based on 'balanced':
          --accuracy-cap M  --max-accuracy M  --exit-margin M | SHARE,LEAST,MOST  --confirm-fixes N  --confirm-seconds S
          --max-speed M/S  --crossing S  --stay K         (a number, or 'inf')

          --search              Search for better values of these fields
          --candidates N        The number of policies that the search tries (200)
          --held-out-seed N     The seed of other journeys, on which the search tests its best policies again (2)

        examples:
          tools/noise-study/run
          tools/noise-study/run --parts --confirm-fixes 3
          tools/noise-study/run --sparse --check
          tools/noise-study/run --intervals 5 --without outliers,coarse,gaps
          tools/noise-study/run --search --candidates 400 --json
        """

    /// Parses the arguments of the command line.
    ///
    /// - Throws: `Problem.usage` if an option is unknown or its value is invalid.
    init(_ arguments: [String]) throws(Problem) {
        var policy = DecisionPolicy.balanced
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--help", "-h": wantsHelp = true
            case "--json": isJSON = true
            case "--search": isSearch = true
            case "--sparse": isSparse = true
            case "--parts": hasParts = true
            case "--check": mustHold = true
            case "--without":
                for word in try Options.value(name, &rest).split(separator: ",") {
                    guard let trouble = Receiver.ErrorSource(rawValue: String(word)) else {
                        throw Options.wrong(name, .severalOf(Receiver.ErrorSource.allCases.map(\.rawValue)), not: String(word))
                    }
                    without.insert(trouble)
                }
            case "--noise":
                let ends = try Options.numbers(name, in: 0.1...10_000, &rest)
                guard ends.count == 2, ends[0] <= ends[1] else {
                    throw Options.wrong(name, .twoLengths)
                }
                noise = ends[0]...ends[1]
            case "--seed": seed = try Options.whole(name, &rest)
            case "--held-out-seed": heldOutSeed = try Options.whole(name, &rest)
            case "--candidates": candidates = Int(try Options.whole(name, in: 8...100_000, &rest))
            case "--scale": scale = try Options.number(name, in: 0.001...1000, &rest)
            case "--intervals":
                intervals = try Options.numbers(name, in: 1...3600, &rest).map { Int($0) }
            case "--accuracy-cap": policy.accuracyCap = try Options.number(name, &rest)
            case "--max-accuracy": policy.maxAccuracy = try Options.number(name, &rest)
            case "--exit-margin":
                let values = try Options.numbers(name, &rest)
                guard values.count == 1 || values.count == 3 else {
                    throw Options.wrong(name, .lengthOrShare)
                }
                policy.exitMargin =
                    values.count == 1
                    ? .init(meters: values[0]) : .init(share: values[0], least: values[1], most: values[2])
            case "--confirm-fixes": policy.confirmFixes = Int(try Options.whole(name, in: 1...1000, &rest))
            case "--confirm-seconds": policy.confirmSeconds = try Options.number(name, &rest)
            case "--max-speed": policy.maxSpeed = try Options.number(name, &rest)
            case "--crossing": policy.crossing = try Options.number(name, &rest)
            case "--stay": policy.stay = try Options.number(name, &rest)
            default: throw .usage(reason: .unknownOption(name), help: Options.helpCommand)
            }
        }
        if policy != .balanced { policies.append(("as given", policy)) }
    }

    /// The index of the policy `exact` in `policies`.
    var exact: Int { DecisionPolicy.Name.allCases.firstIndex(of: .exact) ?? 0 }
    /// The index of the policy `balanced` in `policies`.
    var balanced: Int { DecisionPolicy.Name.allCases.firstIndex(of: .balanced) ?? 0 }
    /// The index of the policy whose parts are printed: the one given on the command line if there is one, otherwise `balanced`.
    var partsOf: Int { policies.count > DecisionPolicy.Name.allCases.count ? policies.count - 1 : balanced }

    private static let helpCommand = "tools/noise-study/run --help"

    private static func wrong(_ name: String, _ expected: Phrase, not text: String? = nil) -> Problem {
        .usage(reason: text.map { .optionTakesNot(name, expected, value: $0) } ?? .optionTakes(name, expected), help: helpCommand)
    }

    private static func value(_ name: String, _ rest: inout ArraySlice<String>) throws(Problem) -> String {
        guard let value = rest.popFirst() else { throw .usage(reason: .needsValue(name), help: helpCommand) }
        return value
    }

    private static func whole(
        _ name: String, in range: ClosedRange<UInt64> = 0...UInt64.max, _ rest: inout ArraySlice<String>
    ) throws(Problem) -> UInt64 {
        let text = try value(name, &rest)
        guard let number = UInt64(text), range.contains(number) else {
            throw wrong(
                name, .wholeNumberIn(Int(clamping: range.lowerBound), Int(clamping: range.upperBound)), not: text)
        }
        return number
    }

    private static func numbers(
        _ name: String, in range: ClosedRange<Double> = 0...Double.infinity, _ rest: inout ArraySlice<String>
    ) throws(Problem) -> [Double] {
        let text = try value(name, &rest)
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.allSatisfy({ $0.map(range.contains) ?? false }) else {
            throw wrong(name, .numbersIn("\(range.lowerBound)", "\(range.upperBound)"), not: text)
        }
        return numbers.compactMap(\.self)
    }

    private static func number(
        _ name: String, in range: ClosedRange<Double> = 0...Double.infinity, _ rest: inout ArraySlice<String>
    ) throws(Problem) -> Double {
        let numbers = try numbers(name, in: range, &rest)
        guard let number = numbers.first, numbers.count == 1 else { throw wrong(name, .oneNumber) }
        return number
    }
}

extension Phrase {
    fileprivate static let oneNumber = Phrase("one number")
    fileprivate static func numbersIn(_ least: String, _ most: String) -> Phrase { Phrase("numbers from \(least) to \(most)") }
    fileprivate static func severalOf(_ words: [String]) -> Phrase { Phrase("\(Phrase.oneOf(words)), separated by commas") }
    fileprivate static let twoLengths = Phrase("two lengths in meters, the smaller one first")
    fileprivate static let lengthOrShare = Phrase("a length in meters, or SHARE,LEAST,MOST")
    fileprivate static func optionTakes(_ option: String, _ expected: Phrase) -> Phrase {
        Phrase("'\(option)' takes \(expected)")
    }
    fileprivate static func optionTakesNot(_ option: String, _ expected: Phrase, value: String) -> Phrase {
        Phrase("'\(option)' takes \(expected), not '\(value)'")
    }
    fileprivate static func unknownOption(_ option: String) -> Phrase { Phrase("There is no option '\(option)'") }
}
