/// A failure that a person can meet. Each has words in every language (`Words`), and exactly one thing to do about it.
public enum Problem: Error, Hashable, Sendable {
    // Input
    /// A value is not one that can be used. `expected` says what would be.
    case validationFailed(field: String, value: String, reason: String, expected: String)
    /// A file or text is broken. `line` 1 is the first; nil where lines mean nothing.
    case decodingFailed(source: String, line: Int?, reason: String)
    /// Something could not be written in the form asked for.
    case encodingFailed(what: String, reason: String)
    /// A file of a kind that Picket does not read.
    case unsupportedFormat(source: String, found: String, supported: String)
    /// More than can be taken.
    case tooLarge(what: String, limit: String)
    /// The command line asks for something that does not exist.
    case usage(reason: String, help: String)

    /// A device sends something that cannot be used. `device` is empty when nothing says which one it is; `reason` has the words of
    /// kind `unusable`.
    case inputRefused(device: String, field: String, kind: Refusal.Kind, reason: String)

    // Things that are there, or not
    /// No geofence, device … of that id. `similar` is what may have been meant.
    case notFound(kind: String, id: String, similar: [String])
    /// An address is asked for in a way that it does not know.
    case methodNotAllowed(method: String, allowed: [String])
    /// Something of that id already exists.
    case conflict(kind: String, id: String, reason: String)
    /// A change was asked for on a condition (`If-Match`, `If-None-Match`) that does not hold: mostly it was changed meanwhile.
    case preconditionFailed(kind: String, id: String, reason: String)
    /// Events cannot be read on from a cursor without missing some. `resume` is the place from which on none is missed, and `newest` the
    /// newest number.
    case cursorGone(cursor: EventCursor, reason: EventCursor.Mismatch, resume: EventCursor, newest: Int64)

    // Files and the store
    /// A file or directory cannot be read or written; `reason` as the system says it.
    case fileFailed(path: String, reason: String)
    /// Another process writes to the data directory.
    case storeBusy(path: String, holder: String)
    /// The database is damaged or is none.
    case storeCorrupt(path: String, details: String)
    /// No room left on the disk.
    case storeFull(path: String)
    /// The store was written by a newer Picket.
    case storeTooNew(path: String, version: Int, supported: Int)
    /// A store of an earlier version could not be brought up to date.
    case migrationFailed(path: String, version: Int, details: String)
    /// The store answered otherwise than it should.
    case storeFailed(path: String, details: String)

    // Location: what a phone's operating system lets Picket do
    /// Location is switched off on the device.
    case locationServicesDisabled
    /// Regions are watched in the background only with the authorization `always`; `status` is what there is.
    case authorizationRequired(status: String)
    /// The operating system refuses to watch regions until a person allows it.
    case regionMonitoringDenied(details: String)
    /// The operating system could not watch a region.
    case regionMonitoringFailed(details: String)
    /// The operating system watches no more regions than `limit`.
    case regionLimitReached(limit: Int)
    /// The device's registry gave no answer.
    case registryUnavailable(details: String)
    /// The device's app has reported its registrations too long ago to tell how they are now.
    case registryStale(reportedAt: Instant)
    /// So many regions are missing from the operating system, and so many are there that should not be.
    case registrationIncomplete(missing: Int, orphaned: Int)

    // Network. `peer` is whom Picket talks to, as `http://127.0.0.1:7575`.
    /// The peer cannot be reached.
    case noConnection(peer: String, details: String)
    /// The peer did not answer in time.
    case timeout(peer: String, details: String)
    /// No safe connection: the peer's certificate, or ours, is not accepted.
    case tlsFailed(peer: String, details: String)
    /// The peer speaks the other of `http` and `https`; `other` is the address that is right.
    case schemeMismatch(peer: String, other: String)
    /// The service at an address speaks HTTP without TLS to other machines.
    case insecureTransport(address: String)
    /// Phones cannot reach the address that they would be given: it leads to this machine alone.
    case unreachableByPhones(address: String)
    /// The peer failed by itself; `status` is what it answered, 500 to 599, or nil when that is not known.
    case serverError(status: Int?, details: String)
    /// No token was shown, or a wrong one (401).
    case unauthorized(details: String)
    /// The token does not allow it (403).
    case forbidden(details: String)
    /// A token that was good once and is no longer; `name` is the token's, and may be empty.
    case sessionExpired(name: String)
    /// Too much at once (429); `retryAfter` is in seconds, nil when the peer did not say.
    case rateLimited(retryAfter: Double?)

    /// A foreign service does not accept Picket's user name and password, or does not allow what Picket asks for.
    case accessRefused(peer: String, details: String)
    /// What devices send by way of the peer does not arrive. Picket tries to connect again.
    case intakeInterrupted(peer: String, details: String)

