import Client
import Core
import Foundation
import Ingest
import Model
import Places
import Presence
import Service
import ToolSupport

/// `picket feed`: reads positions from files and prints the transitions.
enum FeedCommand {
    static let command = Command(
        name: "feed", summary: "Read positions from files, and print the events.", arguments: "FILE…", count: 1...100_000,
        options: [
            Option(
                "--policy", value: "POLICY", help: "Decision policy of the devices from now on: exact, balanced, phone or JSON"
            )
            .choosing(DecisionPolicy.Name.self),
            Option("--quiet", "Print only the summary"),
            Option("--dry-run", "Store nothing; evaluate the positions in a copy of the store"),
        ] + Option.decoding + Option.client,
        discussion: """
            Reads GPX, KML, KMZ, TCX, CSV, GeoJSON, NMEA 0183, JSON, NDJSON, OwnTracks .rec, exports of Google Timeline and Takeout, and
            files of 'picket device export', also compressed with gzip, and recognizes the format by the content. Positions that name no
            device belong to the one named by the file or its folder: walk.gpx to 'walk', anna/20260501.gpx to 'anna'; --device names
            another. FILE may be a directory, or - for standard input. An event is printed once it is on disk. Feeding the
            same file again changes nothing. If the connection to a service is lost, unacknowledged positions are sent again: up to five
            times for files, without limit for standard input.
            """,
        examples: [
            "picket feed ride.gpx --device ben-bike", "picket feed tracks/ --policy exact --dry-run",
            "tail -f positions.ndjson | picket feed -",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        var options = FileFeed.Options(
            decoding: try invocation.decodingOptions(), policy: try invocation.policy("--policy"))
        if !invocation.has("--input-timezone") { options.decoding.timeZone = .undecided }
        let trial = invocation.has("--dry-run") ? try FeedTrial(invocation) : nil
        defer { withExtendedLifetime(trial) {} }
        let target: any FeedTarget
        if let trial {
            target = trial.service
        } else {
            target = try feedTarget(invocation)
        }
        let printer = FeedPrinter(invocation)
        let summary = FileFeed.run(invocation.words, into: target, options: options, observer: printer.observer)
        printer.printSummary(summary)
        if trial != nil, !invocation.isJSON { invocation.print(Phrase("Nothing was stored.")) }
        if let failure = summary.failure { throw failure }
        // Otherwise the first command that reads tracks would have to do this, and could not while another one writes.
        if trial == nil, let service = target as? ServiceWriter, try !service.canReadTracks() { try service.sortFixes() }
        return printer.status
    }

    /// The service that is named or that works on the data directory, else the store of the directory.
    private static func feedTarget(_ invocation: Invocation) throws(Problem) -> any FeedTarget {
        let place = try invocation.writingPlace { () throws(Problem) in
            try ServiceWriter(invocation.directory, purpose: invocation.command.name, patience: 0)
        }
        switch place {
        case .here(let service):
            try service.beginFeeding(invocation.settings())
            return invocation.reportDirectoryCare(of: service)
        case .service(let service):
            let reconnector = invocation.reconnector(
                invocation.words.contains(where: isStream) ? .onceConnected : .limited, to: service, .sending)
            return try service.makeFeed(reconnector)
        }
    }

    /// Whether an input may never end: standard input, or a path that is neither a file nor a directory, such as a pipe.
    private static func isStream(_ path: String) -> Bool {
        var status = stat()
        return path == "-" || stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }
}

/// Prints the events, the refusals (input that could not be used), the problems, the progress and the summary of a feed.
final class FeedPrinter {
    private let invocation: Invocation
    private let progress: Progress
    /// The number of refusals of each kind.
    private var refusals: [RefusalKind: Int] = [:]
    /// Whether a file could not be read or written.
    private var hasFailed = false
    /// Whether input was refused, or another problem occurred.
    private var hasProblems = false

    private struct RefusalKind: Hashable {
        var file: String?
        var field: String
        var kind: Refusal.Kind
    }

    /// The maximum number of refusals of one kind that are printed one by one. The others are only counted. JSON output has all
    /// refusals.
    private static let maxShown = 3

    /// The maximum number of devices named by files that are printed one by one.
    private static let maxDevices = 10

    init(_ invocation: Invocation) {
        self.invocation = invocation
        progress = Progress(Phrase("Feeding"), of: invocation)
    }

    var status: ExitStatus { hasFailed ? .failed : hasProblems ? .needsAttention : .done }

    var observer: FileFeed.Observer {
        FileFeed.Observer(
            event: { [self] event in
                if invocation.has("--quiet") { return }
                progress.clear()
                invocation.output.print(
                    invocation.isJSON ? event.json.description : Format.line(event, for: invocation))
            },
            refusal: { [self] in printRefusal($0) },
            remark: { [self] in printRemark($1, path: $0) },
            problem: { [self] problem in
                if case .fileFailed = problem { hasFailed = true } else { hasProblems = true }
                progress.clear()
                invocation.output.flush()
                invocation.report(problem)
            },
            progress: { [self] in
                invocation.output.flush()
                progress.update($0, of: $1)
            })
    }

    private func printRemark(_ remark: Phrase, path: String) {
        if invocation.isJSON {
            let words: JSONValue = ["file": .string(path), "reason": .string(remark.text(in: invocation.language))]
            invocation.output.print(JSONValue.object([JSONValue.Member("remark", words)]).description)
        } else {
            progress.clear()
            invocation.output.flush()
            Picket.note(remark, path: path, in: invocation.language, invocation.environment)
        }
    }

