import Client
import Core
import History
import Model
import ToolSupport

/// `picket stops`: lists where devices stood still outside of geofences.
enum StopCommand {
    static let command = Command(
        name: "stops", summary: "List where devices stood still outside of geofences, and how long.",
        options: [
            Option("--device", value: "ID", isRepeatable: true, help: "Only this device; can be given several times"),
            QueryCommands.since, QueryCommands.until,
            Option("--min-duration", value: "DURATION", help: "Leave out stops that are shorter; default: 5m"),
        ] + TableFormat.options + Option.client,
        discussion: """
            A stop lasts from the first to the last position within 100 m. A single position elsewhere does not end it, and neither does a
            time without positions, because many trackers sleep while the engine is off. 'picket visits' lists stops at geofences.
            """,
        examples: [
            "picket stops --device van-7 --since 2026-10 --until 2026-10",
            "picket stops --since yesterday --min-duration 15m --xlsx stops.xlsx",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let service = try invocation.reader()
        let (since, until) = try Period.read(
            since: invocation.value("--since"), until: invocation.value("--until"), by: invocation.timeReader, prefix: "--")
        let minDuration = try invocation.duration("--min-duration", in: 0...TimeSpan.longest)
        let named = invocation.all("--device")
        let devices = named.isEmpty ? try service.devices().map(\.id) : named
        let (zone, language, output) = (invocation.timeZone, invocation.language, invocation.output)
        func forEachStop(_ body: (Stop) -> Void) throws(Problem) {
            for device in devices {
                try service.stops(ofDevice: device, since: since, until: until, minDuration: minDuration).forEach(body)
            }
        }
        let format = try invocation.tableFormat() ?? .text
        switch format {
        case .json: try forEachStop { output.print($0.json.description) }
        case .csv, .workbook:
            let file = try TableFile(format, Stop.columns, named: "stops", in: zone, to: output)
            try forEachStop { file?.add($0) }
            try file?.close()
        case .text:
            var table = Table(Phrase("DEVICE|FROM|TO|FOR|PLACE"), numeric: [3], in: language)
            var count = 0
            try forEachStop { stop in
                count += 1
                table.add([
                    stop.deviceId, Format.time(stop.startedAt, in: zone), Format.time(stop.endedAt, in: zone),
                    language.duration(stop.duration), Format.place(stop.coordinate),
                ])
            }
            if count == 0 { invocation.print(Phrase("No stops outside of geofences.")) } else { table.print(to: output) }
        }
        return .done
    }
}
