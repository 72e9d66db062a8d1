import Client
import Comparison
import Core
import Foundation
import Ingest
import Model
import Places
import Registrations
import Registry
import Service
import ToolSupport

/// `picket compare`: compares the transitions that an app's log reports with what happened along a track.
enum CompareCommand {
    /// The options for a track and a log in files, besides these.
    private static let fileOptions = [
        Option("--geofences", value: "FILE", help: "The geofences, in a format of 'picket geofence import'"),
        Option(
            "--snapshot", value: "FILE",
            help: "What the phone held: the body of PUT /v1/devices/ID/registry, or 'picket registry show --json'"),
        Option("--platform", value: "PLATFORM", help: "The phone's platform: ios or android; default: ios")
            .choosing(Device.Platform.self),
        Option("--limit", value: "N", help: "The maximum number of regions; default: the platform's"),
    ]

    static let command = Command(
        name: "compare", summary: "Compare an app's log with a track: reported, missed and false transitions.",
        options: [
            Option("--track", value: "FILE", help: "The positions of the phone, in a format of 'picket feed'"),
            Option("--log", value: "FILE", help: "The app's log: one JSON object on each line"),
        ] + fileOptions + [
            Option("--prefix", value: "TEXT", help: "Prefix of the app's region identifiers, in addition to picket/"),
            Option("--max-delay", value: "DURATION", help: "A transition reported later counts as missed; default: 15m"),
            Option(
                "--clock-skew", value: "SKEW",
                help: "How far the log's clock is ahead, for example 1h or -90s; auto: as estimated; default: 0"),
            QueryCommands.since, QueryCommands.until,
            Option("--junit", value: "FILE", help: "Also write a JUnit report, for continuous integration"),
            Option("--html", value: "FILE", help: "Also write a page for a browser"),
        ] + Option.decoding + Option.client,
        discussion: """
            The reference is what a phone's system reports on the track with every geofence registered and healthy, without a limit. Each
            transition was reported or missed. For a missed or false transition, the log and the snapshot show the reason: location off,
            authorization, orphaned identifier, not registered, drifted, notification off, throttled, duplicate, near the boundary, a gap
            in the log or in the track; or unexplained. The exit status is 1 if something was missed or false, or if a part of the
            input was refused. With --track, --geofences and --log, no store and no service is read. With --device only, the observations
            that an app has sent to a service are compared with the stored positions, by default those of the last day.
            """,
        examples: [
            "picket compare --track ride.gpx --geofences places.geojson --log app.ndjson",
            "picket compare --track ride.gpx --geofences places.geojson --log app.ndjson --platform android --prefix com.example. --junit geofences.xml",
            "picket compare --device pixel --since 7d --html pixel.html",
        ], run: run)

