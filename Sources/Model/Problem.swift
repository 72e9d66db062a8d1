/// A failure that a person can encounter. Each has a title and a message, and exactly one recommended action; see
/// `Problem.Row`.
public enum Problem: Error, Hashable, Sendable {
    // Input
    /// A value cannot be used. `expected` describes valid values.
    case validationFailed(field: String, value: String, reason: Phrase, expected: Phrase)
    /// A file or text is malformed. `line` counts from 1; nil where the input has no lines.
    case decodingFailed(source: ProblemSubject, line: Int?, reason: Phrase)
    /// Something cannot be written in the requested form.
    case encodingFailed(what: ProblemSubject, reason: Phrase)
    /// A file has a format that Picket does not read.
    case unsupportedFormat(source: ProblemSubject, found: Phrase, supported: Phrase)
    /// Something exceeds a limit.
    case tooLarge(what: ProblemSubject, limit: Phrase)
    /// The command line contains a command, option or argument that does not exist.
    case usage(reason: Phrase, help: String)

    /// A device sends something unusable. `device` is empty when the input names none. `reason` is the text for kind `unusable`.
    case inputRefused(device: String, field: String, value: String, kind: Refusal.Kind, reason: Phrase)

    /// A device has sent positions ahead of the clock, so that all newer ones are late. `since` is the time of the earliest of them;
    /// nil as long as it is not known.
    case deviceAheadOfClock(device: String, since: Instant?)
    /// A device reports now, but its positions are dated `lag` seconds before the clock. `time` is the time of the newest of them.
    case deviceBehindClock(device: String, time: Instant, lag: Double)
    /// The positions of a device jump back and forth between two tracks, `meters` apart, this many times in this many seconds, as
    /// if two senders used its id. Once there and back counts as one time.
    case sharedDeviceID(device: String, meters: Double, times: Int, seconds: Double)
    /// The clock of this machine, which shows `time`, cannot be relied on.
    case clockImplausible(time: Instant, reason: Phrase)
    /// Late positions of a device, the earliest of `since`, are not evaluated yet. If `isPossible` is false, they cannot be, because
    /// positions that this needs were deleted.
    case replayPending(device: String, since: Instant, isPossible: Bool)

    // Existing and missing things
    /// There is no geofence, device … with that id. `similar` lists existing ids that may have been meant; for a token, the ids of
    /// tokens whose name is `id`.
    case notFound(kind: ItemKind, id: String, similar: [String])
    /// An address does not support the method of the request.
    case methodNotAllowed(method: String, allowed: [String])
    /// Something with that id already exists.
    case conflict(kind: ItemKind, id: String, reason: Phrase)
    /// The condition of a change (`If-Match`, `If-None-Match`) is not met, usually because another client has made a change.
    case preconditionFailed(kind: ItemKind, id: String, reason: Phrase)
    /// Events cannot be read from a cursor without missing some. From `resume` on none are missed. `newest` is the newest event number.
    case cursorGone(cursor: EventCursor, reason: EventCursor.Mismatch, resume: EventCursor, newest: Int64)

    // Files and the store
    /// A file or directory cannot be read or written. `reason` is the text of the system.
    case fileFailed(path: String, reason: Phrase)
    /// Another process is writing to the data directory.
    case storeBusy(path: String, holder: ProblemSubject)
    /// The database is damaged, or the file is not a database.
    case storeCorrupt(path: String, details: String)
    /// The disk is full.
    case storeFull(path: String)
    /// The store was written by a newer Picket.
    case storeTooNew(path: String, version: Int, supported: Int)
    /// A store could not be brought to the current version.
    case migrationFailed(path: String, version: Int, details: String)
    /// The database reported an unexpected error.
    case storeFailed(path: String, details: String)
    /// The system failed to read or write a file of the store.
    case diskFailed(path: String, details: String)
    /// A file of the store was deleted, moved or replaced while it was used.
    case storeReplaced(path: String)
    /// The write-ahead log of the store has `bytes` bytes and cannot shrink, because a transaction is open. `holder` is the
    /// process that has the transaction.
    case walHeld(path: String, bytes: Int, holder: ProblemSubject)

    /// A scheduled backup in the directory at `path` could not be made or copied elsewhere.
    case backupFailed(path: String, details: Phrase)

    // Location: what a phone's operating system allows
    /// Location is switched off on the device.
    case locationServicesDisabled
    /// Monitoring regions in the background requires the authorization `always`; `status` is the current one.
    case authorizationRequired(status: String)
    /// The operating system refuses to monitor regions until a person allows it.
    case regionMonitoringDenied(details: Phrase)
    /// The operating system failed to monitor a region.
    case regionMonitoringFailed(details: Phrase)
    /// The operating system monitors at most `limit` regions.
    case regionLimitReached(limit: Int)
    /// Picket's journal of a device's registrations could not be read. It was kept as damaged, and a new one was begun.
    case registryJournalDamaged(device: String, reason: Phrase)
    /// The device's registry did not answer.
    case registryUnavailable(details: Phrase)
    /// The last report of the device's app is too old to know the current registrations.
    case registryStale(reportedAt: Instant)
    /// The number of regions that are missing in the operating system, and of those that should not be there.
    case registrationIncomplete(missing: Int, orphaned: Int)

