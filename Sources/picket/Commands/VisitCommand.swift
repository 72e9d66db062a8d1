import Client
import Core
import Foundation
import Model
import Presence
import Service
import ToolSupport
import Workers

/// `picket visits`: lists visits, or their totals.
enum VisitCommand {
    static let command = Command(
        name: "visits", summary: "List visits: which device was in which geofence, and when.",
        options: QueryCommands.filters + [
            QueryCommands.notGeofence, QueryCommands.minDuration, TableFormat.option, TableFormat.csvFor,
            TableFormat.xlsx,
            Option("--open", "Only visits that have not ended"),
            Option("--totals", "Add up durations by device and geofence; with --since or --until, only the time between them"),
            Option("--elapsed", "Count the whole time from enter to exit, or to now, including silence"),
        ] + Option.client,
        discussion: """
            FOR is how long the device was seen during the visit: the time between positions inside that are no further apart than its
            silentAfter (six hours, or 'device edit --silent-after'). A visit with one position has 0 s. The visit of a silent device
            continues, because it was not seen leaving, but silence is not counted. If more than silentAfter has passed since its last
            position, 'not seen since' says so.
            """,
        examples: [
            "picket visits --geofence school --since 2026-05-01 --until 2026-06-01",
            "picket visits --totals --since 2026-05-01 --until 2026-06-01 --min-duration 3m",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let service = try invocation.reader()
        var filter = try QueryCommands.filter(invocation)
        filter.minDuration = try invocation.duration("--min-duration", in: 0...TimeSpan.longest)
        let question = VisitRequest(
            filter: filter, onlyOpen: invocation.has("--open"), countsSilence: invocation.has("--elapsed"),
            now: invocation.clock.now(), zone: invocation.timeZone, language: invocation.language, output: invocation.output,
            notes: Output(descriptor: STDERR_FILENO, environment: invocation.environment),
            format: try invocation.tableFormat() ?? .text)
        if invocation.has("--totals") {
            guard filter.limit == nil else {
                throw .usage(
                    reason: Phrase("--limit selects visits, but --totals adds up all visits: give only one of the two"),
                    help: "picket visits --help")
            }
            try question.printTotals(of: service)
        } else {
            try question.printVisits(of: service)
        }
        return .done
    }

    /// The filter of `picket visits`, and how to print the result.
    private struct VisitRequest {
        let filter: Queries.EventFilter
        let onlyOpen: Bool
        /// Whether to show the time from enter to exit instead of the time in which the device was seen.
        let countsSilence: Bool
        /// The end that is used for the elapsed time of an open visit.
        let now: Instant
        let zone: LocalTimeZone
        let language: Language
        let output: Output
        /// Standard error, for what does not belong to a file.
        let notes: Output
        let format: TableFormat

        func printVisits(of service: ServiceClient) throws(Problem) {
            switch format {
            case .json:
                return printOmitted(
                    try service.forEachVisit(filter, onlyOpen: onlyOpen) { output.print($0.json.description) })
            case .csv, .workbook:
                let file = try TableFile(format, HistoryExport.visitColumns, named: "visits", in: zone, to: output)
                let omitted = try service.forEachVisit(filter, onlyOpen: onlyOpen) { file?.add($0) }
                try file?.close()
                return printOmitted(omitted)
            case .text: break
            }
            var table = Table(Phrase("DEVICE|GEOFENCE|FROM|TO|FOR|"), numeric: [4], in: language)
            var count = 0
            let omitted = try service.forEachVisit(filter, onlyOpen: onlyOpen) { visit in
                count += 1
                let unseen = visit.notSeenSince.map { Phrase("not seen since \(Format.time($0, in: zone))").text(in: language) }
                let exit = visit.exitedAt.map { Format.time($0, in: zone) }
                let counted: Double? = countsSilence ? visit.duration ?? max(0, now - visit.enteredAt) : visit.seenSeconds
                table.add([
                    visit.deviceId, visit.geofenceName, Format.time(visit.enteredAt, in: zone),
                    exit ?? unseen ?? Phrase("still there").text(in: language),
                    counted.map { language.duration($0) } ?? "",
                    visit.exitedAt == nil ? "" : unseen ?? "",
                ])
            }
            printTable(table, isEmpty: count == 0)
            printOmitted(omitted)
            try printUnevaluated(in: service)
        }

        /// Prints how many visits are left out because they are too short.
        private func printOmitted(_ count: Int) {
            if case .json = format {
                if filter.minDuration != nil { output.print(#"{"summary":{"omittedVisits":\#(count)}}"#) }
            } else if let words = language.omittedVisits(count, shorterThan: filter.minDuration) {
                (format.isText ? output : notes).print(words)
            }
        }

        private func printUnevaluated(in service: ServiceClient) throws(Problem) {
            for sentence in try service.unevaluatedPositions(filter).sentences(in: language, zone: zone) {
                output.print(sentence)
            }
        }

        func printTotals(of service: ServiceClient) throws(Problem) {
            switch format {
            case .json:
                return printOmitted(
                    try service.forEachVisitTotal(filter, onlyOpen: onlyOpen) { output.print($0.json.description) })
            case .csv, .workbook:
                let file = try TableFile(format, VisitTotalTable.columns, named: "visits", in: zone, to: output)
                let omitted = try service.forEachVisitTotal(filter, onlyOpen: onlyOpen) { file?.add($0) }
                try file?.close()
                return printOmitted(omitted)
            case .text: break
            }
            var table = Table(Phrase("DEVICE|GEOFENCE|VISITS|FOR"), numeric: [2, 3], in: language)
            var all = VisitTotal(deviceId: Phrase("all").text(in: language), geofenceId: "", geofenceName: "")
            var count = 0
            let omitted = try service.forEachVisitTotal(filter, onlyOpen: onlyOpen) { total in
                count += 1
                table.add(row(total))
                all.add(total)
            }
            if count > 1 { table.add(row(all)) }
            printTable(table, isEmpty: count == 0)
            printOmitted(omitted)
            try printUnevaluated(in: service)
            if countsSilence { return }
            let silence = all.elapsedSeconds - all.seenSeconds
            if silence >= 1 {
                print(
                    Phrase(
                        """
                        Not counted: \(duration: silence) in which the devices were not seen. --elapsed counts from enter to exit.
                        """))
            }
        }

        private func row(_ total: VisitTotal) -> [String] {
            [
                total.deviceId, total.geofenceName, language.number(total.visits),
                language.duration(countsSilence ? total.elapsedSeconds : total.seenSeconds),
            ]
        }

        private func print(_ phrase: Phrase) { output.print(phrase.text(in: language)) }

        private func printTable(_ table: Table, isEmpty: Bool) {
            if isEmpty {
                print(QueryCommands.isUnfiltered(filter) ? Phrase("No visits yet.") : Phrase("No visits that match."))
            } else {
                table.print(to: output)
            }
        }
    }
}
