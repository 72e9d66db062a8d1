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
            Option("--addresses", "Show the address of each stop; the geocoder gets its coordinates").setting("addresses"),
        ] + TableFormat.options + Option.client,
        discussion: """
            A stop lasts from the first to the last position within 100 m. A single position elsewhere does not end it, and neither does a
            time without positions, because many trackers sleep while the engine is off. 'picket visits' lists stops at geofences.

            Addresses need the setting 'geocoder' of the service. A geocoder on the Internet is asked once a second, and for each place once.
            """,
        examples: [
            "picket stops --device van-7 --since 2026-10 --until 2026-10",
            "picket stops --since yesterday --min-duration 15m --xlsx stops.xlsx",
            "picket stops --device van-7 --since yesterday --addresses",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let service = try invocation.reader()
        let (since, until) = try Period.read(
            since: invocation.value("--since"), until: invocation.value("--until"), by: invocation.timeReader, prefix: "--")
        let minDuration = try invocation.duration("--min-duration", in: 0...TimeSpan.longest)
        let named = invocation.all("--device")
        let devices = named.isEmpty ? try service.devices().map(\.id) : named
        let (zone, language, output) = (invocation.timeZone, invocation.language, invocation.output)
        let hasAddresses = invocation.has("--addresses")
        let progress = hasAddresses ? Progress(Phrase("Addresses to look up"), of: invocation) : nil
        var (problems, attribution): ([Problem], String?) = ([], nil)
        func forEachStop(_ body: (Stop) -> Void) throws(Problem) {
            defer { progress?.clear() }
            for device in devices {
                let list: StopList
                do throws(Problem) {
                    list = try service.stops(
                        ofDevice: device, since: since, until: until, minDuration: minDuration,
                        addresses: progress.map { progress in { progress.update($0, of: nil) } })
                } catch {
                    throw invocation.naming(error)
                }
                if let problem = list.addressProblem, !problems.contains(problem) { problems.append(problem) }
                attribution = list.attribution ?? attribution
                list.stops.forEach(body)
            }
        }
        let format = try invocation.tableFormat() ?? .text
        switch format {
        case .json:
            try forEachStop { stop in
                var json = stop.json
                if stop.address != nil, let attribution {
                    json = .object((json.members ?? []) + [.init("attribution", .string(attribution))])
                }
                output.print(json.description)
            }
        case .csv, .workbook:
            let file = try TableFile(format, Stop.columns(withAddress: hasAddresses), named: "stops", in: zone, to: output)
            try forEachStop { file?.add($0) }
            try file?.close()
        case .text:
            var table = Table(
                hasAddresses ? Phrase("DEVICE|FROM|TO|FOR|PLACE|ADDRESS") : Phrase("DEVICE|FROM|TO|FOR|PLACE"), numeric: [3],
                in: language)
            var count = 0
            try forEachStop { stop in
                count += 1
                table.add(
                    [
                        stop.deviceId, Format.time(stop.startedAt, in: zone), Format.time(stop.endedAt, in: zone),
                        language.duration(stop.duration), Format.place(stop.coordinate),
                    ] + (hasAddresses ? [stop.address.map { Format.printable($0, atMost: 500) } ?? Table.noValue] : []))
            }
            if count == 0 { invocation.print(Phrase("No stops outside of geofences.")) } else { table.print(to: output) }
            if let attribution { invocation.print(Phrase("Addresses: \(attribution)")) }
        }
        for problem in problems { invocation.report(problem) }
        return problems.isEmpty ? .done : .needsAttention
    }
}
