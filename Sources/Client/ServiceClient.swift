import Core
import Ingest
import Model
import Places
import Presence
import Server
import Service
import Settings

/// The API for commands, of a running service or of a data directory in this process. Answers are decoded into values.
package final class ServiceClient {
    /// Sends the requests.
    package let connection: ServiceConnection
    /// Where the data is, for messages: the URL of a service that is named, else the path of the data directory.
    package let location: String
    /// Whether a service runs. If not, nothing is sent to sinks or watched until one does.
    package var isRunning: Bool { address != nil }
    /// The address of the service; nil without a service.
    package var address: ServiceAddress? { connection.address }
    /// Finds the current address of a service that may have been restarted elsewhere.
    private let locate: Locate?

    /// Finds the address of a service; nil when none runs.
    package typealias Locate = @Sendable () throws(Problem) -> ServiceAddress?

    /// - Parameters:
    ///   - directory: The data directory on which the service works, if that is known.
    ///   - patience: Seconds until an answer must arrive.
    ///   - language: The language of the sentences in answers.
    ///   - locate: Finds the current address of a service that may have been restarted elsewhere.
    package init(
        _ address: ServiceAddress, of directory: DataDirectory? = nil, patience: Double = ServiceConnection.longTimeout,
        in language: Language, locate: Locate? = nil
    ) throws(Problem) {
        location = directory?.path ?? address.url
        connection = try ServiceConnection(address, patience: patience, in: language)
        self.locate = locate
    }

    /// - Parameters:
    ///   - directory: The data directory on which the API works.
    ///   - language: The language of the sentences in answers.
    package init(_ api: LocalAPI, of directory: DataDirectory, in language: Language) {
        connection = ServiceConnection(api, of: directory, in: language)
        location = directory.path
        locate = nil
    }

    /// The intake of the service for a feed.
    ///
    /// - Parameter reconnector: Repeats requests that are not answered.
    package func makeFeed(_ reconnector: Reconnector) throws(Problem) -> RemoteFeed {
        guard let address = connection.address else { throw .cancelled }
        return try RemoteFeed(address, reconnector: reconnector, locate: locate)
    }

    /// The id, if it can be part of a path.
    ///
    /// - Throws: `Problem.notFound` for an empty id.
    func nonEmptyID(_ id: String, _ kind: ItemKind) throws(Problem) -> String {
        if id.isEmpty { throw .notFound(kind: kind, id: "", similar: []) }
        return id
    }

    /// The name of something that may not exist yet, if it can be part of a path.
    ///
    /// - Throws: `Problem.validationFailed` for an empty name.
    private func nonEmpty(_ name: String, _ field: String, expected: Phrase) throws(Problem) -> String {
        if name.isEmpty { throw .validationFailed(field: field, value: "", reason: .empty, expected: expected) }
        return name
    }

    /// The result of `ask`; nil when it throws `Problem.notFound` of this kind.
    private func nilIfNotFound<Value>(_ kind: ItemKind, request ask: () throws(Problem) -> Value) throws(Problem) -> Value? {
        do throws(Problem) {
            return try ask()
        } catch .notFound(kind, _, _) {
            return nil
        }
    }

    // MARK: - Geofences

    /// The geofence with this id; nil if there is none.
    package func knownGeofence(id: String) throws(Problem) -> Geofence? {
        try nilIfNotFound(.geofence) { () throws(Problem) in try geofence(id: id) }
    }

    /// The geofences with exactly this name, sorted by id.
    package func geofences(named name: String) throws(Problem) -> [Geofence] {
        var found: [Geofence] = []
        try forEachGeofence(matching: name) { if $0.name == name { found.append($0) } }
        return found
    }

    /// The geofence with this id. Throws `Problem.notFound` if there is none.
    package func geofence(id: String) throws(Problem) -> Geofence {
        try Geofence(json: connection.send("GET", ["geofences", nonEmptyID(id, .geofence)]).json, id: id)
    }

    /// Saves and removes geofences, all or none. Returns the resulting events.
    ///
    /// - Parameter condition: The precondition for each of them.
    package func apply(
        _ edits: [Queries.GeofenceEdit], _ condition: EditCondition
    ) throws(Problem) -> [Event] {
        let list = edits.map { edit -> JSONValue in
            switch edit {
            case .save(let geofence): ["put": geofence.json]
            case .remove(let id): ["remove": .string(id)]
            }
        }
        return try connection.send("POST", ["geofences:edit"], body: .json(["edits": .array(list)]), on: condition)
            .elements("events", as: Event.shape)
    }

    /// Imports the geofences in a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - source: The path of the file, for messages.
    package func importGeofences(
        _ bytes: [UInt8], source: String, _ options: GeofenceFile.ImportOptions
    ) throws(Problem) -> GeofenceFile.Imported {
        let answer: Answer
        do throws(Problem) {
            // The service recognizes the format automatically.
            answer = try connection.send(
                "POST", ["geofences:import"],
                query: [
                    ("onConflict", options.onConflict == .refuse ? nil : options.onConflict.rawValue),
                    ("mend", options.repairsOutlines ? "true" : nil), ("asWritten", options.asWritten ? "true" : nil),
                    ("radius", options.decoding.radius.map { JSONValue($0).description }),
                    ("columns", options.decoding.columnPairs),
                ], body: .init(type: "application/octet-stream", bytes: bytes))
        } catch {
            throw error.ofFile(source)
        }
        var imported: GeofenceFile.Imported = try answer.decoded()
        for index in imported.refusals.indices { imported.refusals[index].file = source }
        return imported
    }

    // MARK: - Devices

    /// Whether there is a device with this id.
    package func hasDevice(id: String) throws(Problem) -> Bool {
        try nilIfNotFound(.device) { () throws(Problem) in try device(id: id) } != nil
    }

    /// The device with this id. Throws `Problem.notFound` if there is none.
    package func device(id: String) throws(Problem) -> Device {
        try Device(json: connection.send("GET", ["devices", nonEmptyID(id, .device)]).json, id: id)
    }

    /// Creates or replaces a device. Returns the resulting events.
    package func put(_ device: Device, _ condition: EditCondition) throws(Problem) -> [Event] {
        try edit(device: ["put": device.json], condition)
    }

    /// Changes the same fields of many devices, and returns the result for each. None is changed if one cannot be.
    ///
    /// - Parameter isDry: Whether to report only what would change.
    package func patchDevices(_ change: DevicePatch, isDry: Bool) throws(Problem) -> DevicePatchResult {
        try connection.send("POST", ["devices:edit"], query: [("dryRun", isDry ? "true" : nil)], body: .json(change.json))
            .decoded()
    }

    /// Changes the values that devices inherit from a group.
    ///
    /// - Parameters:
    ///   - patch: The changed values; a value that is null is removed.
    ///   - isDry: Whether to report only what would change.
    package func patchGroup(_ name: String, with patch: JSONValue, isDry: Bool) throws(Problem) -> GroupEdit {
        let answer = try connection.send(
            "PATCH", ["groups", nonEmpty(name, "group", expected: .name)], query: [("dryRun", isDry ? "true" : nil)],
            body: .json(patch))
        var edit = GroupEdit(
            group: try Self.group(answer), isApplied: try answer.flag("isApplied"),
            changedDevices: try answer.integer("changedDevices"),
            events: BoundedList(
                try answer.elements("events", as: Event.shape),
                total: try answer.json["eventCount"] == nil ? 0 : answer.integer("eventCount"),
                limit: BoundedList<Event>.maxEvents))
        if answer.json["deletion"] != nil { edit.deletion = try answer.object("deletion").decoded() }
        return edit
    }

    /// Removes a device. Returns the resulting events.
    package func removeDevice(id: String) throws(Problem) -> [Event] { try edit(device: ["remove": .string(id)], .always) }

    private func edit(device edit: JSONValue, _ condition: EditCondition) throws(Problem) -> [Event] {
        try connection.send("POST", ["devices:edit"], body: .json(["edits": [edit]]), on: condition)
            .elements("events", as: Event.shape)
    }

    /// Removes a device with all its data.
    package func eraseDevice(_ id: String) throws(Problem) -> DeviceErasure {
        try connection.send("POST", ["devices", "\(try nonEmptyID(id, .device)):erase"]).decoded()
    }

    /// Enrolls a phone. Returns the output of `Enrollment.json(in:)`.
    package func enroll(_ request: EnrollmentRequest) throws(Problem) -> JSONValue {
        try connection.send(
            "POST", ["devices", "\(try nonEmpty(request.deviceId, "id", expected: .deviceID)):enroll"],
            body: .json(request.json(in: AnswerLocale()))
        ).json
    }

    /// Hides a device that reports without a valid token.
    package func refuseDevice(_ id: String) throws(Problem) {
        try connection.sendWithoutAnswer("POST", ["waiting-devices", "\(try nonEmpty(id, "id", expected: .deviceID)):refuse"])
    }

    /// Shows a hidden device again when it reports.
    package func acceptDevice(_ id: String) throws(Problem) {
        try connection.sendWithoutAnswer("POST", ["waiting-devices", "\(try nonEmpty(id, "id", expected: .deviceID)):readmit"])
    }

    /// The devices that report without a valid token, and those that were refused; see `GET /v1/waiting-devices`.
    package func waitingDevices() throws(Problem) -> WaitingDeviceList {
        try connection.send("GET", ["waiting-devices"]).decoded()
    }

    // MARK: - Problems

    /// Dismisses a problem. Returns the problem; see `ShownProblem`.
    package func dismiss(problem id: String) throws(Problem) -> JSONValue {
        try connection.send("POST", ["problems", "\(id):dismiss"]).json
    }

    // MARK: - Alarms

    /// Acknowledges an alarm. Returns its event.
    ///
    /// - Parameter person: The person's name as they give it; nil if they give none.
    package func acknowledgeAlarm(_ id: String, by person: String?) throws(Problem) -> Event {
        try connection.send("POST", ["alarms", "\(id):acknowledge"], query: [("by", person)]).decoded(as: Event.shape)
    }

    // MARK: - Tokens

    /// Creates a token, with its secret.
    ///
    /// - Parameters:
    ///   - scope: The devices that the token may access; nil for all.
    ///   - lifetime: Seconds until the token expires; nil if it does not.
    package func createToken(
        name: String, role: Token.Role, scope: DeviceScope?, lifetime: Double?
    ) throws(Problem) -> CreatedToken {
        let wanted = JSONValue.compact([
            ("name", .string(name)), ("role", .string(role.rawValue)),
            ("devices", (scope?.devices).flatMap(Self.list)), ("groups", (scope?.groups).flatMap(Self.list)),
            ("expiresIn", lifetime.map { JSONValue($0) }),
        ])
        return try connection.send("POST", ["tokens"], body: .json(wanted)).decoded()
    }

    private static func list(_ names: Set<String>) -> JSONValue? {
        names.isEmpty ? nil : .array(names.sorted().map(JSONValue.string))
    }

    /// The tokens.
    ///
    /// - Parameter revoked: Whether to include revoked tokens.
    package func tokens(revoked: Bool) throws(Problem) -> [Token] {
        try connection.send("GET", ["tokens"], query: [("revoked", revoked ? "true" : nil)])
            .elements("tokens", as: Token.shape)
    }

    /// Revokes a token. Returns the token.
    package func revokeToken(id: String) throws(Problem) -> Token {
        try connection.send("DELETE", ["tokens", nonEmptyID(id, .token)]).decoded()
    }

    // MARK: - Registrations

    /// Repairs a device's registrations; see `RepairOutcome.json(in:)`.
    ///
    /// - Parameter isDry: Whether to plan the repair only.
    package func repair(_ device: Device, isDry: Bool) throws(Problem) -> JSONValue {
        try connection.send(
            "POST", ["devices", device.id, "fix-registration"], query: [("dryRun", isDry ? "true" : nil)]
        ).json
    }
}
