import Core
import Ingest
import Model
import Places
import Presence
import Settings
import Store

/// Everything that commands can change. The implementations change the store directly or send requests to a running service.
///
/// An instance must be used by one thread at a time. When a method returns, its changes are on disk.
package protocol CommandBackend: AnyObject {
    // MARK: Geofences

    /// The geofence with this id; nil if there is none.
    func knownGeofence(id: String) throws(Problem) -> Geofence?

    /// The geofences with a name, sorted by id.
    ///
    /// - Parameter name: The whole name in normal form C, in the same case.
    func geofences(named name: String) throws(Problem) -> [Geofence]

    /// The geofence with this id.
    ///
    /// - Throws: `Problem.notFound` with similar ids.
    func geofence(id: String) throws(Problem) -> Geofence

    /// Applies any number of edits as one change of the geofences.
    ///
    /// - Parameter condition: The condition that every edited geofence must meet.
    /// - Returns: The events of devices that enter or leave a geofence because of the change.
    /// - Throws: `Problem.preconditionFailed` if the condition is not met, otherwise the same as `ServiceWriter.apply(_:)`.
    func apply(_ edits: [Queries.GeofenceEdit], _ condition: EditCondition) throws(Problem) -> [Event]

    /// Imports all valid geofences of a file as one change; see `GeofenceFile.importing(_:into:_:)`.
    ///
    /// - Parameters:
    /// - bytes: The content of the file.
    ///   - source: The name of the file, for messages.
    func importGeofences(
        _ bytes: [UInt8], source: String, _ options: GeofenceFile.ImportOptions
    ) throws(Problem) -> GeofenceFile.Imported

    // MARK: Devices

    func hasDevice(id: String) throws(Problem) -> Bool

    /// The device with this id.
    ///
    /// - Throws: `Problem.notFound` with similar ids.
    func device(id: String) throws(Problem) -> Device

    /// When expired positions are deleted, as text such as "within a minute".
    var timeOfDeletion: PositionDeletion.Time { get }

    /// Saves a device.
    ///
    /// - Returns: The events that follow, for example because the device's groups changed.
    /// - Throws: `Problem.preconditionFailed` if the condition is not met.
    func put(_ device: Device, _ condition: EditCondition) throws(Problem) -> [Event]

    /// Changes the same fields of several devices; see `ServiceWriter.patchDevices(_:_:preview:)`.
    ///
    /// - Parameter isDry: Whether to change nothing, and only return what would change.
    func patchDevices(_ change: DevicePatch, isDry: Bool) throws(Problem) -> DevicePatchResult

    /// Changes the values of a group; see `ServiceWriter.patchGroup(_:with:preview:)`.
    ///
    /// - Parameter isDry: Whether to change nothing, and only return what would change.
    func patchGroup(_ name: String, with patch: JSONValue, isDry: Bool) throws(Problem) -> GroupEdit

    /// Removes a device; see `ServiceWriter.removeDevice(id:)`.
    func removeDevice(id: String) throws(Problem) -> [Event]

    /// Erases a device and all of its data; see `ServiceWriter.eraseDevice(id:rewriting:)`.
    func eraseDevice(_ id: String) throws(Problem) -> DeviceErasure

    /// Enrolls a phone; see `ServiceWriter.enroll(_:at:)`.
    ///
    /// - Parameter settings: The settings of a service on this store. A running service uses its own settings instead.
    /// - Returns: The output of `Enrollment.json(in:)`.
    func enroll(_ request: EnrollmentRequest, _ settings: Settings, in language: Language) throws(Problem) -> JSONValue

    /// Refuses an unknown device that reports without a token; see `ServiceWriter.refuseDevice(_:)`.
    func refuseDevice(_ id: String) throws(Problem)

    /// Accepts a refused device again; see `ServiceWriter.acceptDevice(_:)`.
    func acceptDevice(_ id: String) throws(Problem)

    // MARK: Problems

    /// Hides an open problem until it changes.
    ///
    /// - Returns: The problem as JSON in the given language.
    func dismiss(problem id: String, in language: Language) throws(Problem) -> JSONValue

    // MARK: Alarms

    /// Records that a person has seen an alarm; see `ServiceWriter.acknowledgeAlarm(_:by:)`.
    func acknowledgeAlarm(_ id: String, by person: String?) throws(Problem) -> Event

    // MARK: Positions

    /// Completes the options for decoding positions: the clock, and the zone of each device if the zone is undecided. A running service
    /// decides the zone itself.
    func completed(_ options: DecodingOptions) throws(Problem) -> DecodingOptions

    /// Starts the intake of the positions of one input.
    ///
    /// - Parameter policy: The decision policy that the input's devices get; nil to keep their policies.
    func makePositionSink(policy: PolicyOverride?) throws(Problem) -> any PositionSink

    /// Replays the late fixes that are waiting for it. A running service does this automatically.
    ///
    /// - Parameters:
    ///   - all: Whether to replay all of them now instead of waiting for further late fixes.
    ///   - report: Called with the resulting events after they are on disk.
    func replayLate(all: Bool, _ report: ([Event]) -> Void) throws(Problem) -> ReplayCounts

    // MARK: Tokens

    /// Creates a token; see `ServiceWriter.createToken(name:role:scope:lifetime:)`.
    func createToken(
        name: String, role: Token.Role, scope: DeviceScope?, lifetime: Double?
    ) throws(Problem) -> CreatedToken

    /// Revokes a token.
    func revokeToken(id: String) throws(Problem) -> Token

    // MARK: Rules

    /// A rule as in the HTTP interface.
    func ruleDocument(id: String) throws(Problem) -> JSONValue
    func createRuleDocument(_ json: JSONValue) throws(Problem) -> JSONValue
    func saveRuleDocument(_ json: JSONValue, id: String) throws(Problem) -> JSONValue
    func removePresenceRule(id: String) throws(Problem)
}

