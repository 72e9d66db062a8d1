import Core
import Foundation
import HTTPClient
import History
import Ingest
import Model
import Operations
import Places
import Presence
import SQLite
import Service

// Queries. Lists are read in pages, so that they may have any length.

extension ServiceClient {
    /// Seconds that a service may wait for new events before it answers that there are none.
    package static let longPoll = 30

    /// Reads a list in pages of 1,000 and passes each element to `body`.
    ///
    /// - Returns: The number of visits that the service leaves out.
    @discardableResult
    func forEach(
        _ name: String, at path: [String], query: [(name: String, value: String?)] = [],
        perform body: (Answer) throws(Problem) -> Void
    ) throws(Problem) -> Int {
        var omitted = 0
        try forEachPage(at: path, query: query) { page throws(Problem) in
            for element in try page.list(name) { try body(element) }
            if page.json["omittedVisits"] != nil { omitted += try page.integer("omittedVisits") }
        }
        return omitted
    }

    /// Reads a list in pages of 1,000 and passes each page to `body`.
    ///
    /// - Parameter first: What is only asked for the first page.
    /// - Returns: The first page.
    @discardableResult
    private func forEachPage(
        at path: [String], query: [(name: String, value: String?)] = [], first: [(name: String, value: String?)] = [],
        perform body: (Answer) throws(Problem) -> Void
    ) throws(Problem) -> Answer {
        let firstPage = try connection.send("GET", path, query: query + first + [("limit", "1000")])
        try body(firstPage)
        var next = firstPage.json["next"]?.string
        while let place = next {
            let page = try connection.send("GET", path, query: query + [("limit", "1000"), ("after", place)])
            try body(page)
            next = page.json["next"]?.string
        }
        return firstPage
    }

    /// Calls `body` with each geofence, sorted by id.
    ///
    /// - Parameter text: Only geofences with this text in their id or name; nil for all.
    package func forEachGeofence(matching text: String?, _ body: (Geofence) throws(Problem) -> Void) throws(Problem) {
        try forEach("geofences", at: ["geofences"], query: [("matching", text)]) { answer throws(Problem) in
            try body(Geofence(json: answer.json, id: try answer.text("id")))
        }
    }

    /// Writes all geofences, sorted by id, as one GeoJSON FeatureCollection. Returns their number.
    package func exportGeofences(_ write: (String) -> Void) throws(Problem) -> Int {
        var count = 0
        var encoder = GeofenceEncoder()
        try forEachGeofence(matching: nil) { geofence in
            count += 1
            write(encoder.encode(geofence))
        }
        write(encoder.finish())
        return count
    }

    /// Writes all geofences to a file, replacing it when they are complete. Returns their number.
    package func exportGeofences(to path: String) throws(Problem) -> Int {
        var text = ""
        let count = try exportGeofences { text += $0 }
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
        return count
    }

    /// Calls `body` with each pair of active geofences that overlap or touch; see `Queries.forEachOverlap(of:limit:progress:_:)`.
    package func forEachOverlap(
        of id: String?, progress: (Int, Int) -> Void, _ body: (GeofenceOverlap) throws(Problem) -> Void
    ) throws(Problem) {
        func overlaps(of id: String?) throws(Problem) -> (pairs: [GeofenceOverlap], isComplete: Bool) {
            let answer = try connection.send(
                "GET", ["geofences", "overlaps"], query: [("of", id), ("limit", "\(Self.largestOverlaps)")])
            return (try answer.elements("overlaps", as: GeofenceOverlap.shape), try answer.flag("isComplete"))
        }
        let all = try overlaps(of: id)
        if all.isComplete || id != nil {
            for pair in all.pairs { try body(pair) }
            if !all.isComplete { throw .tooLarge(what: .service, limit: .atMost(Self.largestOverlaps)) }
            return
        }
        // There are more pairs than fit in one answer, so each geofence is requested separately.
        var ids: [String] = []
        try forEachGeofence(matching: nil) { if $0.isActive { ids.append($0.id) } }
        for (number, id) in ids.enumerated() {
            let found = try overlaps(of: id)
            if !found.isComplete { throw .tooLarge(what: .service, limit: .atMost(Self.largestOverlaps)) }
            for pair in found.pairs where pair.a < pair.b { try body(pair) }
            progress(number + 1, ids.count)
        }
    }

