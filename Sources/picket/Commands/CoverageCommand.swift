import Core
import Coverage
import Ingest
import Model
import Registry
import Service
import ToolSupport

/// `picket coverage`: compares ways to select regions on recorded tracks.
enum CoverageCommand {
    static let command = Command(
        name: "coverage", summary: "Compare ways to choose a phone's regions, on tracks.", arguments: "TRACK…",
        count: 1...10_000,
        options: [
            Option("--geofences", value: "FILE", help: "The geofences"),
            Option("--platform", value: "PLATFORM", help: "The simulated phone: ios or android; default: ios")
                .choosing(Device.Platform.self),
            Option("--limit", value: "N", help: "The maximum number of regions; default: the platform's"),
            Option("--plot", value: "FILE", help: "Also draw the result as an SVG picture"),
        ] + ProfileOptions.ofSimulation + Option.decoding,
        discussion: """
            Replays tracks through simulated phones without faults. The reference is a phone without a limit that has every geofence
            registered; the other phones have the limit, and each follows one strategy: Picket's, and those that apps commonly use. REPORTED
            is the share of the reference's enters and exits that were reported to the app. FALSE are those that the reference does not report,
            such as a pass too short for it. The calls start or stop monitoring or request a state; a refused registration is lost. Of
            what Picket's selection missed, the result says how much health had listed as at risk. Reads no store and no service.
            """,
        noServer: .needsNoService(Phrase("the command reads only the files that it is given")),
        examples: [
            "picket coverage ride.gpx --geofences places.geojson",
            "picket coverage taxis.csv --geofences stands.geojson --platform android --limit 20 --plot coverage.svg",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let geofencePath = try invocation.requiredValue("--geofences")
        let platform = try invocation.oneOf("--platform", Device.Platform.self) ?? .ios
        let profile = try ProfileOptions.simulated(by: invocation, platform: platform)
        let decoding = try invocation.decodingOptions()
        let (geofences, hasRefusals) = try InputFile.geofences(geofencePath, invocation)
        guard geofences.contains(where: \.isActive) else {
            throw .decodingFailed(source: .verbatim(geofencePath), line: nil, reason: .nothingInIt)
        }
        var status = hasRefusals ? ExitStatus.needsAttention : .done
        let tracks = try tracks(invocation, decoding, &status)

        let progress = Progress(Phrase("Simulating"), of: invocation)
        let total = tracks.reduce(0) { $0 + $1.fixes.count } * (RegionStrategy.allCases.count + 1)
        var study = CoverageStudy(geofences, profile: profile)
        var before = 0
        for track in tracks {
            study.add(track.fixes, of: Device(id: track.device, platform: profile.platform)) { done, _ in
                progress.update(before + done, of: total)
            }
            before += track.fixes.count * (RegionStrategy.allCases.count + 1)
        }
        progress.clear()

        if let path = invocation.value("--plot") { try OutputFile.write(CoveragePlot(study.report).svg, to: path) }
        if invocation.isJSON {
            invocation.output.print(study.report.json(in: AnswerLocale()).description)
        } else {
            printReport(study.report, invocation)
            if let path = invocation.value("--plot") { invocation.print(Phrase("Drawn: \(path)")) }
        }
        return status
    }

    /// The fixes of each device in the files, by device and time. Prints what cannot be used on standard error.
    private static func tracks(
        _ invocation: Invocation, _ decoding: DecodingOptions, _ status: inout ExitStatus
    ) throws(Problem) -> [(device: String, fixes: [Fix])] {
        var fixes: [String: [Fix]] = [:]
        for path in invocation.words {
            let batch = try TrackFile.read(path, decoding)
            for refusal in batch.refusals {
                status = .needsAttention
                Picket.warn(refusal, in: invocation.language, invocation.environment)
            }
            let unnamed = decoding.device ?? path
            for row in batch.rows where row.isValid {
                fixes[row.device < 0 ? unnamed : batch.deviceNames[Int(row.device)], default: []].append(row.fix)
            }
            if batch.rows.isEmpty && batch.refusals.isEmpty {
                throw .decodingFailed(source: .verbatim(path), line: nil, reason: .nothingInIt)
            }
        }
        return fixes.sorted { $0.key < $1.key }.map { device, fixes in
            (device, fixes.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element))
        }
    }

    private static func printReport(_ report: CoverageReport, _ invocation: Invocation) {
        let language = invocation.language
        let transitions = Phrase(
            report.transitionCount, one: "\(report.transitionCount) enter or exit",
            other: "\(report.transitionCount) enters and exits")
        invocation.print(
            Phrase(
                """
                \(Phrase.geofences(report.geofenceCount)), \(Phrase.devices(report.deviceCount)), \
                \(Phrase.positions(report.fixCount)). With every geofence registered, \(PlatformProfile(report.platform).name) \
                would report \(transitions).
                """))
        var table = Table(Phrase("STRATEGY|REPORTED||FALSE|CALLS|REFUSED"), numeric: [1, 2, 3, 4, 5], in: language)
        for coverage in report.strategies {
            table.add([
                coverage.strategy.phrase(limit: report.limit).text(in: language), language.number(coverage.reported),
                Phrase("\(decimal: coverage.shareText)").text(in: language), language.number(coverage.wrong),
                language.number(coverage.calls.total), language.number(coverage.calls.refused),
            ])
        }
        table.print(to: invocation.output)
        guard let own = report[.picket], own.missed > 0 else { return }
        invocation.print(
            Phrase(
                """
                Health had listed \(own.missedAtRisk) of the \(own.missed) that Picket's selection missed: too many geofences were \
                near the device for the limit.
                """))
    }
}