// MARK: - Changing the store directly

extension ServiceWriter: CommandBackend {
    package var timeOfDeletion: PositionDeletion.Time { .whenServiceRuns }

    package func dismiss(problem id: String, in language: Language) throws(Problem) -> JSONValue {
        json(try dismiss(problem: id), in: language)
    }

    package func apply(_ edits: [GeofenceEdit], _ condition: EditCondition) throws(Problem) -> [Event] {
        try apply(edits, condition, following: nil)
    }

    /// Applies edits if each geofence meets a condition; see `apply(_:areOutlinesChecked:following:)`.
    @discardableResult
    package func apply(
        _ edits: [GeofenceEdit], _ condition: EditCondition, following: FollowingEvents?
    ) throws(Problem) -> [Event] {
        if condition != .always {
            for edit in edits {
                try condition.check(kind: .geofence, id: edit.id, tag: try knownGeofence(id: edit.id)?.json.tag)
            }
        }
        return try apply(edits, following: following)
    }

    package func importGeofences(
        _ bytes: [UInt8], source: String, _ options: GeofenceFile.ImportOptions
    ) throws(Problem) -> GeofenceFile.Imported {
        let file = try GeofenceFile.decode(bytes, source: .verbatim(source), options.decoding)
        return try GeofenceFile.importing(file, source: source, into: self, options)
    }

    package func put(_ device: Device, _ condition: EditCondition) throws(Problem) -> [Event] {
        if condition != .always {
            try condition.check(kind: .device, id: device.id, tag: try store.device(id: device.id)?.device.json.tag)
        }
        return try save(device)
    }

    package func patchDevices(_ change: DevicePatch, isDry: Bool) throws(Problem) -> DevicePatchResult {
        let preview = isDry || change.changesRetention ? try previewPatch(change) : nil
        if isDry, let preview { return preview }
        return try patchDevices(change, preview: preview)
    }

    package func patchGroup(_ name: String, with patch: JSONValue, isDry: Bool) throws(Problem) -> GroupEdit {
        let preview = try previewGroup(name, with: patch)
        return isDry ? preview : try patchGroup(name, with: patch, preview: preview)
    }

    package func enroll(_ request: EnrollmentRequest, _ settings: Settings, in language: Language) throws(Problem) -> JSONValue {
        try enroll(request, at: PhoneAddress(settings)).json(in: language)
    }

    package func eraseDevice(_ id: String) throws(Problem) -> DeviceErasure { try eraseDevice(id: id) }

    package func completed(_ options: DecodingOptions) throws(Problem) -> DecodingOptions {
        var options = options
        options.clock = clock
        if case .undecided = options.timeZone {
            var zones: [String: LocalTimeZone] = [:]
            for device in try devices() { zones[device.id] = device.inputZone }
            options.timeZone = .ofDevices { [zones] in zones[$0] }
        }
        return options
    }

    package func makePositionSink(policy: PolicyOverride?) -> any PositionSink {
        PositionIntake(service: self, policy: policy)
    }
}