    /// The maximum number of missed and false transitions that are printed one by one.
    private static let mostFaults = 20
    /// The maximum number of geofences that are printed.
    private static let mostGeofences = 50

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        var hasRefusals = false
        let report = try isOfStoredLog(invocation) ? storedReport(invocation) : fileReport(invocation, &hasRefusals)
        let zone = invocation.timeZone
        let words = ComparisonWords(report, in: invocation.language) { Format.time($0, in: zone) }
        if let path = invocation.value("--junit") { try OutputFile.write(JUnitReport(report, words).xml, to: path) }
        if let path = invocation.value("--html") { try OutputFile.write(ComparisonPage(report, words).html, to: path) }
        if invocation.isJSON {
            invocation.output.print(report.json.description)
        } else {
            print(report, words, to: invocation.output)
            for path in [invocation.value("--junit"), invocation.value("--html")].compactMap({ $0 }) {
                invocation.print(Phrase("Written: \(path)"))
            }
        }
        return report.isClean && !hasRefusals ? .done : .needsAttention
    }

    // MARK: - Input

    /// Whether the observations and positions are those of a device on record.
    private static func isOfStoredLog(_ invocation: Invocation) throws(Problem) -> Bool {
        let files = fileOptions.map(\.name).filter(invocation.has)
        guard invocation.has("--device"), !invocation.has("--track"), !invocation.has("--log") else {
            if let given = ["--since", "--until"].first(where: invocation.has) {
                throw .usage(reason: .exclude(given, files.first ?? "--track"), help: "picket compare --help")
            }
            return false
        }
        if let other = files.first { throw .usage(reason: .goWith(other, "--track"), help: "picket compare --help") }
        return true
    }

    /// Compares the observations that a service has stored with the positions on record.
    private static func storedReport(_ invocation: Invocation) throws(Problem) -> ComparisonReport {
        let question = try ComparisonQuestion(
            of: try invocation.requiredValue("--device"), by: invocation.timeReader, prefix: "--", maxDelayName: "max-delay",
            skewName: "clock-skew"
        ) { invocation.value("--" + $0) }
        return try invocation.reader().comparison(question)
    }

    private static func fileReport(_ invocation: Invocation, _ hasRefusals: inout Bool) throws(Problem) -> ComparisonReport {
        let trackPath = try invocation.requiredValue("--track")
        let geofencePath = try invocation.requiredValue("--geofences")
        let logPath = try invocation.requiredValue("--log")
        let options = try options(invocation)
        let decoding = try invocation.decodingOptions()
        let (geofences, hasRefusedGeofences) = try InputFile.geofences(geofencePath, invocation)
        guard geofences.contains(where: \.isActive) else {
            throw .decodingFailed(source: .verbatim(geofencePath), line: nil, reason: .nothingInIt)
        }
        let log = try AppLogDecoder.decode([UInt8](try GeofenceFile.read(logPath)), file: logPath)
        if log.observations.isEmpty && log.refusals.isEmpty {
            throw .decodingFailed(source: .verbatim(logPath), line: nil, reason: .nothingInIt)
        }
        Picket.warn(log.refusals, in: invocation.language, invocation.environment)
        hasRefusals = hasRefusedGeofences || !log.refusals.isEmpty
        let (device, fixes) = try track(trackPath, invocation, decoding, &hasRefusals)
        var snapshot: AppLogComparison.Snapshot?
        if let path = invocation.value("--snapshot") {
            snapshot = try self.snapshot(path, options.names, invocation, &hasRefusals)
        }
        return AppLogComparison.report(
            of: log.log, along: fixes, of: Device(id: device, platform: options.profile.platform), geofences: geofences,
            snapshot: snapshot, options: options)
    }

    private static func options(_ invocation: Invocation) throws(Problem) -> AppLogComparison.Options {
        var profile = PlatformProfile(try invocation.oneOf("--platform", Device.Platform.self) ?? .ios)
        if let limit = try invocation.integer("--limit", in: 1...10_000) { profile.limit = limit }
        var options = AppLogComparison.Options(profile, names: RegionNames(prefix: invocation.value("--prefix")))
        options.maxDelay = try ComparisonQuestion.maxDelay(invocation.value("--max-delay"), field: "--max-delay")
        options.skew = try ComparisonQuestion.skew(invocation.value("--clock-skew"), field: "--clock-skew")
        return options
    }

    /// The positions of the one device of a track, sorted by time. Prints what cannot be used on standard error.
    private static func track(
        _ path: String, _ invocation: Invocation, _ decoding: DecodingOptions, _ hasRefusals: inout Bool
    ) throws(Problem) -> (device: String, fixes: [Fix]) {
        // With the device in the options, the decoder would give it the positions of other devices as well.
        var options = decoding
        options.device = nil
        let batch = try TrackFile.read(path, options)
        for refusal in batch.refusals {
            hasRefusals = true
            Picket.warn(refusal, in: invocation.language, invocation.environment)
        }
        if batch.rows.isEmpty && batch.refusals.isEmpty {
            throw .decodingFailed(source: .verbatim(path), line: nil, reason: .nothingInIt)
        }
        var fixes: [Int32: [Fix]] = [:]
        for row in batch.rows where row.isValid { fixes[Int32(row.device), default: []].append(row.fix) }
        let names = fixes.keys.filter { $0 >= 0 }.map { batch.deviceNames[Int($0)] }.sorted()
        var chosen = fixes.keys.first
        if let device = decoding.device, let number = fixes.keys.first(where: { $0 >= 0 && batch.deviceNames[Int($0)] == device })
        {
            chosen = number
        } else if fixes.count > 1 {
            throw .validationFailed(
                field: "--device", value: decoding.device ?? "",
                reason: Phrase("the track has positions of several devices: \(list: Array(names.prefix(10)))"),
                expected: .oneOf(Array(names.prefix(10))))
        }
        let own = chosen.flatMap { fixes[$0] } ?? []
        let name = chosen.map { $0 < 0 ? "" : batch.deviceNames[Int($0)] } ?? ""
        let sorted = own.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        return (decoding.device ?? name, sorted)
    }

    /// The content of a phone in a file; nil if it belongs to another app, which is printed on standard error.
    private static func snapshot(
        _ path: String, _ names: RegionNames, _ invocation: Invocation, _ hasRefusals: inout Bool
    ) throws(Problem) -> AppLogComparison.Snapshot? {
        let snapshot = try AppLogComparison.Snapshot(json: InputFile.json(path))
        guard snapshot.isOfAnotherApp(names) else { return snapshot }
        hasRefusals = true
        let identifiers = (snapshot.content.regions ?? []).prefix(3).map { String($0.id.text.prefix(80)) }
        let refusal = Refusal(
            file: path, field: "regions", value: "",
            reason: .expecting(
                Phrase("none of its regions belongs to a geofence: \(list: identifiers)"),
                .identifiersBeginningWith(names.prefixes)))
        Picket.warn(refusal, in: invocation.language, invocation.environment)
        return nil
    }

    // MARK: - Output

    private static func print(_ report: ComparisonReport, _ words: ComparisonWords, to output: Output) {
        output.print(words.scope(report))
        if !report.transitions.isEmpty || report.fixCount > 1 { output.print(words.result(report)) }
        if !report.geofences.isEmpty {
            let locale = Locale(identifier: words.language.rawValue)
            var table = Table(words.columns.map { $0.uppercased(with: locale) }, numeric: [1, 2, 3, 4, 5, 6])
            // Those with faults first, so that a long table shows them.
            let rows = report.geofences.enumerated().sorted {
                ($1.element.tally.faultCount, $0.offset) < ($0.element.tally.faultCount, $1.offset)
            }
            for (_, row) in rows.prefix(mostGeofences) {
                let (number, tally) = (words.language.number, row.tally)
                table.add([
                    words.shown(row.name), number(tally.happened), number(tally.reported), delay(tally.medianDelay, words),
                    delay(tally.worstDelay, words), number(tally.missed), number(tally.falseCount),
                ])
            }
            table.print(to: output)
            printMore(report.geofences.count - mostGeofences, words, to: output)
        }
        let names = report.names
        let faults = report.faults
        for fault in faults.prefix(mostFaults) {
            let name = words.shown(names[fault.geofenceID] ?? fault.geofenceID)
            output.print(
                "\(words.time(fault.at))  \(fault.phrase.text(in: words.language))  \(name)  \(words.explanation(fault))")
        }
        printMore(faults.count - mostFaults, words, to: output)
        for remark in words.remarks(report) { output.print(remark) }
    }

    private static func delay(_ seconds: Double?, _ words: ComparisonWords) -> String { seconds.map(words.duration) ?? "–" }

    private static func printMore(_ count: Int, _ words: ComparisonWords, to output: Output) {
        if count > 0 { output.print(Phrase("… and \(count) more; --json names them").text(in: words.language)) }
    }
}
