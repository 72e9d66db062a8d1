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
            output.print("\(Wording.contents(totals)) in \(archive.place)\(totals.identity.map { "; \(words($0))" } ?? "")")
        } else if whereabouts.isEmpty {
            output.print("Nobody is there.")
        }
        return .done
    }

    /// Which store it is.
    private static func words(_ store: StoreIdentity) -> String {
        let restores = store.restores == 0 ? "" : ", set back \(Wording.count(store.restores, "time", "times"))"
        return "store \(store.id), event numbers up to \(store.newest)\(restores)"
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
            Option(
                "--after", "NUMBER",
                "Only events after this one: its number ('sequence') or a 'cursor'; also those that take others back"),
            Option("--follow", "Go on, and print new events as they come, also those that take others back"),
        ] + Option.client,
        discussion: """
            Numbers of events grow and are never used again. When the store was set back, as by restoring a backup, the events after a
            number may be others than those that followed it once: then '--after' fails and says where to read on, and '--follow' says so
            and goes on from there.
            """,
        examples: [
            "picket events --device anna-phone --since 2026-05-01", "picket events --follow --json",
            "picket events --after 1208 --follow",
        ]
    ) { invocation throws(Problem) in
        if let service = try invocation.namedService() {
            return try events(of: service, invocation) { (filter, show) throws(Problem) in
                try service.readEvents(filter, waiting: 30, show)
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
                return filter.cursor
            }
            seen = counter
            return try service.readEvents(filter, show)
        }
    }

    /// Prints events, and goes on when that is asked for.
    ///
    /// - Parameter follow: Shows what is new, or waits for a while; gives the place to go on at.
    private static func events(
        of archive: any Archive, _ invocation: Invocation,
        follow: (GeofenceService.EventFilter, _ show: (Event) -> Void) throws(Problem) -> EventCursor
    ) throws(Problem) -> ExitStatus {
        var filter = try filter(invocation)
        filter.type = try invocation.oneOf("--type", EventType.self)
        filter.standing = !invocation.has("--all") && filter.type != .retracted
        if let text = invocation.value("--after") {
            filter.cursor = try cursor(text)
            // Whoever reads on wants to know of what is taken back, too.
            filter.standing = false
        }
        try archive.check(filter)
        let isFollowing = invocation.has("--follow")
        let output = invocation.output
        var count = 0
        func show(_ event: Event) {
            count += 1
            output.print(invocation.isJSON ? event.json.description : Wording.line(event, on: output))
        }
        do throws(Problem) {
            filter.cursor = try archive.readEvents(filter, show)
        } catch {
            filter.cursor = try place(after: error, isFollowing, invocation)
        }
        guard isFollowing else {
            if count == 0, !invocation.isJSON { output.print("No events\(isBare(filter, invocation) ? " yet" : " that match").") }
            return .done
        }
        filter.limit = nil
        filter.standing = false
        while true {
            output.flush()
            do throws(Problem) {
                filter.cursor = try follow(filter, show)
            } catch {
                filter.cursor = try place(after: error, isFollowing, invocation)
            }
        }
    }

    /// Where to go on when events cannot be read on from a cursor; says so.
    ///
    /// - Throws: The problem itself when it is another one, or when nobody wants to go on.
    private static func place(
        after problem: Problem, _ isWanted: Bool, _ invocation: Invocation
    ) throws(Problem) -> EventCursor {
        guard isWanted, case .cursorGone(_, _, let resume, _) = problem else { throw problem }
        invocation.output.flush()
        Picket.report(problem, isJSON: invocation.isJSON, in: invocation.language, invocation.environment)
        if !invocation.isJSON {
            let notes = Output(descriptor: STDERR_FILENO, environment: invocation.environment)
            notes.print("Going on after event \(resume.sequence).")
        }
        return resume
    }

    private static func cursor(_ text: String) throws(Problem) -> EventCursor {
        if let cursor = EventCursor(text) { return cursor }
        throw .validationFailed(
            field: "--after", value: text, reason: "it is no place in the events",
            expected: "the number of an event, as 1208, or a 'cursor' as the service tells it")
    }

    private static func isBare(_ filter: GeofenceService.EventFilter, _ invocation: Invocation) -> Bool {
        filter.deviceId == nil && filter.geofenceId == nil && filter.type == nil && filter.since == nil && filter.until == nil
            && invocation.value("--after") == nil
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
            output.print("No visits\(isBare(filter, invocation) ? " yet" : " that match").")
        } else {
            table.print(to: output)
        }
        return .done
    }
}