    /// The largest number of pairs in one answer.
    private static let largestOverlaps = 10_000

    /// Checks the store, and evaluates all positions again. Changes nothing.
    package func checkStore() throws(Problem) -> StoreCheck {
        try connection.send("GET", ["check"]).decoded()
    }

    /// Writes a backup to a file.
    ///
    /// - Parameters:
    ///   - replacing: Whether an existing file is replaced.
    ///   - progress: Called with the number of bytes that have arrived, as both arguments because the total is unknown.
    package func backup(to file: String, replacing: Bool, progress: (Int, Int) -> Void) throws(Problem) -> Backup {
        if let flaw = Backup.problem(withTarget: file, replacing: replacing) { throw flaw }
        let partial = try PartialFile.create(for: file)
        var count = 0
        let response = try connection.download(["backup"]) { bytes throws(Problem) in
            var bytes = bytes
            count += bytes.count
            try partial.append(&bytes, of: file)
            progress(count, count)
        }
        let contents: JSONValue
        do throws(JSONParser.Failure) {
            contents = try JSONParser.parse(response.header("Picket-Backup") ?? "")
        } catch {
            throw .decodingFailed(
                source: .verbatim(connection.location), line: nil, reason: .answerLacks(.text, "Picket-Backup"))
        }
        let answer = Answer(contents, source: .verbatim(connection.location))
        var totals = try answer.decoded(as: Queries.Totals.self)
        totals.identity = try answer.object("store").decoded(as: StoreIdentity.self)
        try partial.finish(file)
        // An older service sends no such list.
        let omissions = contents["notIncluded"]?.array ?? []
        return Backup(
            path: file, bytes: count, totals: totals, phones: try answer.integer("phones"),
            omissions: omissions.map { .init(setting: $0["setting"]?.string ?? "", source: $0["source"]?.string ?? "") })
    }

    /// All devices, sorted by id.
    package func devices() throws(Problem) -> [Device] {
        var found: [Device] = []
        try forEach("devices", at: ["devices"]) { answer throws(Problem) in
            found.append(try Device(json: answer.json, id: try answer.text("id")))
        }
        return found
    }

    /// The stops of a device outside of geofences, in order of time.
    ///
    /// - Parameters:
    ///   - minDuration: The duration of the shortest stop in seconds; nil for the default.
    ///   - addresses: Called with the number of addresses that are not looked up yet; nil if none are requested.
    package func stops(
        ofDevice id: String, since: Instant?, until: Instant?, minDuration: Double?, addresses: ((_ pending: Int) -> Void)?
    ) throws(Problem) -> StopList {
        var refusals = 0
        while true {
            let list: StopList = try connection.send(
                "GET", ["devices", nonEmptyID(id, .device), "stops"],
                query: [
                    ("since", since?.description), ("until", until?.description),
                    ("minDuration", minDuration.map { "\($0)s" }), ("addresses", addresses.map { _ in "true" }),
                ]
            ).decoded()
            guard let addresses else { return list }
            if case .rateLimited(let seconds)? = list.addressProblem, refusals < Self.mostRefusals {
                // Too many others wait for the geocoder.
                refusals += 1
                Thread.sleep(forTimeInterval: min(seconds ?? 1, 30))
                continue
            }
            guard let pending = list.pendingAddresses else { return list }
            addresses(pending)
            refusals = 0
        }
    }

    /// How often in a row a request for addresses is repeated because too many others wait for the geocoder.
    private static let mostRefusals = 12

    /// All groups, sorted by name.
    package func groups() throws(Problem) -> [Queries.Group] {
        try connection.send("GET", ["groups"]).list("groups").map { group throws(Problem) in try Self.group(group) }
    }

    /// The group with a name. Throws `Problem.notFound` if there is none.
    package func group(named name: String) throws(Problem) -> Queries.Group {
        try Self.group(try connection.send("GET", ["groups", nonEmptyID(name, .group)]))
    }

