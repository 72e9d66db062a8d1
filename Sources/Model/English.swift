/// The texts of all problems in English.
struct English: ProblemCatalog {
    var registrationHeading: String { "Region registration" }

    func title(_ problem: Problem) -> String {
        switch problem {
        case .validationFailed: "Invalid value"
        case .decodingFailed: "Unreadable input"
        case .encodingFailed: "Output not written"
        case .unsupportedFormat: "Unknown format"
        case .tooLarge: "Too large"
        case .usage: "Invalid command"
        case .inputRefused: "Invalid data"
        case .deviceAheadOfClock: "Device's clock is ahead"
        case .deviceBehindClock: "Device's clock is behind"
        case .sharedDeviceID: "Two senders with one id"
        case .clockImplausible: "Clock is not plausible"
        case .replayPending: "Positions not evaluated"
        case .notFound(let kind, _, _): "No such \(words(kind))"
        case .methodNotAllowed: "Method not allowed"
        case .conflict: "Conflict"
        case .preconditionFailed: "Precondition failed"
        case .cursorGone: "Cannot resume from this event"
        case .fileFailed: "File cannot be accessed"
        case .storeBusy: "Data directory in use"
        case .storeCorrupt: "Store damaged"
        case .storeFull: "Disk full"
        case .storeTooNew: "Store is from a newer version"
        case .migrationFailed: "Store could not be upgraded"
        case .storeFailed: "Store failed"
        case .diskFailed: "Disk failed"
        case .storeReplaced: "Store deleted or replaced"
        case .walHeld: "Write-ahead log cannot shrink"
        case .locationServicesDisabled: "Location switched off"
        case .authorizationRequired: "Needs 'Always' authorization"
        case .regionMonitoringDenied: "Region monitoring not allowed"
        case .regionMonitoringFailed: "Region not monitored"
        case .regionLimitReached: "No room for more regions"
        case .registryJournalDamaged: "Registration journal damaged"
        case .registryUnavailable: "Device unreachable"
        case .registryStale: "No recent report"
        case .registrationIncomplete: "Registrations incomplete"
        case .noConnection: "No connection"
        case .timeout: "No answer in time"
        case .tlsFailed: "Secure connection failed"
        case .schemeMismatch: "Wrong protocol"
        case .insecureTransport: "No encryption"
        case .unreachableByPhones: "Phones cannot reach this address"
        case .serverError: "Server error"
        case .unauthorized: "Sign-in needed"
        case .forbidden: "Not allowed"
        case .sessionExpired: "Token expired"
        case .rateLimited: "Too many requests"
        case .accessRefused: "Access refused"
        case .intakeInterrupted: "Not receiving positions"
        case .sinkUnreachable(_, nil, _): "Sink is unreachable"
        case .sinkUnreachable: "Sink is failing"
        case .sinkUnauthorized: "Sink refused the credentials"
        case .sinkRejected: "Sink rejects all events"
        case .eventRejected: "Sink rejected an event"
        case .deliveryDegraded: "Delivery delayed"
        case .cancelled: "Canceled"
        case .unknown: "Unexpected error"
        }
    }

