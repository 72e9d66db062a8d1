import Core
import Model
import Places
import Presence

/// Everything that commands can query. The implementations read the store directly or send requests to a running service.
package protocol QueryBackend: AnyObject {
    /// The directory or the URL, for messages.
    var location: String { get }

    /// Calls `body` with each geofence, sorted by id.
    ///
    /// - Parameter text: Only geofences with this text in their id or name; nil for all.
    func forEachGeofence(matching text: String?, _ body: (Geofence) throws(Problem) -> Void) throws(Problem)

    /// The geofence with this id. Throws `Problem.notFound` if there is none.
    func geofence(id: String) throws(Problem) -> Geofence

    /// Calls `body` with each pair of active geofences that overlap or touch; see `Queries.forEachOverlap(of:limit:progress:_:)`.
    func forEachOverlap(
        of id: String?, progress: (_ done: Int, _ of: Int) -> Void, _ body: (GeofenceOverlap) throws(Problem) -> Void
    ) throws(Problem)

    /// All devices, sorted by id.
    func devices() throws(Problem) -> [Device]

    /// All groups, sorted by name.
    func groups() throws(Problem) -> [Queries.Group]

    /// The device with this id. Throws `Problem.notFound` if there is none.
    func device(id: String) throws(Problem) -> Device

    /// The open problems of a device in the given language, and its refused input.
    func concerns(ofDevice id: String, in language: Language) throws(Problem) -> DeviceConcerns

    /// Calls `body` with each open problem, oldest first; see `ShownProblem`.
    ///
    /// - Parameter withDismissed: Whether dismissed problems are included.
    func forEachProblem(
        withDismissed: Bool, in language: Language, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem)

    /// The open problem with this id.
    func problem(id: String, in language: Language) throws(Problem) -> JSONValue

    /// Calls `body` with each alarm, newest first.
    ///
    /// - Parameter onlyOpen: Only alarms that were not acknowledged.
    func forEachAlarm(onlyOpen: Bool, _ body: (Event) throws(Problem) -> Void) throws(Problem)

    /// The numbers of open problems that are not dismissed.
    func problemTotals() throws(Problem) -> Queries.ProblemTotals

    /// The number of positions of a device that a retention period in seconds would delete.
    func deletion(ofDevice id: String, keeping seconds: Double) throws(Problem) -> PositionDeletion

    /// The status of devices, sorted by id; optionally only of one device, or of those inside a geofence. Of the device itself, only the id
    /// and the name are guaranteed to be set.
    ///
    /// - Parameter isCounting: Whether to compute for how long the devices were seen in the geofences that they are inside of.
    func deviceStatuses(
        deviceId: String?, geofenceId: String?, counting isCounting: Bool
    ) throws(Problem) -> [Queries.DeviceStatus]

    /// The numbers of objects in the store.
    func totals() throws(Problem) -> Queries.Totals

    /// Checks that the device and the geofence of a filter exist or existed. Throws `Problem.notFound`.
    func check(_ filter: Queries.EventFilter) throws(Problem)

    /// Calls `body` with each event after the filter's cursor, sorted by number.
    ///
    /// - Returns: The cursor for the next call.
    /// - Throws: `Problem.cursorGone` if the events after the cursor are not the ones that originally followed it; then `body` was not
    ///   called.
    func readEvents(
        _ filter: Queries.EventFilter, _ body: (Event) throws(Problem) -> Void
    ) throws(Problem) -> EventCursor

    /// Calls `body` with each visit, sorted by the time of its enter.
    ///
    /// - Returns: The number of visits that are left out, because they are shorter than the filter's `minDuration`.
    @discardableResult
    func forEachVisit(
        _ filter: Queries.EventFilter, onlyOpen: Bool, _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) -> Int

    /// The positions that are not evaluated yet, which a list of visits should mention: at most 100 devices, by id.
    func unevaluatedPositions(_ filter: Queries.EventFilter) throws(Problem) -> [Queries.UnevaluatedPositions]

    /// Calls `body` with the totals of all visits for each pair of device and geofence, sorted by device and geofence.
    ///
    /// - Returns: As in `forEachVisit`.
    @discardableResult
    func forEachVisitTotal(
        _ filter: Queries.EventFilter, onlyOpen: Bool, _ body: (VisitTotal) throws(Problem) -> Void
    ) throws(Problem) -> Int

    /// Adds up visits and distances.
    func report(_ question: ReportQuestion) throws(Problem) -> Report

    /// The tokens, oldest first. Revoked tokens are included if `revoked` is true.
    func tokens(revoked: Bool) throws(Problem) -> [Token]

    /// The rules as in the HTTP interface.
    func ruleDocuments() throws(Problem) -> [JSONValue]
    func ruleDocument(id: String) throws(Problem) -> JSONValue
}

extension QueryBackend {
    /// The devices whose registrations are requested: one device, or all managed ones.
    package func managedDevices(_ id: String? = nil) throws(Problem) -> [Device] {
        if let id { return [try device(id: id)] }
        return try devices().filter { $0.registry != .none }
    }
}

extension Queries: QueryBackend {
    package var location: String { directory.path }

    package func forEachProblem(
        withDismissed: Bool, in language: Language, _ body: (JSONValue) throws(Problem) -> Void
    ) throws(Problem) {
        try forEachItem(
            { place throws(Problem) in try problems(withDismissed: withDismissed, after: place, limit: 1000) },
            { standing throws(Problem) in try body(json(standing, in: language)) })
    }

    package func forEachAlarm(onlyOpen: Bool, _ body: (Event) throws(Problem) -> Void) throws(Problem) {
        guard hasStore else { return }
        try forEachItem({ place throws(Problem) in try alarms(onlyOpen: onlyOpen, after: place, limit: 1000) }, body)
    }

    package func forEachOverlap(
        of id: String?, progress: (_ done: Int, _ of: Int) -> Void, _ body: (GeofenceOverlap) throws(Problem) -> Void
    ) throws(Problem) {
        try forEachOverlap(of: id, limit: .max, progress: progress, body)
    }

    package func problem(id: String, in language: Language) throws(Problem) -> JSONValue {
        json(try problem(id: id), in: language)
    }

    package func deletion(ofDevice id: String, keeping seconds: Double) throws(Problem) -> PositionDeletion {
        try countDeletable(ofDevice: Optional(id), keeping: seconds)
    }
}
