import Model

/// What a peer's answer, or the lack of one, means for an event that was sent.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The peer has accepted the event.
    case delivered
    /// The peer cannot accept the event now. `after` is the number of seconds that the peer asked to wait, if it did.
    case retry(Problem, after: Double?)
    /// The peer refuses everything, which a person probably has to correct. The event is kept. `PeerConnection` pauses if this persists.
    case pause(Problem)
    /// The peer will never accept this event. The event is kept as rejected, and sending continues with the next one.
    case reject(Problem)

    /// The problem; nil when the event was delivered.
    package var problem: Problem? {
        switch self {
        case .delivered: nil
        case .retry(let problem, _), .pause(let problem), .reject(let problem): problem
        }
    }

    /// The outcome of a transport failure or of an answer of another Picket service.
    ///
    /// A refused certificate is retried, because certificates are renewed without a change to the sink.
    package init(_ problem: Problem) {
        switch problem {
        case .rateLimited(let seconds): self = .retry(problem, after: seconds)
        // The answer is too large, not the message.
        case .tooLarge(.answer, _): self = .retry(problem, after: nil)
        case .unauthorized, .forbidden, .sessionExpired, .sinkUnauthorized, .sinkRejected, .accessRefused, .cursorGone, .notFound,
            .methodNotAllowed, .validationFailed, .unsupportedFormat, .usage, .schemeMismatch, .insecureTransport,
            .unreachableByPhones, .storeCorrupt,
            .storeTooNew, .migrationFailed:
            self = .pause(problem)
        case .encodingFailed, .tooLarge, .eventRejected, .inputRefused, .deviceAheadOfClock, .deviceBehindClock, .sharedDeviceID,
            .replayPending:
            self = .reject(problem)
        case .noConnection, .timeout, .tlsFailed, .serverError, .sinkUnreachable, .deliveryDegraded, .intakeInterrupted,
            .geocoderFailed,
            .conflict, .preconditionFailed, .decodingFailed, .fileFailed, .storeBusy, .storeFull, .storeFailed,
            .diskFailed, .storeReplaced, .walHeld, .backupFailed,
            .locationServicesDisabled, .authorizationRequired, .regionMonitoringDenied, .regionMonitoringFailed,
            .regionLimitReached, .registryJournalDamaged, .registryUnavailable, .registryStale, .registrationIncomplete,
            .clockImplausible, .cancelled, .unknown:
            self = .retry(problem, after: nil)
        }
    }

    /// The outcome of an HTTP answer (RFC 9110, section 15). Redirections are normally handled before; one that is left counts as temporary
    /// or permanent by its status.
    ///
    /// - Parameters:
    ///   - retryAfter: Seconds from `Retry-After`; nil without that header.
    ///   - sink: The sink's name, for the problem.
    ///   - text: The beginning of the answer's body.
    package init(httpStatus status: Int, retryAfter: Double? = nil, sink: String, details text: String = "") {
        switch status {
        case 200...299: self = .delivered
        case 401, 403, 407: self = .pause(.sinkUnauthorized(sink: sink, status: status, details: .verbatim(text)))
        // The server objects to this message: its content, its size, or its address with the event's values.
        case 400, 413, 414, 422, 431: self = .reject(.eventRejected(sink: sink, status: status, details: .verbatim(text)))
        case 429: self = .retry(.rateLimited(retryAfter: retryAfter), after: retryAfter)
        // 302, 303 and 307 are temporary, for example from a captive portal. 408, 409, 421, 423, 424 and 425 may succeed later.
        case 302, 303, 307, 408, 409, 421, 423, 424, 425:
            self = .retry(.sinkUnreachable(sink: sink, status: status, details: .verbatim(text)), after: retryAfter)
        case 300...499: self = .pause(.sinkRejected(sink: sink, status: status, details: .verbatim(text)))
        default: self = .retry(.serverError(status: status, details: .verbatim(text)), after: retryAfter)
        }
    }

    /// The outcome of a mail server's last reply (RFC 5321, section 4.2; enhanced status codes such as `5.2.2`: RFC 3463).
    package init(smtpReply code: Int, text: String, sink: String) {
        switch code {
        case 200...299: self = .delivered
        // Authentication is missing, too weak or refused (RFC 4954, section 6).
        case 530, 534, 535, 538: self = .pause(.sinkUnauthorized(sink: sink, status: code, details: .verbatim(text)))
        // The mailbox is full, which may change.
        case 552 where text.contains("5.2.2"):
            self = .retry(.sinkUnreachable(sink: sink, status: code, details: .verbatim(text)), after: nil)
        // The message is too large, or its content is refused.
        case 552, 554: self = .reject(.eventRejected(sink: sink, status: code, details: .verbatim(text)))
        case 500...599: self = .pause(.sinkRejected(sink: sink, status: code, details: .verbatim(text)))
        default: self = .retry(.sinkUnreachable(sink: sink, status: code, details: .verbatim(text)), after: nil)
        }
    }
}
