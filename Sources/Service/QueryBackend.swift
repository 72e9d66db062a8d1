import Model

/// What commands read: the store before them, or a service that runs.
public protocol QueryBackend: AnyObject {
    /// The directory or the address, for messages.
    var place: String { get }

    /// Calls `body` with each geofence, by id.
    ///
    /// - Parameter text: Only with this in the id or the name; nil for all.
    func forEachGeofence(matching text: String?, _ body: (Geofence) throws(Problem) -> Void) throws(Problem)

    /// The geofence of that id.
    func geofence(id: String) throws(Problem) -> Geofence

    /// All devices, by id.
    func devices() throws(Problem) -> [Device]

    /// The device of that id.
    func device(id: String) throws(Problem) -> Device

    /// What stands against a device: problems in that language, and refused input.
    func concerns(ofDevice id: String, in language: Language) throws(Problem) -> DeviceConcerns

    /// Calls `body` with each standing problem, the oldest first; see `StandingProblem.json(in:at:)`.
    ///
    /// - Parameter withDismissed: Also those that a person has dismissed.
    func forEachProblem(
        withDismissed: Bool, in language: Language, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem)

    /// The standing problem of that id.
    func problem(id: String, in language: Language) throws(Problem) -> JSONValue

    /// Calls `body` with each alarm, the newest first.
    ///
    /// - Parameter onlyOpen: Only those that nobody has acknowledged.
    func forEachAlarm(onlyOpen: Bool, _ body: (Event) throws(Problem) -> Void) throws(Problem)

    /// How many problems stand that nobody has dismissed.
    func problemTotals() throws(Problem) -> Queries.ProblemTotals

    /// What would be deleted of a device if its positions were kept for so many seconds.
    func deletion(ofDevice id: String, keeping seconds: Double) throws(Problem) -> PositionDeletion

    /// Where devices are, by id; only this device, and only those in this geofence, when they are named. Of the device itself
    /// its id and name are sure to be told.
    ///
    /// - Parameter isCounting: Whether it is to be told for how long they were seen in the geofences that they are in.
    func whereabouts(
        deviceId: String?, geofenceId: String?, counting isCounting: Bool
    ) throws(Problem) -> [Queries.DeviceStatus]

    /// What the store holds, in numbers.
    func totals() throws(Problem) -> Queries.Totals

    /// Checks that what a filter names is there, or was.
    func check(_ filter: Queries.EventFilter) throws(Problem)

    /// Calls `body` with each event after the filter's cursor, in order of sequence.
    ///
    /// - Returns: Where to go on.
    /// - Throws: `Problem.cursorGone` when the events after the cursor are not those that followed it once; then `body` has not been called.
    func readEvents(
        _ filter: Queries.EventFilter, _ body: (Event) throws(Problem) -> Void
    ) throws(Problem) -> EventCursor

    /// Calls `body` with each visit, by the time of its enter.
    func forEachVisit(
        _ filter: Queries.EventFilter, onlyOpen: Bool, _ body: (Visit) throws(Problem) -> Void) throws(Problem)

    /// Calls `body` with the total of each device and geofence that have visits, by device and geofence.
    func forEachVisitTotal(
        _ filter: Queries.EventFilter, onlyOpen: Bool, _ body: (VisitTotal) throws(Problem) -> Void) throws(Problem)

    /// Why something happened between a device and a geofence, or why not; see `Explanation.json`.
    func explanation(of question: Explanation.Question) throws(Problem) -> JSONValue

    /// The tokens, the oldest first; those that were taken back if they are asked for.
    func tokens(revoked: Bool) throws(Problem) -> [Token]
}

extension Queries: QueryBackend {
    public var place: String { directory.path }

    public func forEachProblem(
        withDismissed: Bool, in language: Language, _ body: (JSONValue) throws(Problem) -> Void
    ) throws(Problem) {
        var place: String?
        repeat {
            let page = try problems(withDismissed: withDismissed, after: place, limit: 1000)
            for standing in page.items { try body(json(standing, in: language)) }
            place = page.next
        } while place != nil
    }

    public func forEachAlarm(onlyOpen: Bool, _ body: (Event) throws(Problem) -> Void) throws(Problem) {
        guard hasStore else { return }
        var place: String?
        repeat {
            let page = try alarms(onlyOpen: onlyOpen, after: place, limit: 1000)
            for event in page.items { try body(event) }
            place = page.next
        } while place != nil
    }

    public func problem(id: String, in language: Language) throws(Problem) -> JSONValue {
        json(try problem(id: id), in: language)
    }

    public func deletion(ofDevice id: String, keeping seconds: Double) throws(Problem) -> PositionDeletion {
        try deletion(ofDevice: Optional(id), keeping: seconds)
    }

    public func explanation(of question: Explanation.Question) throws(Problem) -> JSONValue { try explain(question).json }
}