    private func printRefusal(_ refusal: Refusal) {
        hasProblems = true
        // Fields that differ only in the index of a list element are one kind: `features[7].properties.time` and
        // `features[8].properties.time`.
        let field = refusal.field.filter { !$0.isNumber }
        let kind = RefusalKind(file: refusal.file, field: field, kind: refusal.kind)
        refusals[kind, default: 0] += 1
        if invocation.isJSON {
            invocation.output.print(refusal.json.description)
        } else if refusals[kind, default: 0] <= Self.maxShown {
            progress.clear()
            invocation.output.flush()
            Picket.warn(refusal, in: invocation.language, invocation.environment)
        }
    }

    /// The part of the summary about replays of late fixes, such as "2 devices evaluated again because of late positions: 1 event retracted, 3
    /// new. ". Empty when no device was replayed.
    private static func replaySummary(_ counts: ReplayCounts) -> Phrase {
        if counts.devices == 0 { return Phrase("") }
        let (devices, retracted, new) = (counts.devices, counts.retracted, counts.new)
        let result =
            retracted + new == 0
            ? Phrase("nothing to correct")
            : Phrase(
                retracted, one: "\(retracted) event retracted, \(new) new", other: "\(retracted) events retracted, \(new) new")
        return Phrase(
            devices, one: "\(devices) device evaluated again because of late positions: \(result). ",
            other: "\(devices) devices evaluated again because of late positions: \(result). ")
    }

    /// The part of the summary about late fixes that are not evaluated. Empty when there are none.
    private static func waitingSummary(_ summary: FileFeed.Summary) -> Phrase {
        let skipped = summary.replays.skipped
        if skipped > 0 {
            return Phrase(
                skipped,
                one: """
                    Late positions of \(skipped) device could not be evaluated, because older positions were deleted or never kept.\u{20}
                    """,
                other: """
                    Late positions of \(skipped) devices could not be evaluated, because older positions were deleted or never kept.\u{20}
                    """)
        }
        let waiting = summary.counts.waiting
        if waiting == 0 { return Phrase("") }
        return Phrase(
            waiting, one: "\(waiting) late position is not evaluated yet; the service evaluates them soon. ",
            other: "\(waiting) late positions are not evaluated yet; the service evaluates them soon. ")
    }

    /// The part of the summary about times without an offset from UTC. Empty when there were none.
    private static func zoneSummary(_ times: TimesWithoutZone) -> Phrase {
        times.counts.reduce(Phrase("")) { text, entry in
            let (count, zone) = (entry.count, entry.timeZone)
            let next = Phrase(
                count, one: "\(count) time had no time zone and was read as \(zone). ",
                other: "\(count) times had no time zone and were read as \(zone). ")
            return Phrase("\(text)\(next)")
        }
    }

    /// Prints which files became which device.
    private func printNamedDevices(_ devices: [FileFeed.NamedDevice]) {
        for device in devices.prefix(Self.maxDevices) {
            let (id, file, more) = (Format.printable(device.id), Format.printable(device.firstFile), device.files - 1)
            invocation.print(
                more < 1
                    ? Phrase("Device \(id): \(file).")
                    : Phrase(
                        more, one: "Device \(id): \(file) and \(more) more file.",
                        other: "Device \(id): \(file) and \(more) more files."))
        }
        if devices.count > Self.maxDevices {
            let rest = devices.dropFirst(Self.maxDevices)
            let files = rest.reduce(0) { $0 + $1.files }
            let more = Phrase(rest.count, one: "\(rest.count) more device", other: "\(rest.count) more devices")
            invocation.print(Phrase("\(more) of \(Phrase.files(files)). --json names all."))
        }
    }

    func printSummary(_ summary: FileFeed.Summary) {
        progress.clear()
        let output = invocation.output
        if invocation.isJSON {
            output.print(summary.json.description)
            return
        }
        printNamedDevices(summary.namedDevices)
        let counts = summary.counts
        var parts = [Phrase("\(counts.accepted) accepted")]
        if counts.late > 0 { parts.append(Phrase("\(counts.late) of them late (older than the newest of their device)")) }
        if counts.duplicates > 0 {
            parts.append(
                Phrase(counts.duplicates, one: "\(counts.duplicates) duplicate", other: "\(counts.duplicates) duplicates"))
        }
        if counts.refused > 0 { parts.append(Phrase("\(counts.refused) refused")) }
        let transitions = Phrase(
            counts.events, one: "\(counts.events) transition", other: "\(counts.events) transitions")
        let remarks = Phrase(
            """
            \(Self.replaySummary(summary.replays))\(Self.waitingSummary(summary))\(Self.zoneSummary(summary.timesWithoutZone))
            """)
        let seconds = Format.decimal(summary.seconds, 2)
        invocation.print(
            Phrase(
                """
                \(Phrase.positions(counts.fixes)) from \(Phrase.files(summary.files)): \(list: parts.map(invocation.text)). \
                \(transitions). \(remarks)\(decimal: seconds) s, \(Int(summary.fixesPerSecond)) positions/s.
                """))
        for problem in summary.problems { output.print(problem.message.text(in: invocation.language)) }
        let more = refusals.filter { $0.value > Self.maxShown }.map { ($0.key, $0.value - Self.maxShown) }
        for (kind, count) in more.sorted(by: {
            ($0.0.file ?? "", $0.0.field, $0.0.kind.rawValue) < ($1.0.file ?? "", $1.0.field, $1.0.kind.rawValue)
        }) {
            let file = kind.file.map(Phrase.verbatim) ?? Phrase("the input")
            invocation.print(Phrase("Not shown: \(count) more of \(file) refused for \(kind.field). --json names all."))
        }
    }
}
