extension Problem {
    /// One row of the table of problems: what all problems of a kind have in common, and the texts with the values of one.
    struct Row {
        let code: String
        let severity: Severity
        let action: RecoveryAction
        /// The status of an answer with the problem (RFC 9110, 15; 507 is from RFC 4918). 500 is for problems that are not the answer to a
        /// request, and for those without a more specific status.
        let status: Int
        let icon: String
        let parameters: () -> KeyValuePairs<String, any ProblemParameter>
        let title: () -> Phrase
        let message: () -> Phrase

        init(
            _ code: String, _ severity: Severity, action: RecoveryAction, status: Int = 500, icon: String,
            parameters: @autoclosure @escaping () -> KeyValuePairs<String, any ProblemParameter> = [:],
            title: @autoclosure @escaping () -> Phrase, message: @autoclosure @escaping () -> Phrase
        ) {
            self.code = code
            self.severity = severity
            self.action = action
            self.status = status
            self.icon = icon
            self.parameters = parameters
            self.title = title
            self.message = message
        }
    }

    /// The row of the problem's kind.
    var row: Row {
        switch self {
        case .validationFailed(let field, let value, let reason, let expected):
            Row(
                "validationFailed", .error, action: .editInput, status: 422,
                icon: "exclamationmark.triangle",
                parameters: ["field": field, "value": value, "reason": reason, "expected": expected],
                title: Phrase("Invalid value"),
                message: value.isEmpty
                    ? Phrase("\(field) cannot be used: \(reason). Expected \(expected).")
                    : Phrase("\(field) '\(value)' cannot be used: \(reason). Expected \(expected)."))
        case .decodingFailed(let source, let line, let reason):
            Row(
                "decodingFailed", .error, action: .editInput, status: 400,
                icon: "exclamationmark.triangle", parameters: ["source": source, "line": line, "reason": reason],
                title: Phrase("Unreadable input"),
                message: line.map { Phrase("\(source), line \(plain: $0): \(reason).") } ?? Phrase("\(source): \(reason)."))
        case .encodingFailed(let what, let reason):
            Row(
                "encodingFailed", .error, action: .contactSupport, status: 400,
                icon: "exclamationmark.triangle", parameters: ["what": what, "reason": reason],
                title: Phrase("Output not written"),
                message: Phrase("\(what) cannot be written: \(reason)."))
        case .unsupportedFormat(let source, let found, let supported):
            Row(
                "unsupportedFormat", .error, action: .editInput, status: 415,
                icon: "exclamationmark.triangle", parameters: ["source": source, "found": found, "supported": supported],
                title: Phrase("Unknown format"),
                message: Phrase("\(source) is not in a format that Picket can read: \(found). Supported: \(supported)."))
        case .tooLarge(let what, let limit):
            Row(
                "tooLarge", .error, action: .editInput, status: 413,
                icon: "exclamationmark.triangle", parameters: ["what": what, "limit": limit],
                title: Phrase("Too large"),
                message: Phrase("\(what) is too large. The maximum is \(limit)."))
        case .usage(let reason, let help):
            Row(
                "usage", .error, action: .editInput, status: 400,
                icon: "exclamationmark.triangle", parameters: ["reason": reason, "help": help],
                title: Phrase("Invalid command"),
                message: reason.description.hasSuffix("?")
                    ? Phrase("\(reason) See '\(help)'.") : Phrase("\(reason). See '\(help)'."))
        case .inputRefused(let device, let field, let value, let kind, let reason):
            Row(
                "inputRefused", .warning, action: .editInput, icon: "exclamationmark.triangle",
                parameters: [
                    "device": device, "field": field, "value": value.isEmpty ? String?.none : value, "kind": kind,
                    "reason": reason,
                ],
                title: Phrase("Invalid data"),
                message: device.isEmpty
                    ? Phrase(
                        "Picket received invalid data: \(refusal(kind, field, value, reason)) Everything else that devices send is still recorded."
                    )
                    : Phrase(
                        "'\(device)' sends invalid data: \(refusal(kind, field, value, reason)) Its other data is still recorded."
                    ))
        case .deviceAheadOfClock(let device, let since):
            Row(
                "deviceAheadOfClock", .warning, action: .editInput,
                icon: "clock.badge.exclamationmark", parameters: ["device": device, "since": since],
                title: Phrase("Device's clock is ahead"),
                message: since.map {
                    Phrase(
                        """
                        '\(device)' has sent positions with times in the future, the first at \($0). Until then, all \
                        positions that it sends count as late and cause no events; they are still recorded. Correct the \
                        clock that was ahead, then remove these positions.
                        """)
                }
                    ?? Phrase(
                        """
                        '\(device)' has sent positions with times in the future. Until those times, all positions that it \
                        sends count as late and cause no events; they are still recorded. Picket does not know the time of \
                        the first of these positions yet, because it has not sorted all positions by device. Correct the \
                        clock that was ahead, then check again.
                        """))
        case .deviceBehindClock(let device, let time, let lag):
            Row(
                "deviceBehindClock", .warning, action: .editInput,
                icon: "clock.badge.exclamationmark", parameters: ["device": device, "time": time, "lag": lag],
                title: Phrase("Device's clock is behind"),
                message: Phrase(
                    """
                    '\(device)' is reporting, but its positions are dated \(String(time.description.prefix(10))), \
                    \(days(lag)) behind the clock: \(cause(ofLag: lag)) Its positions are stored with these dates, so they \
                    say nothing about today.
                    """))
        case .sharedDeviceID(let device, let meters, let times, let seconds):
            Row(
                "sharedDeviceID", .warning, action: .editInput, icon: "arrow.triangle.branch",
                parameters: ["device": device, "meters": meters, "times": times, "seconds": seconds],
                title: Phrase("Two senders with one id"),
                message: Phrase(
                    """
                    The positions of '\(device)' alternate between places \(length: meters) apart (\(repetitions(times)) in \
                    \(duration: seconds)): do two phones use this id? The device's events, visits and reports may be wrong. \
                    Give each phone its own id.
                    """))
        case .clockImplausible(let time, let reason):
            Row(
                "clockImplausible", .error, action: .retry, status: 503,
                icon: "clock.badge.exclamationmark", parameters: ["time": time, "reason": reason],
                title: Phrase("Clock is not plausible"),
                message: Phrase(
                    """
                    The clock of this machine shows \(time), which is not plausible: \(reason). No time server has confirmed \
                    it. Until it is plausible, apps are asked to send positions from its future again later, no positions \
                    are deleted because of their age, and deadlines, silence and the expiry of tokens are not evaluated. Set \
                    the clock.
                    """))
        case .replayPending(let device, let since, let isPossible):
            Row(
                "replayPending", .warning, action: isPossible ? .retry : .dismiss,
                icon: "clock.badge.exclamationmark", parameters: ["device": device, "since": since, "isPossible": isPossible],
                title: Phrase("Positions not evaluated"),
                message: isPossible
                    ? Phrase(
                        """
                        Late positions of '\(device)', the earliest from \(since), are not evaluated yet. Until then, \
                        events, visits and reports from that time on may be missing or wrong. Picket evaluates them \
                        automatically.
                        """)
                    : Phrase(
                        """
                        Late positions of '\(device)', the earliest from \(since), cannot be evaluated, because older \
                        positions of the device were deleted or never kept. Events, visits and reports of that time do not \
                        include them. The positions are still stored.
                        """))
        case .notFound(let kind, let id, let similar):
            Row(
                "notFound", .error, action: .editInput, status: 404,
                icon: "questionmark.circle", parameters: ["kind": kind, "id": id, "similar": similar],
                title: Phrase("No such \(kind)"),
                message: missing(kind, id, similar))
        case .methodNotAllowed(let method, let allowed):
            Row(
                "methodNotAllowed", .error, action: .editInput, status: 405, icon: "nosign",
                parameters: ["method": method, "allowed": allowed],
                title: Phrase("Method not allowed"),
                message: Phrase("\(method) is not supported here. Use \(choice: allowed)."))
        case .conflict(let kind, let id, let reason):
            Row(
                "conflict", .error, action: .editInput, status: 409,
                icon: "arrow.triangle.branch", parameters: ["kind": kind, "id": id, "reason": reason],
                title: Phrase("Conflict"),
                message: Phrase("The \(kind) '\(id)' \(reason)."))
        case .preconditionFailed(let kind, let id, let reason):
            Row(
                "preconditionFailed", .error, action: .editInput, status: 412,
                icon: "arrow.triangle.branch", parameters: ["kind": kind, "id": id, "reason": reason],
                title: Phrase("Precondition failed"),
                message: Phrase("The \(kind) '\(id)' \(reason)."))
        case .cursorGone(let cursor, let reason, let resume, let newest):
            Row(
                "cursorGone", .warning, action: .editInput, status: 410,
                icon: "arrow.counterclockwise",
                parameters: [
                    "cursor": cursor, "reason": reason, "resumeAfter": resume.sequence, "resumeCursor": resume,
                    "newest": newest,
                ],
                title: Phrase("Cannot resume from this event"),
                message: gone(cursor, reason, resume, newest))
        case .fileFailed(let path, let reason):
            Row(
                "fileFailed", .error, action: .retry,
                icon: "doc.badge.exclamationmark", parameters: ["path": path, "reason": reason],
                title: Phrase("File cannot be accessed"),
                message: Phrase("\(path): \(reason)."))
        case .storeBusy(let path, let holder):
            Row(
                "storeBusy", .warning, action: .retry, status: 503, icon: "lock", parameters: ["path": path, "holder": holder],
                title: Phrase("Data directory in use"),
                message: Phrase(
                    """
                    The data directory \(path) is being written to by \(holder). It can still be read. Wait until that has \
                    finished, or stop it, or choose another directory with --data.
                    """))
        case .storeCorrupt(let path, let details):
            Row(
                "storeCorrupt", .critical, action: .contactSupport,
                icon: "externaldrive.badge.exclamationmark", parameters: ["path": path, "details": details],
                title: Phrase("Store damaged"),
                message: Phrase(
                    """
                    \(path) is damaged, or is not a Picket store. 'picket check' shows the damage; undamaged parts can still \
                    be read. Restore the newest backup with 'picket restore FILE', or move the file away to start over.
                    """))
        case .storeFull(let path):
            Row(
                "storeFull", .critical, action: .retry, status: 507, icon: "externaldrive.badge.exclamationmark",
                parameters: ["path": path],
                title: Phrase("Disk full"),
                message: Phrase(
                    """
                    There is no disk space left for \(path), so it cannot be written. Everything acknowledged before is safe \
                    and can still be read. Free disk space, then try again; a running service resumes automatically.
                    """))
        case .storeTooNew(let path, let version, let supported):
            Row(
                "storeTooNew", .error, action: .contactSupport, icon: "externaldrive.badge.exclamationmark",
                parameters: ["path": path, "version": version, "supported": supported],
                title: Phrase("Store is from a newer version"),
                message: Phrase(
                    """
                    \(path) was written by a newer Picket (store version \(plain: version); this version supports up to \
                    \(plain: supported)). Update Picket, or choose another directory with --data.
                    """))
        case .migrationFailed(let path, let version, let details):
            Row(
                "migrationFailed", .critical, action: .contactSupport,
                icon: "externaldrive.badge.exclamationmark", parameters: ["path": path, "version": version, "details": details],
                title: Phrase("Store could not be upgraded"),
                message: Phrase(
                    """
                    \(path) could not be upgraded from store version \(plain: version). It is unchanged; the previous \
                    version of Picket can still open it.
                    """))
        case .storeFailed(let path, let details):
            Row(
                "storeFailed", .error, action: .contactSupport,
                icon: "externaldrive.badge.exclamationmark", parameters: ["path": path, "details": details],
                title: Phrase("Store failed"),
                message: Phrase(
                    """
                    \(path) could not be read or written. Everything acknowledged before is safe. A running service keeps \
                    trying.
                    """))
        case .diskFailed(let path, let details):
            Row(
                "diskFailed", .critical, action: .retry, status: 503,
                icon: "externaldrive.badge.exclamationmark", parameters: ["path": path, "details": details],
                title: Phrase("Disk failed"),
                message: Phrase(
                    """
                    The disk failed while \(path) was read or written. The file itself may be undamaged: make a backup, then \
                    check the disk and its file system. A running service keeps trying.
                    """))
        case .storeReplaced(let path):
            Row(
                "storeReplaced", .critical, action: .retry, status: 503,
                icon: "externaldrive.badge.exclamationmark", parameters: ["path": path],
                title: Phrase("Store deleted or replaced"),
                message: Phrase(
                    """
                    \(path) was deleted, moved or replaced while Picket used it. Nothing new is acknowledged, because it \
                    would be lost. Move the same file back, or stop the service, restore a backup, and start it again.
                    """))
        case .walHeld(let path, let bytes, let holder):
            Row(
                "walHeld", .warning, action: .dismiss, icon: "lock",
                parameters: ["path": path, "bytes": bytes, "holder": holder],
                title: Phrase("Write-ahead log cannot shrink"),
                message: Phrase(
                    """
                    The write-ahead log of \(path) has grown to \(bytes / 1_000_000) MB, because \(holder) keeps a \
                    transaction open. Nothing is lost, and positions are still recorded. The log shrinks automatically when \
                    the transaction ends: wait for that, or stop the program.
                    """))
        case .backupFailed(let path, let details):
            Row(
                "backupFailed", .error, action: .retry, icon: "externaldrive.badge.exclamationmark",
                parameters: ["path": path, "details": details],
                title: Phrase("Scheduled backup failed"),
                message: Phrase(
                    """
                    The scheduled backup in \(path) failed: \(details). Check that the directory exists, that the service can write \
                    to it and that its disk has space, and check the settings backup-to and backup-command. Picket tries again \
                    after ten minutes.
                    """))
        case .locationServicesDisabled:
            Row(
                "locationServicesDisabled", .error, action: .openSettings, icon: "location.slash",
                title: Phrase("Location switched off"),
                message: Phrase(
                    """
                    Location is switched off on the device, so it cannot report any geofence. Switch it on in the device's \
                    settings.
                    """))
        case .authorizationRequired(let status):
            Row(
                "authorizationRequired", .error, action: .grantAlways,
                icon: "location.badge.questionmark", parameters: ["status": status],
                title: Phrase("Needs 'Always' authorization"),
                message: Phrase(
                    """
                    The app's location permission is '\(status)'. The device reports geofences in the background only with \
                    the permission 'Always'. Grant it in the device's settings.
                    """))
        case .regionMonitoringDenied(let details):
            Row(
                "regionMonitoringDenied", .error, action: .openSettings,
                icon: "location.badge.questionmark", parameters: ["details": details],
                title: Phrase("Region monitoring not allowed"),
                message: Phrase(
                    """
                    The device does not let the app monitor regions. Allow location 'Always' and precise location in the \
                    device's settings.
                    """))
        case .regionMonitoringFailed(let details):
            Row(
                "regionMonitoringFailed", .error, action: .fixRegistration, icon: "mappin.slash",
                parameters: ["details": details],
                title: Phrase("Region not monitored"),
                message: Phrase(
                    """
                    The device could not monitor a region. Nothing else was changed. Run a repair to try again.
                    """))
        case .regionLimitReached(let limit):
            Row(
                "regionLimitReached", .warning, action: .fixRegistration,
                icon: "gauge.with.dots.needle.100percent", parameters: ["limit": limit],
                title: Phrase("No room for more regions"),
                message: Phrase(
                    """
                    The device monitors at most \(limit) regions for an app, and all are in use. Run a repair to choose \
                    those that matter at the device's position.
                    """))
        case .registryJournalDamaged(let device, let reason):
            Row(
                "registryJournalDamaged", .warning, action: .fixRegistration,
                icon: "doc.badge.exclamationmark", parameters: ["device": device, "reason": reason],
                title: Phrase("Registration journal damaged"),
                message: Phrase(
                    """
                    Picket's registration journal of '\(device)' could not be read: \(reason). A copy of the damaged journal \
                    was kept, and a new one was started. Run a repair to fill it again. Positions and events are not \
                    affected.
                    """))
        case .registryUnavailable(let details):
            Row(
                "registryUnavailable", .error, action: .retry, status: 503, icon: "iphone.slash",
                parameters: ["details": details],
                title: Phrase("Device unreachable"),
                message: Phrase(
                    """
                    The device's registrations could not be read. Until it answers, it is not known whether it will report \
                    its geofences.
                    """))
        case .registryStale(let reportedAt):
            Row(
                "registryStale", .error, action: .retry, status: 503, icon: "iphone.slash",
                parameters: ["reportedAt": reportedAt],
                title: Phrase("No recent report"),
                message: Phrase(
                    """
                    The device's app last reported its registrations at \(reportedAt). Until it reports again, it is not \
                    known whether the device will report its geofences. Open the app on the device.
                    """))
        case .registrationIncomplete(let missing, let orphaned):
            Row(
                "registrationIncomplete", .warning, action: .fixRegistration,
                icon: "mappin.slash", parameters: ["missing": missing, "orphaned": orphaned],
                title: Phrase("Registrations incomplete"),
                message: Phrase(
                    "On the device, \(geofences(missing)) missing and \(regions(orphaned)) orphaned. Run a repair to fix this."))
        case .noConnection(let peer, let details):
            Row(
                "noConnection", .error, action: .retry, status: 503, icon: "wifi.slash",
                parameters: ["peer": peer, "details": details],
                title: Phrase("No connection"),
                message: Phrase(
                    """
                    \(peer) cannot be reached. Check that it is running, that the address is right and that the network is \
                    up, then try again.
                    """))
        case .timeout(let peer, let details):
            Row(
                "timeout", .error, action: .retry, status: 408,
                icon: "clock.badge.exclamationmark", parameters: ["peer": peer, "details": details],
                title: Phrase("No answer in time"),
                message: Phrase(
                    """
                    \(peer) did not answer in time. It is not known whether the request took effect. Try again.
                    """))
        case .tlsFailed(let peer, let details):
            Row(
                "tlsFailed", .error, action: .openSettings,
                icon: "lock.trianglebadge.exclamationmark", parameters: ["peer": peer, "details": details],
                title: Phrase("Secure connection failed"),
                message: Phrase(
                    """
                    No secure connection to \(peer) could be made, because a certificate is not accepted. Check the \
                    certificate, its name and its dates, and the trusted authorities.
                    """))
        case .schemeMismatch(let peer, let other):
            Row(
                "schemeMismatch", .error, action: .editInput,
                icon: "lock.trianglebadge.exclamationmark", parameters: ["peer": peer, "other": other],
                title: Phrase("Wrong protocol"),
                message: other.hasPrefix("https:")
                    ? Phrase("\(peer) accepts only HTTPS. Use \(other).")
                    : Phrase(
                        """
                        \(peer) answers without TLS. Use \(other), or give that service a certificate (tls-cert and \
                        tls-key).
                        """))
        case .insecureTransport(let address):
            Row(
                "insecureTransport", .warning, action: .editInput, icon: "lock.open", parameters: ["address": address],
                title: Phrase("No encryption"),
                message: Phrase(
                    """
                    \(address) serves unencrypted HTTP to other machines, so tokens and positions can be intercepted. Set \
                    tls-cert and tls-key, or put an HTTPS proxy in front of it and set public-url.
                    """))
        case .unreachableByPhones(let address):
            Row(
                "unreachableByPhones", .warning, action: .editInput, icon: "iphone.slash", parameters: ["address": address],
                title: Phrase("Phones cannot reach this address"),
                message: Phrase(
                    """
                    \(address) can be reached only from this machine, so phones cannot connect. Set listen to an address of \
                    your network, for example 0.0.0.0:7575, or public-url to the address of a proxy, then restart the \
                    service.
                    """))
        case .serverError(let status, let details):
            Row(
                "serverError", .error, action: .retry, icon: "server.rack", parameters: ["status": status, "details": details],
                title: Phrase("Server error"),
                message: status.map { Phrase("The server had an internal error (status \(plain: $0)). Try again later.") }
                    ?? Phrase("The server had an internal error. Try again later."))
        case .unauthorized(let details):
            Row(
                "unauthorized", .error, action: .signIn, status: 401, icon: "person.badge.key", parameters: ["details": details],
                title: Phrase("Sign-in needed"),
                message: Phrase("The token for this Picket service is missing or invalid. Sign in with a valid one."))
        case .forbidden(let details):
            Row(
                "forbidden", .error, action: .signIn, status: 403, icon: "hand.raised", parameters: ["details": details],
                title: Phrase("Not allowed"),
                message: Phrase(
                    """
                    This Picket service does not allow this with this token, or without one. Use a token whose role allows \
                    it.
                    """))
        case .sessionExpired(let name):
            Row(
                "sessionExpired", .error, action: .signIn, status: 401, icon: "person.badge.key", parameters: ["name": name],
                title: Phrase("Token expired"),
                message: name.isEmpty
                    ? Phrase("The token of this Picket service has expired. Sign in with a new one.")
                    : Phrase("The token '\(name)' of this Picket service has expired. Sign in with a new one."))
        case .rateLimited(let retryAfter):
            Row(
                "rateLimited", .warning, action: .retry, status: 429, icon: "hourglass", parameters: ["retryAfter": retryAfter],
                title: Phrase("Too many requests"),
                message: retryAfter.map { Phrase("Too many requests. Try again in \(duration: $0.rounded(.up)).") }
                    ?? Phrase("Too many requests. Try again a little later."))
        case .accessRefused(let peer, let details):
            Row(
                "accessRefused", .error, action: .signIn, icon: "person.badge.key",
                parameters: ["peer": peer, "details": details],
                title: Phrase("Access refused"),
                message: Phrase(
                    """
                    \(peer) does not accept Picket's user name and password, or does not allow this request. Correct them \
                    where this address is set, or change the user's permissions there. Everything else works.
                    """))
        case .geocoderFailed(let peer, let details):
            Row(
                "geocoderFailed", .warning, action: .retry, status: 502, icon: "server.rack",
                parameters: ["peer": peer, "details": details],
                title: Phrase("Geocoder failed"),
                message: Phrase(
                    """
                    The geocoder \(peer) does not answer as expected, so addresses are missing. Everything else works. Try again later. If \
                    it fails again, check the setting 'geocoder'.
                    """))
        case .intakeInterrupted(let peer, let details):
            Row(
                "intakeInterrupted", .warning, action: .retry,
                icon: "antenna.radiowaves.left.and.right.slash", parameters: ["peer": peer, "details": details],
                title: Phrase("Not receiving positions"),
                message: Phrase(
                    """
                    \(peer) cannot be reached, so positions that devices send there do not arrive. Picket keeps trying, and \
                    then receives the messages that were kept there. Positions that arrive over HTTP are still recorded.
                    """))
        case .sinkUnreachable(let sink, let status, let details):
            Row(
                "sinkUnreachable", .warning, action: .retry,
                icon: "tray.and.arrow.up", parameters: ["sink": sink, "status": status, "details": details],
                title: status == nil ? Phrase("Sink is unreachable") : Phrase("Sink is failing"),
                message: status.map {
                    Phrase(
                        """
                        Sink '\(sink)' failed with status \(plain: $0). Its events are kept, and Picket retries \
                        automatically. Everything else works.
                        """)
                }
                    ?? Phrase(
                        """
                        Sink '\(sink)' cannot be reached. Its events are kept, and are sent when it answers again. \
                        Everything else works.
                        """))
        case .sinkUnauthorized(let sink, let status, let details):
            Row(
                "sinkUnauthorized", .error, action: .signIn,
                icon: "person.badge.key", parameters: ["sink": sink, "status": status, "details": details],
                title: Phrase("Sink refused the credentials"),
                message: Phrase(
                    """
                    Sink '\(sink)' did not accept the credentials (status \(plain: status)). Its events are kept. Picket \
                    retries less and less often, at least once an hour. Everything else works. Set the token or password of \
                    the sink's service.
                    """))
        case .sinkRejected(let sink, let status, let details):
            Row(
                "sinkRejected", .error, action: .editInput,
                icon: "tray.and.arrow.up", parameters: ["sink": sink, "status": status, "details": details],
                title: Phrase("Sink rejects all events"),
                message: Phrase(
                    """
                    Sink '\(sink)' rejects everything sent to its address (status \(plain: status)). Its events are kept. \
                    Picket retries less and less often, at least once an hour. Everything else works. Correct the sink's \
                    address and settings.
                    """))
        case .eventRejected(let sink, let status, let details):
            Row(
                "eventRejected", .warning, action: .editInput,
                icon: "envelope.badge.shield.half.filled", parameters: ["sink": sink, "status": status, "details": details],
                title: Phrase("Sink rejected an event"),
                message: Phrase(
                    """
                    Sink '\(sink)' rejected one event (status \(plain: status)). That event is kept and can be sent again; \
                    the other events are still sent. Check the sink's template.
                    """))
        case .deliveryDegraded(let sink, let attempts, let status, let details):
            Row(
                "deliveryDegraded", .warning, action: .retry, icon: "tray.and.arrow.up",
                parameters: ["sink": sink, "attempts": attempts, "status": status, "details": details],
                title: Phrase("Delivery delayed"),
                message: status.map {
                    Phrase(
                        """
                        Sink '\(sink)' failed in \(attempts) attempts, the last time with status \(plain: $0). Picket \
                        keeps trying in the background. Its events are kept, and none are lost. Everything else works.
                        """)
                }
                    ?? Phrase(
                        """
                        Sink '\(sink)' did not answer in \(attempts) attempts. Picket keeps trying in the background. Its \
                        events are kept, and none are lost. Everything else works.
                        """))
        case .cancelled:
            Row(
                "cancelled", .info, action: .dismiss, status: 503, icon: "xmark.circle",
                title: Phrase("Canceled"),
                message: Phrase("Stopped before it was finished. Everything acknowledged before is safe."))
        case .unknown(let details):
            Row(
                "unknown", .error, action: .contactSupport, icon: "exclamationmark.octagon", parameters: ["details": details],
                title: Phrase("Unexpected error"),
                message: Phrase("An unexpected error occurred."))
        }
    }
}