    func message(_ problem: Problem) -> String {
        switch problem {
        case .validationFailed(let field, let value, let reason, let expected):
            "\(field) \(value.isEmpty ? "" : "'\(value)' ")cannot be used: \(words(reason)). Expected \(words(expected))."
        case .decodingFailed(let source, let line, let reason):
            "\(words(source))\(line.map { ", line \($0)" } ?? ""): \(words(reason))."
        case .encodingFailed(let what, let reason):
            "\(words(what)) cannot be written: \(words(reason))."
        case .unsupportedFormat(let source, let found, let supported):
            "\(words(source)) is not in a format that Picket can read: \(words(found)). Supported: \(words(supported))."
        case .tooLarge(let what, let limit):
            "\(words(what)) is too large. The maximum is \(words(limit))."
        case .usage(let reason, let help):
            "\(sentence(words(reason))) See '\(help)'."
        case .inputRefused(let device, let field, let value, let kind, let reason):
            device.isEmpty
                ? "Picket received invalid data: \(reasonText(kind, field: field, value: value, reason: reason)) Everything else that devices send is still recorded."
                : "'\(device)' sends invalid data: \(reasonText(kind, field: field, value: value, reason: reason)) Its other data is still recorded."
        case .deviceAheadOfClock(let device, nil):
            "'\(device)' has sent positions with times in the future. Until those times, all positions that it sends count as late and cause "
                + "no events; they are still recorded. The time of the first of these positions is not known yet, because many positions "
                + "are not yet sorted by device. Correct the clock that was ahead, then check again."
        case .deviceAheadOfClock(let device, let since?):
            "'\(device)' has sent positions with times in the future, the first at \(since). Until then, all positions that it sends count as "
                + "late and cause no events; they are still recorded. "
                + "Correct the clock that was ahead, then remove these positions."
        case .deviceBehindClock(let device, let time, let lag):
            "'\(device)' is reporting, but its positions are dated \(time.description.prefix(10)), "
                + "\(Int((lag / 86_400).rounded()).counted("day", "days")) behind the clock: \(cause(ofLag: lag)) "
                + "Its positions are stored with these dates, so they say nothing about today."
        case .sharedDeviceID(let device, let meters, let times, let seconds):
            "The positions of '\(device)' alternate between places \(Self.length(meters)) apart (\(times.counted("time", "times")) in "
                + "\(Language.english.duration(seconds))): do two phones use this id? The device's events, visits and reports may be wrong. "
                + "Give each phone its own id."
        case .clockImplausible(let time, let reason):
            "The clock of this machine shows \(time), which is not plausible: \(words(reason)). No time server has confirmed it. Until it is "
                + "plausible, apps are asked to send positions from its future again later, no positions are deleted because of their age, "
                + "and deadlines, silence and the expiry of tokens are not evaluated. Set the clock."
        case .replayPending(let device, let since, true):
            "Late positions of '\(device)', the earliest from \(since), are not evaluated yet. Until then, events, visits and reports from that "
                + "time on may be missing or wrong. Picket evaluates them automatically."
        case .replayPending(let device, let since, false):
            "Late positions of '\(device)', the earliest from \(since), cannot be evaluated, because older positions of the device were "
                + "deleted or never kept. Events, visits and reports of that time do not include them. The positions are still stored."
        case .notFound(.token, let id, let named) where !named.isEmpty:
            "There is no token with the id '\(id)'. \(named.count == 1 ? "The token with this name has the id" : "The tokens with this name have the ids") "
                + "\(named.map { "'\($0)'" }.joined(separator: ", ", last: " and "))."
        case .notFound(let kind, let id, let similar):
            "There is no \(words(kind)) '\(id)'."
                + (similar.isEmpty
                    ? whereToList(kind)
                    : " Did you mean \(similar.map { "'\($0)'" }.joined(separator: " or "))?")
        case .methodNotAllowed(let method, let allowed):
            "\(method) is not supported here. Use \(choice(allowed))."
        case .conflict(let kind, let id, let reason), .preconditionFailed(let kind, let id, let reason):
            "The \(words(kind)) '\(id)' \(words(reason))."
        case .cursorGone(let cursor, .setBack, let resume, _):
            "The store was restored to an earlier state after event \(cursor.sequence) was read, for example from a backup. "
                + "Events after \(resume.sequence) have changed. Continue after \(resume.sequence)."
        case .cursorGone(let cursor, .otherStore, let resume, let newest):
            "'\(cursor)' belongs to the events of another store. Continue after \(resume.sequence) for all events of this store, "
                + "or after \(newest) for new events only."
        case .cursorGone(let cursor, .beyondNewest, let resume, let newest):
            "There is no event \(cursor.sequence): the newest is \(newest). The number is from another store, or from a later state of "
                + "this one. Continue after \(resume.sequence) to miss nothing, or after \(newest) for new events only."
        case .fileFailed(let path, let reason):
            "\(path): \(words(reason))."
        case .storeBusy(let path, let holder):
            "The data directory \(path) is being written to by \(words(holder)). "
                + "It can still be read. Wait until that has finished, or stop it, or choose another directory with --data."
        case .storeCorrupt(let path, _):
            "\(path) is damaged, or is not a Picket store. 'picket check' shows the damage; undamaged parts can still be read. Restore the "
                + "newest backup with 'picket restore FILE', or move the file away to start over."
        case .storeFull(let path):
            "There is no disk space left for \(path), so it cannot be written. Everything acknowledged before is safe and can still be read. "
                + "Free disk space, then try again; a running service resumes automatically."
        case .storeTooNew(let path, let version, let supported):
            "\(path) was written by a newer Picket (store version \(version); this version supports up to \(supported)). "
                + "Update Picket, or choose another directory with --data."
        case .migrationFailed(let path, let version, _):
            "\(path) could not be upgraded from store version \(version). It is unchanged; the previous version of Picket can still open it."
        case .storeFailed(let path, _):
            "\(path) could not be read or written. Everything acknowledged before is safe. A running service keeps trying."
        case .diskFailed(let path, _):
            "The disk failed while \(path) was read or written. The file itself may be undamaged: make a backup, then check the disk and "
                + "its file system. A running service keeps trying."
        case .storeReplaced(let path):
            "\(path) was deleted, moved or replaced while Picket used it. Nothing new is acknowledged, because it would be "
                + "lost. Move the same file back, or stop the service, restore a backup, and start it again."
        case .walHeld(let path, let bytes, let holder):
            "The write-ahead log of \(path) has grown to \(bytes / 1_000_000) MB, because \(words(holder)) keeps a transaction open. Nothing is "
                + "lost, and positions are still recorded. The log shrinks automatically when the transaction ends: wait for that, or stop "
                + "the program."
        case .locationServicesDisabled:
            "Location is switched off on the device, so it cannot report any geofence. Switch it on in the device's settings."
        case .authorizationRequired(let status):
            "The app's location permission is '\(status)'. The device reports geofences in the background only with the "
                + "permission 'Always'. Grant it in the device's settings."
        case .regionMonitoringDenied:
            "The device does not let the app monitor regions. Allow location 'Always' and precise location in the device's settings."
        case .regionMonitoringFailed:
            "The device could not monitor a region. Nothing else was changed. Run a repair to try again."
        case .regionLimitReached(let limit):
            "The device monitors at most \(limit) regions for an app, and all are in use. "
                + "Run a repair to choose those that matter at the device's position."
        case .registryJournalDamaged(let device, let reason):
            "Picket's registration journal of '\(device)' could not be read: \(words(reason)). A copy of the damaged journal was kept, and a new one was "
                + "started. Run a repair to fill it again. Positions and events are not affected."
        case .registryUnavailable:
            "The device's registrations could not be read. Until it answers, it is not known whether it will report its geofences."
        case .registryStale(let reportedAt):
            "The device's app last reported its registrations at \(reportedAt). Until it reports again, it is not known whether the device will "
                + "report its geofences. Open the app on the device."
        case .registrationIncomplete(let missing, let orphaned):
            "On the device, \(missing.counted("geofence is", "geofences are")) missing and "
                + "\(orphaned.counted("region is", "regions are")) orphaned. Run a repair to fix this."
        case .noConnection(let peer, _):
            "\(peer) cannot be reached. Check that it is running, that the address is right and that the network is up, then try again."
        case .timeout(let peer, _):
            "\(peer) did not answer in time. It is not known whether the request took effect. Try again."
        case .tlsFailed(let peer, _):
            "No secure connection to \(peer) could be made, because a certificate is not accepted. "
                + "Check the certificate, its name and its dates, and the trusted authorities."
        case .schemeMismatch(let peer, let other):
            other.hasPrefix("https:")
                ? "\(peer) accepts only HTTPS. Use \(other)."
                : "\(peer) answers without TLS. Use \(other), or give that service a certificate (tls-cert and tls-key)."
        case .insecureTransport(let address):
            "\(address) serves unencrypted HTTP to other machines, so tokens and positions can be intercepted. "
                + "Set tls-cert and tls-key, or put an HTTPS proxy in front of it and set public-url."
        case .unreachableByPhones(let address):
            "\(address) can be reached only from this machine, so phones cannot connect. Set listen to an address of your network, for example "
                + "0.0.0.0:7575, or public-url to the address of a proxy, then restart the service."
        case .serverError(let status, _):
            "The server had an internal error\(status.map { " (status \($0))" } ?? ""). Try again later."
        case .unauthorized:
            "The token for this Picket service is missing or invalid. Sign in with a valid one."
        case .forbidden:
            "This Picket service does not allow this with this token, or without one. Use a token whose role allows it."
        case .sessionExpired(let name):
            "The token\(name.isEmpty ? "" : " '\(name)'") of this Picket service has expired. Sign in with a new one."
        case .rateLimited(let seconds):
            "Too many requests. Try again \(seconds.map { "in \(Language.english.duration($0.rounded(.up)))" } ?? "a little later")."
        case .accessRefused(let peer, _):
            "\(peer) does not accept Picket's user name and password, or does not allow this request. "
                + "Correct them where this address is set, or change the user's permissions there. Everything else works."
        case .intakeInterrupted(let peer, _):
            "\(peer) cannot be reached, so positions that devices send there do not arrive. Picket keeps trying, and then receives the "
                + "messages that were kept there. Positions that arrive over HTTP are still recorded."
        case .sinkUnreachable(let sink, let status?, _):
            "Sink '\(sink)' failed with status \(status). Its events are kept, and Picket retries automatically. Everything else works."
        case .sinkUnreachable(let sink, nil, _):
            "Sink '\(sink)' cannot be reached. Its events are kept, and are sent when it answers again. Everything else works."
        case .sinkUnauthorized(let sink, let status, _):
            "Sink '\(sink)' did not accept the credentials (status \(status)). Its events are kept. "
                + "Picket retries less and less often, at least once an hour. Everything else works. "
                + "Set the token or password of the sink's service."
        case .sinkRejected(let sink, let status, _):
            "Sink '\(sink)' rejects everything sent to its address (status \(status)). Its events are kept. "
                + "Picket retries less and less often, at least once an hour. Everything else works. "
                + "Correct the sink's address and settings."
        case .eventRejected(let sink, let status, _):
            "Sink '\(sink)' rejected one event (status \(status)). That event is kept and can be sent again; the other events are still sent. "
                + "Check the sink's template."
        case .deliveryDegraded(let sink, let attempts, let status, _):
            "Sink '\(sink)' \(status.map { "failed in \(attempts) attempts, the last time with status \($0)" } ?? "did not answer in \(attempts) attempts"). "
                + "Picket keeps trying in the background. "
                + "Its events are kept, and none are lost. Everything else works."
        case .cancelled:
            "Stopped before it was finished. Everything acknowledged before is safe."
        case .unknown:
            "An unexpected error occurred."
        }
    }