    /// The devices of a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func devices(inGroup name: String) throws(Problem) -> [Device] {
        _ = try group(named: name)
        return try devices().filter { $0.groups.contains(name) }
    }

    /// Calls `body` with each geofence that is for a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func forEachGeofence(
        inGroup name: String, matching text: String? = nil, _ body: (Geofence) throws(Problem) -> Void
    ) throws(Problem) {
        _ = try group(named: name)
        try forEachGeofence(matching: text) { geofence throws(Problem) in
            if geofence.groups.contains(name) { try body(geofence) }
        }
    }

    /// The devices whose registrations are requested: one device, or all managed ones.
    package func managedDevices(_ id: String? = nil) throws(Problem) -> [Device] {
        if let id { return [try device(id: id)] }
        return try devices().filter { $0.registry != .none }
    }

    /// How much data of a device is stored. Throws `Problem.notFound` if there is none with this id.
    package func contents(ofDevice id: String) throws(Problem) -> DeviceContents {
        let id = try nonEmptyID(id, .device)
        let answer = try connection.send("GET", ["devices", id], query: [("keepPositions", "0"), ("eventCount", "true")])
        var contents = DeviceContents(
            positions: try answer.object("deletion").integer("of"), events: try answer.integer("eventCount"), visits: 0)
        try forEachVisitTotal(.init(deviceId: id), onlyOpen: false) { contents.visits += $0.visits }
        return contents
    }

    /// The group in an answer.
    static func group(_ answer: Answer) throws(Problem) -> Queries.Group {
        let values = (answer.json.members ?? []).filter { DeviceDefaults.fields.map(\.name).contains($0.name) }
        return .init(
            name: try answer.text("group"), devices: try answer.integer("devices"), geofences: try answer.integer("geofences"),
            defaults: try DeviceDefaults(json: .object(values), of: .group))
    }

    /// The open problems of a device, and its refused input.
    package func concerns(ofDevice id: String) throws(Problem) -> DeviceConcerns {
        let json = try connection.send("GET", ["devices", id]).json
        return DeviceConcerns(
            problems: json["problems"]?.array ?? [], refusedInput: json["refusedInput"]?.array ?? [],
            hasOwnTracksKey: json["hasOwnTracksKey"]?.bool ?? false)
    }

    /// Calls `body` with each open problem, oldest first; see `ShownProblem`.
    package func forEachProblem(withDismissed: Bool, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try forEach("problems", at: ["problems"], query: [("all", withDismissed ? "true" : nil)]) { answer throws(Problem) in
            try body(answer.json)
        }
    }

    /// The open problem with this id.
    package func problem(id: String) throws(Problem) -> JSONValue {
        try connection.send("GET", ["problems", id]).json
    }

    /// Calls `body` with each alarm.
    ///
    /// - Parameter onlyOpen: Whether to leave out acknowledged alarms.
    package func forEachAlarm(onlyOpen: Bool, _ body: (Event) throws(Problem) -> Void) throws(Problem) {
        try forEach("alarms", at: ["alarms"], query: [("open", onlyOpen ? "true" : nil)]) { answer throws(Problem) in
            try body(try answer.decoded(as: Event.shape))
        }
    }

    /// When expired positions are deleted, as text such as "within a minute".
    package var timeOfDeletion: PositionDeletion.Time { isRunning ? .withinMinute : .whenServiceRuns }

    /// The positions that a retention period would delete; none if the device does not exist.
    ///
    /// - Parameter seconds: The retention period.
    package func deletion(ofDevice id: String, keeping seconds: Double) throws(Problem) -> PositionDeletion {
        do throws(Problem) {
            let answer = try connection.send("GET", ["devices", id], query: [("keepPositions", "\(seconds)")]).object("deletion")
            return PositionDeletion(positions: try answer.integer("positions"), of: try answer.integer("of"))
        } catch .notFound(_, _, _) {
            return PositionDeletion(positions: 0, of: 0)
        }
    }

    /// The state of devices, with the geofences that they are in, sorted by id.
    ///
    /// - Parameters:
    ///   - deviceId: Only this device; nil for all.
    ///   - geofenceId: Only devices in this geofence; nil for all.
    ///   - counting: Whether to include the `seenSeconds` of visits.
    package func deviceStatuses(
        deviceId: String?, geofenceId: String?, counting: Bool
    ) throws(Problem) -> [Queries.DeviceStatus] {
        var devices: [Queries.DeviceStatus] = []
        let query = [("device", deviceId), ("geofence", geofenceId), ("seen", counting ? "true" : nil)]
        try forEach("devices", at: ["status"], query: query) { answer throws(Problem) in devices.append(try answer.decoded()) }
        return devices
    }

    /// The state of all devices, and of the service.
    package func status() throws(Problem) -> ServiceStatus {
        var devices: [Queries.DeviceStatus] = []
        let answer = try forEachPage(at: ["status"], first: [("totals", "true")]) { page throws(Problem) in
            for element in try page.list("devices") { devices.append(try element.decoded()) }
        }
        var totals = try answer.object("totals").decoded(as: Queries.Totals.self)
        if answer.json["store"] != nil { totals.identity = try answer.object("store").decoded(as: StoreIdentity.self) }
        let problems = try answer.object("problems")
        return ServiceStatus(
            devices: devices, totals: totals,
            problems: .init(standing: try problems.integer("standing"), escalated: try problems.integer("escalated")),
            broker: answer.json["mqtt"], sinks: answer.json["sinks"])
    }

    /// Calls `body` with each visit; with a limit, only with that number of the newest ones.
    ///
    /// - Parameter onlyOpen: Whether to leave out visits that have ended.
    /// - Returns: The number of visits that the service leaves out.
    package func forEachVisit(
        _ filter: Queries.EventFilter, onlyOpen: Bool, _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) -> Int {
        let query = Self.visitQuery(filter, onlyOpen: onlyOpen)
        guard let limit = filter.limit else {
            return try forEach("visits", at: ["visits"], query: query) { answer throws(Problem) in
                try body(answer.decoded())
            }
        }
        var newest = LastElements<Visit>(limit)
        let omitted = try forEach("visits", at: ["visits"], query: query) { answer throws(Problem) in
            newest.add(try answer.decoded())
        }
        for visit in newest.elements { try body(visit) }
        return omitted
    }

    /// Late positions that no replay has evaluated, so that visits of the filter may be missing or wrong.
    package func unevaluatedPositions(_ filter: Queries.EventFilter) throws(Problem) -> [Queries.UnevaluatedPositions] {
        let query = [("device", filter.deviceId), ("until", filter.until?.description), ("limit", "1")]
        return try Self.unevaluatedPositions(in: try connection.send("GET", ["visits"], query: query))
    }

    private static func unevaluatedPositions(in answer: Answer) throws(Problem) -> [Queries.UnevaluatedPositions] {
        guard answer.json["notEvaluated"] != nil else { return [] }
        return try answer.elements("notEvaluated", as: Queries.UnevaluatedPositions.listedShape)
    }

    /// Calls `body` with the total of visits by device and geofence.
    ///
    /// - Parameter onlyOpen: Whether to leave out visits that have ended.
    /// - Returns: The number of visits that the service leaves out.
    @discardableResult
    package func forEachVisitTotal(
        _ filter: Queries.EventFilter, onlyOpen: Bool, _ body: (VisitTotal) throws(Problem) -> Void
    ) throws(Problem) -> Int {
        let query = Self.visitQuery(filter, onlyOpen: onlyOpen)
        return try forEach("totals", at: ["visits", "totals"], query: query) { answer throws(Problem) in
            try body(answer.decoded())
        }
    }

    private static func visitQuery(_ filter: Queries.EventFilter, onlyOpen: Bool) -> [(name: String, value: String?)] {
        query(filter) + [
            ("open", onlyOpen ? "true" : nil), ("minDuration", filter.minDuration.map { TimeSpan.text($0) }),
        ]
    }

    /// Passes the events of a filter to `body`, by sequence number; with a limit, only that number of the newest ones.
    ///
    /// - Returns: The cursor from which to continue.
    @discardableResult
    package func readEvents(
        _ filter: Queries.EventFilter, _ body: (Event) throws(Problem) -> Void
    ) throws(Problem) -> EventCursor {
        guard let limit = filter.limit else { return try readEvents(filter, waiting: 0, body) }
        if limit <= Self.largestLast {
            let answer = try connection.send("GET", ["events"], query: Self.eventQuery(filter) + [("last", "\(limit)")])
            for event in try answer.list("events") { try body(event.decoded(as: Event.shape)) }
            return try endCursor(of: answer)
        }
        var newest = LastElements<Event>(limit)
        let cursor = try readEvents(filter, waiting: 0) { newest.add($0) }
        for event in newest.elements { try body(event) }
        return cursor
    }

    /// The largest number of newest events that a service takes.
    private static let largestLast = 10_000

    private static func eventQuery(_ filter: Queries.EventFilter) -> [(name: String, value: String?)] {
        query(filter) + [
            ("type", filter.types.map { $0.map(\.rawValue).sorted().joined(separator: ",") }), ("after", "\(filter.cursor)"),
            ("all", filter.excludesRetracted ? "false" : "true"),
        ]
    }

    /// Passes the events after the filter's cursor to `body`, by sequence number, until there are no more.
    ///
    /// - Parameter seconds: How long the service waits for an event when there is none; at most 60.
    /// - Returns: The cursor from which to continue.
    package func readEvents(
        _ filter: Queries.EventFilter, waiting seconds: Int, _ body: (Event) throws(Problem) -> Void
    ) throws(Problem) -> EventCursor {
        var filter = filter
        while true {
            let answer = try connection.send(
                "GET", ["events"],
                query: Self.eventQuery(filter) + [("limit", "1000"), ("wait", seconds > 0 ? "\(seconds)s" : nil)])
            for event in try answer.list("events") { try body(event.decoded(as: Event.shape)) }
            let next = try endCursor(of: answer)
            let isAtEnd = next.sequence == filter.cursor.sequence
            filter.cursor = next
            if isAtEnd || seconds > 0 { return next }
        }
    }

    /// The cursor at the end of a page of events.
    private func endCursor(of page: Answer) throws(Problem) -> EventCursor {
        guard let cursor = EventCursor(try page.text("cursor")) else { throw page.missingMember("cursor", expected: .text) }
        return cursor
    }

    /// A report about the time that devices were in geofences.
    package func report(_ question: ReportQuestion) throws(Problem) -> Report {
        let answer = try connection.send(
            "GET", ["reports"],
            query: [
                ("by", question.by), ("period", question.period.rawValue), ("since", question.since.description),
                ("until", question.hasEnd ? question.until.description : nil), ("timezone", question.zone.name),
                ("device", question.deviceId), ("group", question.group),
                ("minDuration", question.minDuration.map { TimeSpan.text($0) }), ("format", "json"),
            ] + Self.query(question.geofenceIds, except: question.excludedGeofenceIds))
        let rows = try answer.elements("rows", as: ReportRow.shape)
        let omitted = answer.json["omittedVisits"] == nil ? 0 : try answer.integer("omittedVisits")
        return Report(
            question, rows: rows, omittedVisits: omitted, unevaluated: try Self.unevaluatedPositions(in: answer))
    }

    private static func query(_ filter: Queries.EventFilter) -> [(name: String, value: String?)] {
        [
            ("device", filter.deviceId), ("since", filter.since?.description), ("until", filter.until?.description),
        ] + query(filter.geofenceIds, except: filter.excludedGeofenceIds)
    }

    private static func query(_ geofences: [String], except others: [String]) -> [(name: String, value: String?)] {
        geofences.map { ("geofence", $0) } + others.map { ("notGeofence", $0) }
    }
}

/// Keeps the last `limit` elements of a sequence.
private struct LastElements<Element> {
    private var kept: [Element] = []
    private let limit: Int

    init(_ limit: Int) { self.limit = limit }

    mutating func add(_ element: Element) {
        kept.append(element)
        if kept.count >= 2 * limit { kept.removeFirst(kept.count - limit) }
    }

    var elements: ArraySlice<Element> { kept.suffix(limit) }
}

extension LocalTimeZone {
    /// The name for a query, such as `Europe/Berlin`; nil for UTC, the default of answers, and for a zone without such a name.
    package var queryName: String? { name.contains("/") ? name : nil }
}