    // Network. `peer` is the other side, such as `http://127.0.0.1:7575`.
    /// The peer cannot be reached.
    case noConnection(peer: String, details: Phrase)
    /// The peer did not answer in time.
    case timeout(peer: String, details: Phrase)
    /// No secure connection could be made, because the peer's certificate or Picket's was not accepted.
    case tlsFailed(peer: String, details: Phrase)
    /// The peer uses the other scheme (`http` or `https`); `other` is the correct address.
    case schemeMismatch(peer: String, other: String)
    /// The service accepts HTTP without TLS from other machines at this address.
    case insecureTransport(address: String)
    /// Phones cannot reach the address that they would be given, because it refers to this machine only.
    case unreachableByPhones(address: String)
    /// The peer has failed. `status` is that of its answer, 500 to 599, or nil when it is unknown.
    case serverError(status: Int?, details: Phrase)
    /// The token is missing or wrong (401).
    case unauthorized(details: Phrase)
    /// The token does not permit the request (403).
    case forbidden(details: Phrase)
    /// The token was valid once but is no longer; `name` is the token's name, and may be empty.
    case sessionExpired(name: String)
    /// Too many requests (429). `retryAfter` is in seconds; nil when the peer gave none.
    case rateLimited(retryAfter: Double?)

    /// Another service rejects Picket's user name and password, or does not permit what Picket requests.
    case accessRefused(peer: String, details: Phrase)
    /// The geocoder has answered, but not the question.
    case geocoderFailed(peer: String, details: Phrase)
    /// What devices send through the peer does not arrive. Picket tries to reconnect.
    case intakeInterrupted(peer: String, details: Phrase)

    // Delivery. `sink` is the sink's name.
    /// The sink does not accept events now, and Picket tries again. `status` is that of its answer, in HTTP or SMTP, or of its
    /// command; nil when the sink did not answer.
    case sinkUnreachable(sink: String, status: Int? = nil, details: Phrase)
    /// The sink rejected the credentials. `status` is that of its answer, in HTTP, SMTP or MQTT.
    case sinkUnauthorized(sink: String, status: Int, details: Phrase)
    /// The sink accepts nothing until its settings are corrected. `status` is as above.
    case sinkRejected(sink: String, status: Int, details: Phrase)
    /// The sink rejects one event. `status` is as above.
    case eventRejected(sink: String, status: Int, details: Phrase)
    /// This many attempts to send to the sink have failed, and Picket keeps trying. `status` is that of the last answer, as
    /// above.
    case deliveryDegraded(sink: String, attempts: Int, status: Int? = nil, details: Phrase)

    // Other
    /// The person or the program canceled the work before it was done.
    case cancelled
    /// A failure that no other case describes.
    case unknown(details: Phrase)

    /// A stable identifier, the same in every language.
    public var code: String { row.code }

    /// A heading of a few words.
    public var title: Phrase { row.title() }

    /// Sentences that say what happened, to what, why, and what to do.
    public var message: Phrase { row.message() }

    /// The status of an HTTP answer with the problem.
    package var httpStatus: Int { row.status }

    /// How serious the problem is.
    public enum Severity: String, CaseIterable, Sendable {
        /// Nothing is wrong.
        case info
        /// Something is delayed or incomplete.
        case warning
        /// Something was not done.
        case error
        /// Data may be lost, or the service cannot continue.
        case critical
    }

    /// How serious the problem is.
    public var severity: Severity { row.severity }

    /// The recommended action of a person.
    public enum RecoveryAction: String, CaseIterable, Sendable {
        /// Try the same again.
        case retry
        /// Open the settings of the device or of the program.
        case openSettings
        /// Grant the location permission "always".
        case grantAlways
        /// Give other credentials.
        case signIn
        /// Repair the registered regions.
        case fixRegistration
        /// Change what was given.
        case editInput
        /// Ask a person who maintains the installation.
        case contactSupport
        /// Take note of it; there is nothing to do.
        case dismiss
    }

    /// The recommended action in any installation; see also `recoveryAction(contact:)`.
    public var recoveryAction: RecoveryAction { row.action }

    /// The recommended action in an installation with this support contact. Without one, `.contactSupport` becomes `.dismiss`.
    public func recoveryAction(contact: SupportContact?) -> RecoveryAction {
        recoveryAction == .contactSupport && contact == nil ? .dismiss : recoveryAction
    }

    /// Whether a retry may succeed without any change to the input.
    public var isRetryable: Bool { recoveryAction == .retry }

    /// Whether the person has to sign in again first.
    public var requiresReauthentication: Bool { recoveryAction == .signIn }

    /// The name of an SF Symbols icon.
    public var icon: String { row.icon }

    /// The technical details; nil when the message contains everything. Those of the store are the database's own words, in English.
    public func details(in language: Language) -> String? {
        let text =
            switch parameter("details") {
            case let details as Phrase: details.text(in: language)
            case let details as String: details
            default: ""
            }
        return text.isEmpty ? nil : text
    }

    /// The status that the other side answered with; nil when it did not answer, or when the problem concerns no other side.
    package var peerStatus: Int? { if case .rateLimited = self { 429 } else { parameter("status") as? Int } }

    /// The technical details or, if there are none, the message. It becomes the details of the problem that follows from this one.
    package var cause: Phrase {
        if let details = parameter("details") as? Phrase, !details.description.isEmpty { details } else { message }
    }

    private func parameter(_ name: String) -> (any ProblemParameter)? {
        row.parameters().first { $0.key == name }?.value
    }
}

extension Problem {
    /// The problem that input lacks a field.
    package static func missing(_ field: String, _ expected: Phrase) -> Problem {
        .validationFailed(field: field, value: "", reason: .missing, expected: expected)
    }
}

extension Problem.RecoveryAction {
    /// The text of its button.
    public var label: Phrase {
        switch self {
        case .retry: Phrase("Try Again")
        case .openSettings: Phrase("Open Settings")
        case .grantAlways: Phrase("Allow 'Always'")
        case .signIn: Phrase("Sign In")
        case .fixRegistration: Phrase("Fix Registration")
        case .editInput: Phrase("Correct the Input")
        case .contactSupport: Phrase("Contact Support")
        case .dismiss: Phrase("Dismiss")
        }
    }
}
