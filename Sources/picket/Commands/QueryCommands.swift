import Client
import Core
import Foundation
import Model
import Operations
import Places
import Presence
import Service
import ToolSupport

/// `picket status` and `picket events`.
enum QueryCommands {
    static let all = [status, events]

    static let since = Option(
        "--since", value: "TIME",
        help: "From this time on, for example 7d, yesterday, 2026-10, 2026-10-05, 08:00 or 2026-10-05T06:00:00Z")
    static let until = Option(
        "--until", value: "TIME", help: "Before this time; a day or a month is included: 2026-10 is up to the end of October")

    /// The options that select events and visits.
    static let filters = [
        Option("--device", value: "ID", help: "Only this device"),
        Option("--geofence", value: "ID", isRepeatable: true, help: "Only this geofence; can be given several times"),
        since, until,
        Option("--limit", value: "N", help: "Maximum number of entries, the newest"),
    ]

    static let notGeofence = Option(
        "--not-geofence", value: "ID", isRepeatable: true, help: "Leave out this geofence; can be given several times")

    static let minDuration = Option(
        "--min-duration", value: "DURATION",
        help: "Leave out visits in which the device was seen for less than this, for example 3m, and say how many")

    /// The filter that the options in `filters` give.
    static func filter(_ invocation: Invocation) throws(Problem) -> Queries.EventFilter {
        var filter = Queries.EventFilter(deviceId: invocation.value("--device"), geofenceIds: invocation.all("--geofence"))
        filter.excludedGeofenceIds = invocation.all(notGeofence.name)
        (filter.since, filter.until) = try Period.read(
            since: invocation.value("--since"), until: invocation.value("--until"), by: invocation.timeReader, prefix: "--")
        filter.limit = try invocation.integer("--limit", in: 1...100_000_000)
        return filter
    }

    // MARK: - Status

    static let status = Command(
        name: "status", summary: "List which device is in which geofence, since when, and its last position.",
        options: [
            filters[0], Option("--geofence", value: "ID", help: "Only devices in this geofence"), GroupCommands.option,
            Option("--ready", "List nothing; exit status 0 if a running service can accept positions"),
        ] + TableFormat.options + Option.client,
        examples: ["picket status", "picket status --geofence school --group family", "picket status --ready"]
    ) { invocation throws(Problem) in
        if invocation.has("--ready") {
            guard let service = try invocation.runningService() else {
                invocation.print(Phrase("No service runs on \(invocation.directory.path)."))
                return .needsAttention
            }
            try service.connection.checkReadiness()
            invocation.print(Phrase("The service is ready."))
            return .done
        }
        let service = try invocation.reader()
        let (deviceId, geofenceId) = (invocation.value("--device"), invocation.value("--geofence"))
        let group = invocation.value("--group")
        let format = try invocation.tableFormat() ?? .text
        let isWhole = deviceId == nil && geofenceId == nil && group == nil && format.isText
        let status = isWhole ? try service.status() : nil
        var whereabouts =
            if let status { status.devices } else {
                try service.deviceStatuses(
                    deviceId: deviceId, geofenceId: geofenceId,
                    counting: format.isJSON)
            }
        if let group {
            let members = Set(try service.devices(inGroup: group).map(\.id))
            whereabouts.removeAll { !members.contains($0.device.id) }
        }
        let output = invocation.output
        switch format {
        case .json:
            for line in whereabouts { output.print(line.json.description) }
            return .done
        case .csv, .workbook:
            let file = try TableFile(format, StatusTable.columns, named: "status", in: invocation.timeZone, to: output)
            for row in whereabouts.flatMap(StatusTable.rows) { file?.add(row) }
            try file?.close()
            return .done
        case .text: break
        }
        let width = min(30, whereabouts.map(\.device.id.count).max() ?? 0)
        for line in whereabouts {
            let place = invocation.text(location(of: line, in: invocation.timeZone))
            output.print("\(line.device.id.padding(width))  \(place)")
        }
        if let status {
            let totals = status.totals
            let place = Phrase("\(Format.contents(totals)) in \(service.location)")
            invocation.print(totals.identity.map { Phrase("\(place); \(description(of: $0))") } ?? place)
            if totals.devices == 0 {
                invocation.print(Phrase("No device has sent a position yet."))
                let steps = [
                    (Phrase("For phones with OwnTracks or the Traccar client:"), "picket serve"),
                    (Phrase("For a recorded track:"), "picket feed FILE"),
                ].map { (what: invocation.text($0), command: $1) }
                let width = steps.map(\.what.count).max() ?? 0
                for step in steps { output.print("\(step.what.padding(width))  \(step.command)") }
            }
            var emergencies = 0
            try service.forEachAlarm(onlyOpen: true) { emergencies += $0.isOpenEmergency ? 1 : 0 }
            if emergencies > 0 {
                let words = Phrase(
                    emergencies, one: "\(emergencies) emergency is open", other: "\(emergencies) emergencies are open")
                output.print("\(Color.red(invocation.text(words), on: output)): picket alarm list --open")
            }
            if service.isRunning, let line = connections(of: status, in: invocation.timeZone) {
                invocation.print(line)
            }
            let (count, escalated) = (status.problems.standing, status.problems.escalated)
            if count > 0 {
                let open = Phrase(count, one: "\(count) open problem", other: "\(count) open problems")
                invocation.print(
                    escalated == 0
                        ? Phrase("\(open): picket problems") : Phrase("\(open), \(escalated) of them escalated: picket problems"))
            }
        } else if whereabouts.isEmpty {
            invocation.print(
                group == nil
                    ? Phrase("No device is there.")
                    : Phrase("No device matches \(invocation.filter("--geofence", "--group") ?? "")."))
        }
        return .done
    }

