import Foundation
import Model
import Service

/// `picket status`, `events` and `visits`.
enum QueryCommands {
    static let all = [status, events, visits]

    private static let filters = [
        Option("--device", "ID", "Only of this device"),
        Option("--geofence", "ID", "Only of this geofence"),
        Option("--since", "TIME", "Not before this time, as 2026-05-01T10:00:00Z, or a day"),
        Option("--until", "TIME", "Before this time"),
        Option("--limit", "N", "Only the newest so many"),
    ]

    private static func filter(_ invocation: Invocation) throws(Problem) -> GeofenceService.EventFilter {
        var filter = GeofenceService.EventFilter()
        filter.deviceId = invocation.value("--device")
        filter.geofenceId = invocation.value("--geofence")
        filter.since = try invocation.instant("--since")
        filter.until = try invocation.instant("--until")
        filter.limit = try invocation.whole("--limit", in: 1...100_000_000)
        return filter
    }

    // MARK: - Status

    static let status = Command(
        name: "status", summary: "Who is where, since when, and the last fix.",
        options: [filters[0], filters[1], GroupCommands.option] + Option.client,
        examples: ["picket status", "picket status --geofence school --group family"]
    ) { invocation throws(Problem) in
        let archive = try invocation.archive()
        var filter = GeofenceService.EventFilter()
        filter.deviceId = invocation.value("--device")
        filter.geofenceId = invocation.value("--geofence")
        try archive.check(filter)
        let group = invocation.value("--group")
        var whereabouts = try archive.whereabouts(deviceId: filter.deviceId, geofenceId: filter.geofenceId)
        if let group {
            let members = Set(try archive.devices(inGroup: group).map(\.id))
            whereabouts.removeAll { !members.contains($0.device.id) }
        }
        let output = invocation.output
        if invocation.isJSON {
            for line in whereabouts { output.print(line.json.description) }
            return .done
        }
        let width = min(30, whereabouts.map(\.device.id.count).max() ?? 0)
        for line in whereabouts { output.print("\(line.device.id.padding(width))  \(place(line))") }
        if filter.deviceId == nil && filter.geofenceId == nil && group == nil {
            let totals = try archive.totals()
            output.print(
                "\(Wording.count(totals.devices, "device", "devices")), \(Wording.count(totals.geofences, "geofence", "geofences")), "
                    + "\(Wording.count(totals.fixes, "fix", "fixes")), \(Wording.count(Int(totals.events), "event", "events")) "
                    + "in \(archive.place)")
        } else if whereabouts.isEmpty {
            output.print(
                group == nil ? "Nobody is there." : "No device matches \(invocation.filter("--geofence", "--group") ?? "").")
        }
        return .done
    }

    /// Where a device is, in words.
    static func place(_ whereabouts: GeofenceService.Whereabouts) -> String {
        guard let fix = whereabouts.newest else { return "never heard of" }
        let places = whereabouts.inside.map { "\($0.geofenceName) since \(Wording.time($0.enteredAt))" }
        let accuracy = fix.accuracy.map { " ±\(Wording.length($0))" } ?? ""
        return (places.isEmpty ? "in no geofence" : "in " + places.joined(separator: ", "))
            + "; last fix \(Wording.time(fix.time))\(accuracy)\(whereabouts.isDoubted ? ", not believed before the next one agrees" : "")"
            + (whereabouts.silentSince.map { "; silent since \(Wording.time($0))" } ?? "")
    }

    // MARK: - Events

    static let events = Command(
        name: "events", summary: "What happened: enters, exits, dwells, and devices that fell silent.",
        options: filters + [
            Option("--type", "TYPE", "Only enter, exit, dwell, silent, returned, alarm or retracted").choosing(EventType.self),
            Option("--all", "Also events that late fixes proved wrong, and the entries that take them back"),
            Option("--follow", "Go on, and print new events as they come, also those that take others back"),
        ] + Option.client,
        examples: ["picket events --device anna-phone --since 2026-05-01", "picket events --follow --json"]
    ) { invocation throws(Problem) in
        if let service = try invocation.namedService() {
            return try events(of: service, invocation) { (filter, show) throws(Problem) in
                let next = filter
                filter.after = try service.readEvents(next, waiting: 30) { show($0, &filter) }
            }
        }
        // Whoever follows may come before the first fix.
        var service = try invocation.readingService()
        while invocation.has("--follow"), !service.hasStore {
            usleep(100_000)
            service = try invocation.readingService()
        }
        // Each commit of a writer moves the counter; asking costs a page read.
        var seen = -1
        return try events(of: service, invocation) { (filter, show) throws(Problem) in
            let counter = try service.changeCounter()
            if counter == seen {
                usleep(100_000)
                return
            }
            seen = counter
            let next = filter
            try service.forEachEvent(next) { show($0, &filter) }
        }
    }

    private typealias Show = (Event, inout GeofenceService.EventFilter) -> Void

    /// Prints events, and goes on when that is asked for.
    ///
    /// - Parameter follow: Shows what is new, or waits for a while.
    private static func events(
        of archive: any Archive, _ invocation: Invocation,
        follow: (inout GeofenceService.EventFilter, Show) throws(Problem) -> Void
    ) throws(Problem) -> ExitStatus {
        var filter = try filter(invocation)
        filter.type = try invocation.oneOf("--type", EventType.self)
        filter.standing = !invocation.has("--all") && filter.type != .retracted
        try archive.check(filter)
        let output = invocation.output
        var count = 0
        func show(_ event: Event, _ filter: inout GeofenceService.EventFilter) {
            count += 1
            filter.after = event.sequence
            output.print(invocation.isJSON ? event.json.description : Wording.line(event, on: output))
        }
        let first = filter
        try archive.forEachEvent(first) { show($0, &filter) }
        guard invocation.has("--follow") else {
            if count == 0, !invocation.isJSON { output.print("No events\(isBare(first) ? " yet" : " that match").") }
            return .done
        }
        filter.limit = nil
        filter.standing = false
        while true {
            output.flush()
            try follow(&filter, show)
        }
    }

    private static func isBare(_ filter: GeofenceService.EventFilter) -> Bool {
        filter.deviceId == nil && filter.geofenceId == nil && filter.type == nil && filter.since == nil && filter.until == nil
    }

    // MARK: - Visits

    static let visits = Command(
        name: "visits", summary: "Who was where from when to when.",
        options: filters + [Option("--open", "Only those that have not ended")] + Option.client,
        examples: ["picket visits --geofence school --since 2026-05-01 --until 2026-06-01"]
    ) { invocation throws(Problem) in
        let archive = try invocation.archive()
        let filter = try filter(invocation)
        try archive.check(filter)
        let output = invocation.output
        if invocation.isJSON {
            try archive.forEachVisit(filter, onlyOpen: invocation.has("--open")) { output.print($0.json.description) }
            return .done
        }
        var table = Table(["DEVICE", "GEOFENCE", "FROM", "TO", "FOR"], numeric: [4])
        var count = 0
        try archive.forEachVisit(filter, onlyOpen: invocation.has("--open")) { visit in
            count += 1
            table.add([
                visit.deviceId, visit.geofenceName, Wording.time(visit.enteredAt),
                visit.exitedAt.map(Wording.time) ?? "still there", visit.duration.map(Wording.duration) ?? "",
            ])
        }
        if count == 0 {
            output.print("No visits\(isBare(filter) ? " yet" : " that match").")
        } else {
            table.print(to: output)
        }
        return .done
    }
}
