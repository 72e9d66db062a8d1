import Model
import Settings

/// What commands change: in the store before them, or through a service that runs.
///
/// A desk belongs to one thread at a time. What it has changed is on disk when it returns.
public protocol CommandBackend: AnyObject {
    // MARK: Geofences

    /// The geofence of that id; nil if there is none.
    func knownGeofence(id: String) throws(Problem) -> Geofence?

    /// The geofence of that id.
    ///
    /// - Throws: `Problem.notFound`, with ids that may have been meant.
    func geofence(id: String) throws(Problem) -> Geofence

    /// Makes one change of the fence set out of any number of edits.
    ///
    /// - Parameter condition: What must hold of every one of them.
    /// - Returns: The events of devices that the change puts inside or outside of something.
    /// - Throws: `Problem.preconditionFailed` when the condition does not hold, else as `ServiceWriter.apply(_:)`.
    func apply(_ edits: [Queries.GeofenceEdit], _ condition: EditCondition) throws(Problem) -> [Event]

    /// Takes all good geofences of a file, in one change of the fence set; see `GeofenceFile.importing(_:into:_:)`.
    ///
    /// - Parameters:
    ///   - bytes: What the file holds.
    ///   - source: The name of the file, for messages.
    func importGeofences(
        _ bytes: [UInt8], source: String, _ options: GeofenceFile.ImportOptions
    ) throws(Problem) -> GeofenceFile.Imported

    // MARK: Devices

    func hasDevice(id: String) throws(Problem) -> Bool

    /// The device of that id.
    ///
    /// - Throws: `Problem.notFound`, with ids that may have been meant.
    func device(id: String) throws(Problem) -> Device

    /// When positions are deleted whose time of keeping is over, as "within a minute".
    var timeOfDeletion: String { get }

    /// Saves a device.
    ///
    /// - Returns: The events that follow, as of groups that have changed.
    /// - Throws: `Problem.preconditionFailed` when the condition does not hold.
    func put(_ device: Device, _ condition: EditCondition) throws(Problem) -> [Event]

    /// Saves the key by which a device encrypts what it sends; see `ServiceWriter.setOwnTracksKey(_:ofDevice:)`.
    func setOwnTracksKey(_ key: String?, ofDevice id: String) throws(Problem)

    /// Forgets a device; see `ServiceWriter.removeDevice(id:)`.
    func removeDevice(id: String) throws(Problem) -> [Event]

    /// Erases a device and all that is known of it; see `ServiceWriter.eraseDevice(id:rewriting:)`.
    func erase(device id: String) throws(Problem) -> DeviceErasure

    /// Enrolls a phone; see `ServiceWriter.enroll(_:at:)`.
    ///
    /// - Parameter settings: Those of a service on this store; one that runs has its own.
    /// - Returns: See `Enrollment.json(in:)`.
    func enroll(_ request: EnrollmentRequest, _ settings: Settings, in language: Language) throws(Problem) -> JSONValue

    /// Refuses a device that reports without a token; see `ServiceWriter.refuse(device:)`.
    func refuse(device id: String) throws(Problem)

    /// Refuses a device no longer; see `ServiceWriter.readmit(device:)`.
    func readmit(device id: String) throws(Problem)

    // MARK: Problems

    /// Hides a standing problem until there is news of it.
    ///
    /// - Returns: The problem, in that language.
    func dismiss(problem id: String, in language: Language) throws(Problem) -> JSONValue

    // MARK: Alarms

    /// Notes that a person has seen an alarm; see `ServiceWriter.acknowledge(alarm:by:)`.
    func acknowledge(alarm id: String, by person: String?) throws(Problem) -> Event

    // MARK: Positions

    /// Begins to take the positions of one input.
    ///
    /// - Parameter policy: What its devices shall decide by from now on.
    func positions(policy: DecisionPolicy.Name?) throws(Problem) -> any PositionSink