    /// The state of a running service's connections in one line; nil when it has none.
    private static func connections(of status: ServiceStatus, in zone: LocalTimeZone) -> Phrase? {
        var parts: [Phrase] = []
        if let broker = status.broker {
            let name = Format.printable(broker["broker"]?.string ?? "")
            let state = Phrase("MQTT broker \(name): \(Format.state(ofConnection: broker))")
            let since = broker["since"]?.string.flatMap(Instant.init)
            parts.append(since.map { Phrase("\(state) since \(Format.time($0, in: zone))") } ?? state)
        }
        if let sinks = status.sinks, let number = sinks["total"]?.double, number > 0 {
            let (total, missing) = (Int(number), Int(sinks["notConnected"]?.double ?? 0))
            let count = Phrase(total, one: "\(total) sink", other: "\(total) sinks")
            parts.append(
                missing == 0
                    ? Phrase("\(count), all connected") : Phrase("\(count), \(missing) not connected: picket sink list"))
        }
        return parts.isEmpty ? nil : Phrase.joined(parts, separator: "; ")
    }

    /// The identity of the store as text.
    private static func description(of store: StoreIdentity) -> Phrase {
        let text = Phrase("store \(store.id), event numbers up to \(plain: store.newest)")
        if store.restores == 0 { return text }
        return Phrase(
            "\(text), restored \(Phrase(store.restores, one: "\(store.restores) time", other: "\(store.restores) times"))")
    }

    /// Where a device is, as text.
    static func location(of whereabouts: Queries.DeviceStatus, in zone: LocalTimeZone) -> Phrase {
        let unevaluated = unevaluatedPositions(of: whereabouts, in: zone)
        guard let fix = whereabouts.newest else {
            return .joined([Phrase("no usable position yet")] + unevaluated, separator: "; ")
        }
        let places = whereabouts.inside.map { Phrase("\($0.geofenceName) since \(Format.time($0.enteredAt, in: zone))") }
        let accuracy = fix.accuracy.map { Phrase(" ±\(length: $0)") } ?? Phrase("")
        let time = Phrase("\(Format.time(fix.time, in: zone))\(accuracy)")
        // For a device that is silent, the time of its last fix is shown as "not seen since".
        let isUnseen = whereabouts.inside.contains { $0.notSeenSince != nil }
        let position = isUnseen ? Phrase("not seen since \(time)") : Phrase("last position \(time)")
        var parts = [
            places.isEmpty ? Phrase("in no geofence") : Phrase("in \(Phrase.joined(places, separator: ", "))"),
            whereabouts.isOutlierCandidate ? Phrase("\(position), in doubt until the next one agrees") : position,
        ]
        if let silentSince = whereabouts.silentSince, !isUnseen || silentSince != fix.time {
            parts.append(Phrase("silent since \(Format.time(silentSince, in: zone))"))
        } else if let heard = whereabouts.laterHeard {
            parts.append(Phrase("last heard \(Format.time(heard, in: zone))"))
        }
        if let battery = fix.battery { parts.append(Phrase("battery \(percent: battery)%")) }
        return .joined(parts + unevaluated + problems(of: whereabouts), separator: "; ")
    }

