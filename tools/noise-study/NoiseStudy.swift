import Foundation
import Model

/// Prints how the noise of positions affects the decisions of the engine. docs/internals/noise-study.md describes the method.
@main
enum NoiseStudy {
    static func main() async {
        do throws(Problem) {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if options.wantsHelp {
                print(Options.help)
                return
            }
            let tracks = try RecordedTrack.all()
            if tracks.isEmpty { complain("Without recorded tracks: the shared track data is not beside this checkout.") }
            if options.isSearch {
                await search(options, tracks)
            } else if options.isSparse {
                let holds = await sparseTable(options)
                if options.mustHold && !holds { exit(1) }
            } else {
                let holds = await table(options, tracks)
                if options.mustHold && !holds { exit(1) }
            }
        } catch {
            complain(error.message.description)
            if case .usage = error { exit(2) }
            exit(3)
        }
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    // MARK: - The table

    /// Prints the tables of the study, or its JSON, and returns whether the policy `balanced` meets the targets.
    private static func table(_ options: Options, _ tracks: [RecordedTrack]) async -> Bool {
        var study = Study(
            seed: options.seed, scale: options.scale ?? 1, tracks: tracks, intervals: options.intervals,
            policies: options.policies.map(\.policy))
        if options.hasParts { study.parts = Study.Part.all }
        study.partsOf = options.partsOf
        study.without = options.without
        study.noise = options.noise
        let result = await study.run()
        let summaries = result.tallies.map { $0.map(\.summary) }
        let flaws = missedTargets(summaries, options)
        if options.isJSON {
            print(json(options, tracks, result, summaries, flaws))
            return flaws.isEmpty
        }
        let spared = options.without.map(\.rawValue).sorted().joined(separator: ", ")
        print("Seed \(options.seed): \(hours(result))\(spared.isEmpty ? "" : "; without \(spared)").")
        for (column, interval) in options.intervals.enumerated() {
            let summary = summaries[column][0]
            print(
                "A fix every \(interval) s: \(result.fixes[column]) fixes, \(summary.transitions) true transitions of "
                    + "\(summary.visits) visits that could be seen, \(summary.unseen) that could not.")
        }
        var table = StudyTable(["fix every", "policy"] + Summary.heads)
        for (column, interval) in options.intervals.enumerated() {
            for (row, summary) in summaries[column].enumerated() {
                table.add(["\(interval) s", options.policies[row].name] + summary.cells)
            }
        }
        print("", table.text, separator: "\n")
        let name = options.policies[options.partsOf].name
        if options.hasParts, let interval = options.intervals.first {
            var table = StudyTable(["\(name), a fix every \(interval) s", "visits"] + Summary.heads)
            for (part, tally) in zip(study.parts, result.parts[0]) {
                let summary = tally.summary
                table.add([part.name, String(summary.visits)] + summary.cells)
            }
            print("", table.text, separator: "\n")
        }
        print()
        report(flaws)
        return flaws.isEmpty
    }

    /// Prints the table for devices that report rarely, or its JSON, and returns whether the policy `balanced` meets the targets.
    private static func sparseTable(_ options: Options) async -> Bool {
        let people = Int((40 * (options.scale ?? 1)).rounded(.up))
        let study = SparseStudy(seed: options.seed, people: people, policies: options.policies.map(\.policy))
        let tallies = await study.run()
        let flaws = zip(study.patterns, tallies).flatMap { Targets.missedTargets($1[options.balanced], $0) }
        if options.isJSON {
            let rows = zip(study.patterns, tallies).flatMap { pattern, row in
                zip(options.policies, row).map { policy, tally -> JSONValue in
                    [
                        "pattern": .string(pattern.name), "policy": .string(policy.name), "fields": policy.policy.json,
                        "figures": tally.json,
                    ]
                }
            }
            let value: JSONValue = [
                "seed": .number(String(options.seed)), "people": JSONValue(people), "rows": .array(rows),
                "notWithinTargets": .array(flaws.map { .string($0) }),
            ]
            print(value)
            return flaws.isEmpty
        }
        print("Seed \(options.seed): \(people) people, ten days each.")
        var table = StudyTable(["a position", "policy"] + SparseTally.heads)
        for (pattern, row) in zip(study.patterns, tallies) {
            for (policy, tally) in zip(options.policies, row) { table.add([pattern.name, policy.name] + tally.cells) }
        }
        print("", table.text, "", separator: "\n")
        report(flaws)
        return flaws.isEmpty
    }

    private static func report(_ flaws: [String]) {
        print(flaws.isEmpty ? "The targets hold." : "Not within the targets:")
        for flaw in flaws { print("- \(flaw)") }
    }

    private static func missedTargets(_ summaries: [[Summary]], _ options: Options) -> [String] {
        zip(options.intervals, summaries).flatMap { interval, row in
            Targets.missedTargets(exact: row[options.exact], balanced: row[options.balanced], interval: interval)
        }
    }

    private static func hours(_ result: Study.Result) -> String {
        Journey.Kind.allCases.compactMap { kind in result.seconds[kind].map { "\($0 / 3600) h \(kind)" } }
            .joined(separator: ", ")
    }

    private static func json(
        _ options: Options, _ tracks: [RecordedTrack], _ result: Study.Result, _ summaries: [[Summary]], _ flaws: [String]
    ) -> JSONValue {
        let rows = options.intervals.enumerated().flatMap { column, interval in
            summaries[column].enumerated().map { row, summary -> JSONValue in
                [
                    "interval": JSONValue(interval), "policy": .string(options.policies[row].name),
                    "fields": options.policies[row].policy.json, "figures": summary.json,
                ]
            }
        }
        let parts = options.intervals.enumerated().flatMap { column, interval in
            zip(options.hasParts ? Study.Part.all : [], result.parts[column]).map { part, tally -> JSONValue in
                ["interval": JSONValue(interval), "part": .string(part.name), "figures": tally.summary.json]
            }
        }
        return [
            "seed": .number(String(options.seed)),
            "seconds": .object(result.seconds.map { .init("\($0.key)", JSONValue($0.value)) }.sorted { $0.name < $1.name }),
            "recordedTracks": .array(tracks.map { .string($0.name) }), "fixes": .array(result.fixes.map { JSONValue($0) }),
            "rows": .array(rows), "parts": .array(parts), "notWithinTargets": .array(flaws.map { .string($0) }),
        ]
    }

    // MARK: - The search

    private static func search(_ options: Options, _ tracks: [RecordedTrack]) async {
        let search = Search(
            seed: options.seed, heldOutSeed: options.heldOutSeed, scale: options.scale ?? 0.2, tracks: tracks,
            count: options.candidates)
        let findings = await search.run()
        if options.isJSON {
            func json(_ pair: (chosen: Search.Candidate, heldOut: Search.Candidate)) -> JSONValue {
                [
                    "fields": pair.chosen.policy.json, "figures": pair.chosen.summary.json, "heldOut": pair.heldOut.summary.json,
                    "heldOutEvery180": pair.heldOut.slow.json,
                ]
            }
            let value: JSONValue = [
                "seed": .number(String(options.seed)), "heldOutSeed": .number(String(options.heldOutSeed)),
                "tried": JSONValue(findings.tried), "balanced": json(findings.balanced),
                "best": .array(findings.best.map(json)), "front": .array(findings.front.map(json)),
            ]
            print(value)
            return
        }
        print("\(findings.tried) policies, chosen with seed \(options.seed), tried again with seed \(options.heldOutSeed).")
        print("Each figure: with the first seed → with the other. Delays with a fix every 5 s; in brackets every 180 s.")
        printTable("as it is", [findings.balanced])
        printTable("the best", findings.best)
        printTable("not beaten in all four at once", findings.front)
    }

    private static func printTable(_ title: String, _ pairs: [(chosen: Search.Candidate, heldOut: Search.Candidate)]) {
        var table = StudyTable([title, "false per 100", "missed ≥ 1 min", "missed ≥ 3 min", "delay", "targets"])
        for (chosen, heldOut) in pairs {
            func both(_ figure: (Summary) -> Double) -> String {
                rounded(figure(chosen.summary)) + " → " + rounded(figure(heldOut.summary))
            }
            table.add([
                chosen.policy.fields, both(\.falsePer100), both(\.missedMinute), both(\.missedThreeMinutes),
                both(\.delay) + " (\(rounded(heldOut.slow.delay)))",
                Targets.missedTargets(heldOut.summary).isEmpty
                    ? "hold" : "\(Targets.missedTargets(heldOut.summary).count) do not",
            ])
        }
        print("", table.text, separator: "\n")
    }
}