    /// What is wrong with refused input, and what to do about it.
    private func reasonText(_ kind: Refusal.Kind, field: String, value: String, reason: Phrase) -> String {
        let shown = value.isEmpty ? "" : " '\(value)'"
        let received = value.isEmpty ? "" : " (received: '\(value)')"
        return switch kind {
        case .missing: "\(field) is missing\(received). Set up the app or tracker to send it."
        case .unreadable: "\(field)\(shown) cannot be read: \(words(reason)). Check the settings of the app or tracker."
        case .outOfRange: "\(field)\(shown) is out of range. Check the settings of the app or tracker."
        case .nullIsland:
            "latitude and longitude are exactly 0, so the device has no position. "
                + "Check its location permission and its view of the sky."
        case .aheadOfClock:
            "\(field)\(shown): \(words(reason)). Check the clocks of the device and of this machine."
        case .unknownDevice:
            "it does not name its device\(received). Set a device id in the app, or give it a token for one device."
        case .encrypted:
            "an encrypted message that Picket has no matching key for. Give Picket the key from the app's settings, "
                + "or switch encryption off in the app."
        case .malformed: "a request that does not follow the protocol\(received). Check the mode and the address in the app."
        case .tooLarge: "a request that is too large. Set the app to send less at a time."
        case .beforeFirstPosition:
            "a region report before its first position. Check that the app sends positions; the report is kept, but causes "
                + "no event."
        case .unusable: "\(field)\(shown): \(words(reason))."
        }
    }