    /// The late positions of a device that are not evaluated; empty if it has none.
    private static func unevaluatedPositions(of whereabouts: Queries.DeviceStatus, in zone: LocalTimeZone) -> [Phrase] {
        guard let found = whereabouts.unevaluated else { return [] }
        let time = Format.time(found.since, in: zone)
        return [
            found.cause == .pending
                ? Phrase("late positions since \(time) are not evaluated yet")
                : Phrase("late positions since \(time) cannot be evaluated")
        ]
    }

    /// The problems that suggest that a device may be elsewhere; empty if it has none.
    private static func problems(of whereabouts: Queries.DeviceStatus) -> [Phrase] {
        whereabouts.problemCodes.map { code in
            switch code {
            case "deviceBehindClock": Phrase("its clock is behind: picket problems")
            case "sharedDeviceID": Phrase("two senders seem to use its id: picket problems")
            default: Phrase.verbatim(code + ": picket problems")
            }
        }
    }

    // MARK: - Events

    static let events = Command(
        name: "events", summary: "List events: enters, exits, dwells, silent devices, alarms and missed expectations.",
        options: filters + [
            Option(
                "--type", value: "LIST",
                help: "Only events of these types: enter, exit, dwell, silent, returned, alarm, missed, retracted"
            ).choosing(EventType.self),
            Option("--all", "Include events that late positions proved wrong, and the entries that retract them"),
            Option(
                "--after", value: "NUMBER",
                help: "Only events after this one, by its number ('sequence') or a 'cursor'; includes retractions"),
            TableFormat.option, TableFormat.csvFor, TableFormat.xlsx,
            Option("--follow", "Keep running, and print new events; includes retractions"),
            Option("--last", value: "N", help: "With --follow: start with the newest N events (10); 0 for none"),
        ] + Option.client,
        discussion: """
            '--follow' starts with the ten newest matching events, with '--last N' or '--limit N' with the N newest, and with '--after' or
            '--since' with all events from there on.

            Numbers of events ascend and are never used again. After the store was restored to an earlier state, for example from a
            backup, the events after a number may differ from those that followed it before. Then '--after' fails and says where to
            continue, and '--follow' says so and continues there.
            """,
        examples: [
            "picket events --device anna-phone --since 2026-05-01", "picket events --follow --json",
            "picket events --after 1208 --follow", "picket events --type enter,exit --last 50 --follow",
        ]
    ) { invocation throws(Problem) in
        guard invocation.has("--follow") else {
            let service = try invocation.reader()
            return try events(invocation, nil, { (filter, show) throws(Problem) in try service.readEvents(filter, show) }) {
                (filter, _) in filter.cursor
            }
        }
        let followed = try invocation.followedAPI()
        let reconnector = invocation.reconnector(.always, to: try followed.client(), .liveUpdates)
        return try events(
            invocation, reconnector, { (filter, show) throws(Problem) in try followed.client().readEvents(filter, show) }
        ) { (filter, show) throws(Problem) in
            let service = try followed.client()
            if service.isRunning { return try service.readEvents(filter, waiting: ServiceClient.longPoll, show) }
            // Without a service, another command may write to the store.
            usleep(100_000)
            return try service.readEvents(filter, show)
        }
    }