    /// Judges late fixes anew that have been taken and wait for it; a service that runs does so by itself.
    ///
    /// - Parameters:
    ///   - all: Whether none is to wait any longer for more that may come.
    ///   - told: Called with the events that follow, when they are on disk.
    func replayLate(all: Bool, _ told: ([Event]) -> Void) throws(Problem) -> ReplayCounts

    /// Judges the stored fixes of devices anew, late ones in their place, and writes what is other than on record.
    ///
    /// - Parameters:
    ///   - id: Of the device; nil for all.
    ///   - since: From the last checkpoint before this moment on; nil for all that is stored.
    ///   - progress: Told how much is done, and of how much.
    ///   - told: Called with the events that follow, when they are on disk.
    /// - Throws: `Problem.notFound` for a device that nobody knows.
    func replay(
        device id: String?, since: Instant?, progress: @escaping (_ done: Int, _ of: Int) -> Void, told: ([Event]) -> Void
    ) throws(Problem) -> ReplayCounts

    // MARK: Tokens

    /// Makes a token; see `ServiceWriter.createToken(name:role:lifetime:)`.
    func createToken(name: String, role: Token.Role, lifetime: Double?) throws(Problem) -> (token: Token, secret: String)

    /// The tokens, the oldest first; those that were taken back if they are asked for.
    func tokens(revoked: Bool) throws(Problem) -> [Token]

    /// Takes a token back.
    func revokeToken(id: String) throws(Problem) -> Token
}

/// Takes the positions of one input, batch by batch. A batch is one transaction, or one request.
public protocol PositionSink {
    /// Takes a batch.
    ///
    /// - Returns: What became of this one, or of the one before; nil when nothing can be told yet. What is told is on disk.
    mutating func add(_ batch: TimeOrderedBatch) throws(Problem) -> IntakeResult?

    /// Waits for what has not been told yet.
    mutating func finish() throws(Problem) -> IntakeResult?
}

// MARK: - The store itself

extension ServiceWriter: CommandBackend {
    public var timeOfDeletion: String { "when the service runs" }

    public func dismiss(problem id: String, in language: Language) throws(Problem) -> JSONValue {
        json(try dismiss(problem: id), in: language)
    }

    public func apply(_ edits: [GeofenceEdit], _ condition: EditCondition) throws(Problem) -> [Event] {
        if condition != .always {
            for edit in edits {
                try condition.check(kind: "geofence", id: edit.id, tag: try knownGeofence(id: edit.id)?.json.tag)
            }
        }
        return try apply(edits)
    }

    public func importGeofences(
        _ bytes: [UInt8], source: String, _ options: GeofenceFile.ImportOptions
    ) throws(Problem) -> GeofenceFile.Imported {
        try GeofenceFile.importing(try GeofenceFile.decode(bytes, source: source), source: source, into: self, options)
    }

    public func put(_ device: Device, _ condition: EditCondition) throws(Problem) -> [Event] {
        if condition != .always {
            try condition.check(kind: "device", id: device.id, tag: try store.device(id: device.id)?.device.json.tag)
        }
        return try put(device)
    }

    public func enroll(_ request: EnrollmentRequest, _ settings: Settings, in language: Language) throws(Problem) -> JSONValue {
        try enroll(request, at: PhoneAddress(settings)).json(in: language)
    }

    public func erase(device id: String) throws(Problem) -> DeviceErasure { try eraseDevice(id: id) }

    public func positions(policy: DecisionPolicy.Name?) -> any PositionSink {
        PositionIntake(service: self, policy: policy)
    }
}

extension Queries.GeofenceEdit {
    /// Of the geofence that it changes.
    public var id: String {
        switch self {
        case .put(let geofence): geofence.id
        case .remove(let id): id
        }
    }
}

extension PositionIntake: PositionSink {
    mutating func add(_ batch: TimeOrderedBatch) throws(Problem) -> IntakeResult? { try take(batch) }
    func finish() -> IntakeResult? { nil }
}