    func connectionNotice(_ notice: ConnectionNotice) -> String {
        switch notice {
        case .lost: "Connection lost. Reconnecting …"
        case .notReached(let peer): "\(peer) cannot be reached. Trying again …"
        case .refusedForNow(let problem): "\(title(problem)). Trying again …"
        case .liveUpdatesPaused: "Live updates paused. Reconnecting in background."
        case .sendingPaused: "Sending paused. Reconnecting in background."
        case .restored: "Connected again."
        case .storedBefore(let count):
            "The answer for \(count.counted("stored position", "stored positions")) was lost. They count as duplicates, and their events are not "
                + "listed here; 'picket events' lists them."
        case .reached(let peer): "Connected to \(peer)."
        }
    }

    /// A sentence, with a leading space, on where all things of a kind are listed; empty for a kind without a list.
    private func whereToList(_ kind: ItemKind) -> String {
        switch kind {
        case .address: " '/openapi.json' lists the addresses."
        case .problem: " 'picket problems' or 'GET /v1/problems' lists the problems."
        case .parkedEvent: " 'picket sink parked SINK' lists the rejected events of a sink."
        case .alarm, .device, .geofence, .group, .rule, .sink, .token:
            " 'picket \(kind.rawValue) list' lists the \(words(kind))s."
        case .clientID, .directory, .file, .placeInTrack, .repair, .total, .visit: ""
        }
    }