    /// Prints events, and waits for more with `--follow`.
    ///
    /// - Parameters:
    ///   - reconnector: Repeats requests that the service does not answer. Events that were printed are not requested again.
    ///   - start: Reads the first events; returns the cursor to continue from.
    ///   - follow: Reads new events, or waits for a while if there are none; returns the cursor to continue from.
    private static func events(
        _ invocation: Invocation, _ reconnector: Reconnector?,
        _ start: (Queries.EventFilter, _ show: (Event) -> Void) throws(Problem) -> EventCursor,
        follow: (Queries.EventFilter, _ show: (Event) -> Void) throws(Problem) -> EventCursor
    ) throws(Problem) -> ExitStatus {
        var filter = try filter(invocation)
        filter.types = try invocation.value("--type").map { text throws(Problem) in try EventType.list(text, field: "--type") }
        filter.excludesRetracted = !invocation.has("--all") && filter.types?.contains(.retracted) != true
        if let text = invocation.value("--after") {
            filter.cursor = try cursor(text)
            // A reader that continues from a cursor also needs the retractions.
            filter.excludesRetracted = false
        }
        let isFollowing = invocation.has("--follow")
        if let last = try invocation.integer("--last", in: 0...100_000_000) {
            guard isFollowing else { throw .usage(reason: .goWith("--last", "--follow"), help: "picket events --help") }
            for other in ["--after", "--limit"] where invocation.has(other) {
                throw .usage(reason: .exclude("--last", other), help: "picket events --help")
            }
            filter.limit = last
        } else if isFollowing, filter.limit == nil, filter.since == nil, !invocation.has("--after") {
            filter.limit = 10
        }
        let output = invocation.output
        let format = try invocation.tableFormat() ?? .text
        let file = try TableFile(
            format, HistoryExport.eventColumns, named: "events", in: invocation.timeZone, to: output)
        var count = 0
        func show(_ event: Event) {
            count += 1
            switch format {
            case .text: output.print(Format.line(event, for: invocation))
            case .json: output.print(event.json.description)
            case .csv, .workbook: file?.add(event)
            }
        }
        /// Reads from the filter's cursor, and moves the cursor to where the next read begins.
        func read(
            _ ask: (Queries.EventFilter, _ show: (Event) -> Void) throws(Problem) -> EventCursor
        ) throws(Problem) {
            func once() throws(Problem) {
                // Output is flushed before a wait. Events that were printed are not requested again, because the cursor moves with each.
                defer { output.flush() }
                let wanted = filter
                do throws(Problem) {
                    filter.cursor = try ask(wanted) { event in
                        show(event)
                        if wanted.limit == nil { filter.cursor = EventCursor(event.sequence, of: nil) }
                    }
                } catch {
                    // The service has answered, so the connection has not failed.
                    filter.cursor = try resumeCursor(after: error, isFollowing: isFollowing, invocation: invocation)
                }
            }
            guard let reconnector else { return try once() }
            try reconnector.untilAnswered(once)
        }
        try read(start)
        guard isFollowing else {
            try file?.close()
            let isBare = isUnfiltered(filter) && invocation.value("--after") == nil
            if count == 0, format.isText {
                invocation.print(isBare ? Phrase("No events yet.") : Phrase("No events that match."))
            }
            return .done
        }
        filter.limit = nil
        filter.excludesRetracted = false
        while true {
            output.flush()
            try read(follow)
        }
    }

    /// The cursor to continue from when the requested one is gone. Reports the problem.
    ///
    /// - Throws: The problem itself when it is another one, or without `--follow`.
    private static func resumeCursor(
        after problem: Problem, isFollowing isWanted: Bool, invocation: Invocation
    ) throws(Problem) -> EventCursor {
        guard isWanted, case .cursorGone(_, _, let resume, _) = problem else { throw problem }
        invocation.output.flush()
        invocation.report(problem)
        if !invocation.isJSON {
            let notes = Output(descriptor: STDERR_FILENO, environment: invocation.environment)
            notes.print(invocation.text(Phrase("Continuing after event \(plain: resume.sequence).")))
        }
        return resume
    }

    private static func cursor(_ text: String) throws(Problem) -> EventCursor {
        if let cursor = EventCursor(text) { return cursor }
        throw .validationFailed(
            field: "--after", value: text, reason: .notAPlaceInEvents,
            expected: Phrase("the number of an event, for example 1208, or a 'cursor' from the service"))
    }

    /// Whether a filter selects all events, apart from its limit.
    static func isUnfiltered(_ filter: Queries.EventFilter) -> Bool {
        filter.deviceId == nil && filter.geofenceIds.isEmpty && filter.excludedGeofenceIds.isEmpty && filter.types == nil
            && filter.since == nil && filter.until == nil && filter.minDuration == nil
    }
}