// Parts of messages.

extension Problem {
    /// What is wrong with refused input, and what to do about it.
    private func refusal(_ kind: Refusal.Kind, _ field: String, _ value: String, _ reason: Phrase) -> Phrase {
        let shown = value.isEmpty ? "" : " '\(value)'"
        let received = value.isEmpty ? Phrase("") : Phrase(" (received: '\(value)')")
        return switch kind {
        case .missing:
            Phrase("\(field) is missing\(received). Set up the app or tracker to send it.")
        case .unreadable:
            Phrase("\(field)\(shown) cannot be read: \(reason). Check the settings of the app or tracker.")
        case .outOfRange:
            Phrase("\(field)\(shown) is out of range. Check the settings of the app or tracker.")
        case .nullIsland:
            Phrase(
                """
                latitude and longitude are exactly 0, so the device has no position. Check its location permission and its view \
                of the sky.
                """)
        case .aheadOfClock:
            Phrase("\(field)\(shown): \(reason). Check the clocks of the device and of this machine.")
        case .unknownDevice:
            Phrase("it does not name its device\(received). Set a device id in the app, or give it a token for one device.")
        case .encrypted:
            Phrase(
                """
                an encrypted message that Picket has no matching key for. Give Picket the key from the app's settings, or switch \
                encryption off in the app.
                """)
        case .malformed:
            Phrase("a request that does not follow the protocol\(received). Check the mode and the address in the app.")
        case .tooLarge:
            Phrase("a request that is too large. Set the app to send less at a time.")
        case .beforeFirstPosition:
            Phrase(
                """
                a region report before its first position. Check that the app sends positions; the report is kept, but causes no \
                event.
                """)
        case .unusable: Phrase("\(field)\(shown): \(reason).")
        }
    }