    func geofenceNote(_ note: GeofenceNote) -> String {
        func span(_ west: Double, _ east: Double) -> String { "from longitude \(JSONValue(west)) to \(JSONValue(east))" }
        return switch note {
        case .shortWay(let id, let west, let east):
            "The outline of '\(id)' has edges of more than 180° of longitude. Picket uses the short way, across "
                + "the antimeridian: it reaches \(span(west, east)). To use them as written, add --as-written (HTTP: asWritten=true)."
        case .asWritten(let id, let west, let east):
            "The outline of '\(id)' has edges of more than 180° of longitude. Picket uses them as written, because the "
                + "short way gives no area: it reaches \(span(west, east)). Check that this is what you mean."
        case .place(let id, let center): "'\(id)' is around \(center.pair)."
        case .area(let box):
            "The geofences are between latitudes \(box.south.hundredths) and \(box.north.hundredths), longitudes "
                + "\(box.west.hundredths) and \(box.east.hundredths)."
        case .farAway(let id, let center, let distance):
            "'\(id)', around \(center.pair), is \(number(distance.roughKilometers)) km from every other geofence. Check that this is "
                + "what you mean."
        case .swapped(let id, let center, let distance):
            "'\(id)', around \(center.pair), is \(number(distance.roughKilometers)) km from the other geofences, but "
                + "\(center.exchanged.pair) is near them: are latitude and longitude swapped?"
        }
    }

    func actionLabel(_ action: Problem.RecoveryAction) -> String {
        switch action {
        case .retry: "Try Again"
        case .openSettings: "Open Settings"
        case .grantAlways: "Allow 'Always'"
        case .signIn: "Sign In"
        case .fixRegistration: "Fix Registration"
        case .editInput: "Correct the Input"
        case .contactSupport: "Contact Support"
        case .dismiss: "Dismiss"
        }
    }

    var reportContents: String {
        "This report contains the versions of Picket, of the system and of libraries; the settings without passwords, tokens and keys; "
            + "paths on this machine; the size of the store and counts of what is in it; problems, with ids of devices and names of "
            + "tokens; sinks with their servers; and the last lines of the log, with addresses of clients. It contains no positions and "
            + "nothing that devices sent. Read it before you send it."
    }

    var tokenHint: String {
        "'picket token create' creates a token, 'picket token list' shows the roles, and --token passes a token."
    }

    func supportHint(_ contact: SupportContact) -> String {
        "Contact \(contact), and send what 'picket problems report' prints."
    }

    private func words(_ phrase: Phrase) -> String { phrase.text(in: .english) }

    private func words(_ named: some Named) -> String { named.phrase.text(in: .english) }

    func number(_ number: Int) -> String { number.grouped(by: ",") }

    private static func length(_ meters: Double) -> String {
        meters < 1000 ? "\(Int(meters.rounded())) m" : "\(Int((meters / 1000).rounded()).grouped(by: ",")) km"
    }

    /// Why a device's clock is so many seconds behind, and what to do.
    private func cause(ofLag lag: Double) -> String {
        guard let count = GPSWeekRollover.count(inLag: lag) else {
            return "its clock was reset or is set wrong. Set the device's clock."
        }
        return
            "\((count * GPSWeekRollover.weeks).grouped(by: ",")) weeks, because the week counter of its GPS receiver has rolled over. "
            + "Update the receiver's firmware, or replace the receiver."
    }

    func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    /// "a, b or c".
    func choice(_ words: [String]) -> String { words.joined(separator: ", ", last: " or ") }

    /// The words as a sentence, with a period unless they end with a question mark.
    private func sentence(_ words: String) -> String { words.hasSuffix("?") ? words : words + "." }
}