    // Delivery. `sink` is the sink's name.
    /// The sink cannot be reached now, and will be tried again.
    case sinkUnreachable(sink: String, details: String)
    /// The sink did not accept the sign-in; `status` is its answer's: of HTTP, SMTP or MQTT.
    case sinkUnauthorized(sink: String, status: Int, details: String)
    /// The sink takes nothing until its settings are corrected; `status` as above.
    case sinkRejected(sink: String, status: Int, details: String)
    /// The sink does not take one event; `status` as above.
    case eventRejected(sink: String, status: Int, details: String)
    /// The sink has not answered for so many attempts, and goes on being tried.
    case deliveryDegraded(sink: String, attempts: Int, details: String)

    // Other
    case cancelled
    case unknown(details: String)

    /// A stable name, the same in every language.
    public var code: String {
        switch self {
        case .validationFailed: "validationFailed"
        case .decodingFailed: "decodingFailed"
        case .encodingFailed: "encodingFailed"
        case .unsupportedFormat: "unsupportedFormat"
        case .tooLarge: "tooLarge"
        case .usage: "usage"
        case .inputRefused: "inputRefused"
        case .notFound: "notFound"
        case .methodNotAllowed: "methodNotAllowed"
        case .conflict: "conflict"
        case .preconditionFailed: "preconditionFailed"
        case .cursorGone: "cursorGone"
        case .fileFailed: "fileFailed"
        case .storeBusy: "storeBusy"
        case .storeCorrupt: "storeCorrupt"
        case .storeFull: "storeFull"
        case .storeTooNew: "storeTooNew"
        case .migrationFailed: "migrationFailed"
        case .storeFailed: "storeFailed"
        case .locationServicesDisabled: "locationServicesDisabled"
        case .authorizationRequired: "authorizationRequired"
        case .regionMonitoringDenied: "regionMonitoringDenied"
        case .regionMonitoringFailed: "regionMonitoringFailed"
        case .regionLimitReached: "regionLimitReached"
        case .registryUnavailable: "registryUnavailable"
        case .registryStale: "registryStale"
        case .registrationIncomplete: "registrationIncomplete"
        case .noConnection: "noConnection"
        case .timeout: "timeout"
        case .tlsFailed: "tlsFailed"
        case .schemeMismatch: "schemeMismatch"
        case .insecureTransport: "insecureTransport"
        case .unreachableByPhones: "unreachableByPhones"
        case .serverError: "serverError"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .sessionExpired: "sessionExpired"
        case .rateLimited: "rateLimited"
        case .accessRefused: "accessRefused"
        case .intakeInterrupted: "intakeInterrupted"
        case .sinkUnreachable: "sinkUnreachable"
        case .sinkUnauthorized: "sinkUnauthorized"
        case .sinkRejected: "sinkRejected"
        case .eventRejected: "eventRejected"
        case .deliveryDegraded: "deliveryDegraded"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }

    /// How bad it is.
    public enum Severity: String, CaseIterable, Sendable {
        case info, warning, error, critical
    }

    public var severity: Severity {
        switch self {
        case .cancelled: .info
        case .storeBusy, .regionLimitReached, .registrationIncomplete, .rateLimited, .inputRefused, .intakeInterrupted,
            .sinkUnreachable, .eventRejected, .deliveryDegraded, .cursorGone, .insecureTransport,
            .unreachableByPhones:
            .warning
        case .storeCorrupt, .storeFull, .migrationFailed: .critical
        default: .error
        }
    }

    /// The one thing that a person can do about it.
    public enum RecoveryAction: String, CaseIterable, Sendable {
        case retry, openSettings, grantAlways, signIn, fixRegistration, editInput, contactSupport, dismiss
    }

    /// What can be done about it, wherever it happens; see also `recoveryAction(contact:)`.
    public var recoveryAction: RecoveryAction {
        switch self {
        case .validationFailed, .decodingFailed, .unsupportedFormat, .tooLarge, .usage, .notFound, .methodNotAllowed, .conflict,
            .inputRefused, .preconditionFailed, .sinkRejected, .eventRejected, .cursorGone, .schemeMismatch, .insecureTransport,
            .unreachableByPhones:
            .editInput
        case .storeBusy, .storeFull, .fileFailed, .registryUnavailable, .registryStale, .noConnection, .timeout, .serverError,
            .rateLimited, .intakeInterrupted, .sinkUnreachable, .deliveryDegraded:
            .retry
        case .unauthorized, .forbidden, .sessionExpired, .accessRefused, .sinkUnauthorized: .signIn
        case .locationServicesDisabled, .regionMonitoringDenied, .tlsFailed: .openSettings
        case .authorizationRequired: .grantAlways
        case .regionMonitoringFailed, .regionLimitReached, .registrationIncomplete: .fixRegistration
        case .encodingFailed, .storeCorrupt, .storeTooNew, .migrationFailed, .storeFailed, .unknown: .contactSupport
        case .cancelled: .dismiss
        }
    }

    /// What a person can do about it in an installation with this support contact. Without one there is nobody to contact.
    public func recoveryAction(contact: SupportContact?) -> RecoveryAction {
        recoveryAction == .contactSupport && contact == nil ? .dismiss : recoveryAction
    }

    /// Whether the same may succeed later without anyone changing the input.
    public var isRetryable: Bool { recoveryAction == .retry }

    /// Whether the person has to sign in again first.
    public var requiresReauthentication: Bool { recoveryAction == .signIn }

    /// The name of a symbol to show beside it.
    public var icon: String {
        switch self {
        case .validationFailed, .decodingFailed, .encodingFailed, .unsupportedFormat, .tooLarge, .usage, .inputRefused:
            "exclamationmark.triangle"
        case .notFound: "questionmark.circle"
        case .methodNotAllowed: "nosign"
        case .conflict, .preconditionFailed: "arrow.triangle.branch"
        case .cursorGone: "arrow.counterclockwise"
        case .fileFailed: "doc.badge.exclamationmark"
        case .storeBusy: "lock"
        case .storeCorrupt, .storeFull, .storeTooNew, .migrationFailed, .storeFailed: "externaldrive.badge.exclamationmark"
        case .locationServicesDisabled: "location.slash"
        case .authorizationRequired, .regionMonitoringDenied: "location.badge.questionmark"
        case .regionMonitoringFailed, .registrationIncomplete: "mappin.slash"
        case .regionLimitReached: "gauge.with.dots.needle.100percent"
        case .registryUnavailable, .registryStale: "iphone.slash"
        case .noConnection: "wifi.slash"
        case .timeout: "clock.badge.exclamationmark"
        case .tlsFailed, .schemeMismatch: "lock.trianglebadge.exclamationmark"
        case .insecureTransport: "lock.open"
        case .unreachableByPhones: "iphone.slash"
        case .serverError: "server.rack"
        case .unauthorized, .sessionExpired, .accessRefused, .sinkUnauthorized: "person.badge.key"
        case .intakeInterrupted: "antenna.radiowaves.left.and.right.slash"
        case .forbidden: "hand.raised"
        case .rateLimited: "hourglass"
        case .sinkUnreachable, .deliveryDegraded: "tray.and.arrow.up"
        case .sinkRejected: "pause.circle"
        case .eventRejected: "envelope.badge.shield.half.filled"
        case .cancelled: "xmark.circle"
        case .unknown: "exclamationmark.octagon"
        }
    }

    /// What the machine said, for those who look closer; nil when the message says it all.
    public var details: String? {
        switch self {
        case .storeCorrupt(_, let details), .migrationFailed(_, _, let details), .storeFailed(_, let details),
            .regionMonitoringDenied(let details), .regionMonitoringFailed(let details), .registryUnavailable(let details),
            .noConnection(_, let details), .timeout(_, let details), .tlsFailed(_, let details), .serverError(_, let details),
            .accessRefused(_, let details), .intakeInterrupted(_, let details),
            .unauthorized(let details), .forbidden(let details), .unknown(let details), .sinkUnreachable(_, let details),
            .sinkUnauthorized(_, _, let details), .sinkRejected(_, _, let details), .eventRejected(_, _, let details),
            .deliveryDegraded(_, _, let details):
            details.isEmpty ? nil : details
        default: nil
        }
    }

    /// The members of `{"problem": …}`, as the command line and the service write it.
    ///
    /// - Parameter contact: Where people get help; see `recoveryAction(contact:)`.
    public func json(in language: Language = .english, contact: SupportContact? = nil) -> JSONValue {
        let words = language.words
        let action = recoveryAction(contact: contact)
        return .compact([
            ("code", .string(code)),
            ("title", .string(words.title(self))),
            ("message", .string(words.message(self))),
            ("details", details.map(JSONValue.string)),
            ("icon", .string(icon)),
            ("severity", .string(severity.rawValue)),
            (
                "recoveryAction",
                .compact([
                    ("kind", .string(action.rawValue)), ("label", .string(words.label(action))),
                    ("contact", action == .contactSupport ? contact.map { .string($0.description) } : nil),
                ])
            ),
            ("isRetryable", .bool(isRetryable)),
            ("requiresReauthentication", .bool(requiresReauthentication)),
            ("parameters", parameters),
        ])
    }
}