    private func missing(_ kind: ItemKind, _ id: String, _ similar: [String]) -> Phrase {
        let quoted = similar.map { "'\($0)'" }
        return switch (kind, similar.isEmpty) {
        case (.token, false):
            Phrase(
                similar.count,
                one: "There is no token with the id '\(id)'. The token with this name has the id \(list: quoted).",
                other: "There is no token with the id '\(id)'. The tokens with this name have the ids \(list: quoted).")
        case (_, false): Phrase("There is no \(kind) '\(id)'. Did you mean \(choice: quoted)?")
        case (_, true): Phrase("There is no \(kind) '\(id)'.\(whereToList(kind))")
        }
    }

    /// A sentence, with a leading space, on where all things of a kind are listed; empty for a kind without a list.
    private func whereToList(_ kind: ItemKind) -> Phrase {
        switch kind {
        case .address: Phrase(" '/openapi.json' lists the addresses.")
        case .problem: Phrase(" 'picket problems' or 'GET /v1/problems' lists the problems.")
        case .rejectedEvent: Phrase(" 'picket sink parked SINK' lists the rejected events of a sink.")
        case .alarm, .device, .geofence, .group, .rule, .sink, .token:
            Phrase(" 'picket \(kind.rawValue) list' lists the existing ones.")
        case .clientID, .directory, .file, .placeInTrack, .repair, .total, .visit: Phrase("")
        }
    }

    private func gone(
        _ cursor: EventCursor, _ reason: EventCursor.Mismatch, _ resume: EventCursor, _ newest: Int64
    ) -> Phrase {
        switch reason {
        case .restored:
            Phrase(
                """
                The store was restored to an earlier state after event \(plain: cursor.sequence) was read, for example from a \
                backup. Events after \(plain: resume.sequence) have changed. Continue after \(plain: resume.sequence).
                """)
        case .otherStore:
            Phrase(
                """
                '\(cursor.description)' belongs to the events of another store. Continue after \(plain: resume.sequence) for all events of \
                this store, or after \(plain: newest) for new events only.
                """)
        case .beyondNewest:
            Phrase(
                """
                There is no event \(plain: cursor.sequence): the newest is \(plain: newest). The number is from another store, \
                or from a later state of this one. Continue after \(plain: resume.sequence) to miss nothing, or after \
                \(plain: newest) for new events only.
                """)
        }
    }

    private func repetitions(_ count: Int) -> Phrase { Phrase(count, one: "\(count) time", other: "\(count) times") }

    private func geofences(_ count: Int) -> Phrase { Phrase(count, one: "\(count) geofence is", other: "\(count) geofences are") }

    private func regions(_ count: Int) -> Phrase { Phrase(count, one: "\(count) region is", other: "\(count) regions are") }

    private func days(_ seconds: Double) -> Phrase {
        let count = Int((seconds / 86_400).rounded())
        return Phrase(count, one: "\(count) day", other: "\(count) days")
    }

    /// Why a device's clock is this many seconds behind, and what to do.
    private func cause(ofLag lag: Double) -> Phrase {
        guard let count = GPSWeekRollover.count(inLag: lag) else {
            return Phrase("its clock was reset or is set wrong. Set the device's clock.")
        }
        return Phrase(
            """
            \(count * GPSWeekRollover.weeks) weeks, because the week counter of its GPS receiver has rolled over. Update the \
            receiver's firmware, or replace the receiver.
            """)
    }
}
