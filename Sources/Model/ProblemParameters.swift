// Encoding of problems for other processes: the code, and the values that the texts contain.

extension Problem {
    /// The values that the texts contain, by name. Code and parameters together give the same problem in any language.
    package var parameters: JSONValue {
        switch self {
        case .validationFailed(let field, let value, let reason, let expected):
            .compact(
                [("field", .string(field)), ("value", .string(value))], reason.members(), expected.members(named: "expected"))
        case .decodingFailed(let source, let line, let reason):
            .compact(source.members(named: "source"), [("line", line.map { JSONValue($0) })], reason.members())
        case .encodingFailed(let what, let reason): .compact(what.members(named: "what"), reason.members())
        case .unsupportedFormat(let source, let found, let supported):
            .compact(
                source.members(named: "source"), found.members(named: "found"), supported.members(named: "supported"))
        case .tooLarge(let what, let limit): .compact(what.members(named: "what"), limit.members(named: "limit"))
        case .usage(let reason, let help): .compact(reason.members(), [("help", .string(help))])
        case .deviceAheadOfClock(let device, let since):
            .compact([("device", .string(device)), ("since", since.map { JSONValue($0) })])
        case .deviceBehindClock(let device, let time, let lag):
            ["device": .string(device), "time": JSONValue(time), "lag": JSONValue(lag)]
        case .sharedDeviceID(let device, let meters, let times, let seconds):
            [
                "device": .string(device), "meters": JSONValue(meters), "times": JSONValue(times), "seconds": JSONValue(seconds),
            ]
        case .clockImplausible(let time, let reason): .compact([("time", JSONValue(time))], reason.members())
        case .replayPending(let device, let since, let isPossible):
            .compact([("device", .string(device)), ("since", JSONValue(since)), ("isPossible", .bool(isPossible))])
        case .inputRefused(let device, let field, let value, let kind, let reason):
            .compact(
                [
                    ("device", .string(device)), ("field", .string(field)), ("value", value.isEmpty ? nil : .string(value)),
                    ("kind", .string(kind.rawValue)),
                ], reason.members())
        case .notFound(let kind, let id, let similar):
            ["kind": .string(kind.rawValue), "id": .string(id), "similar": .array(similar.map(JSONValue.string))]
        case .methodNotAllowed(let method, let allowed):
            ["method": .string(method), "allowed": .array(allowed.map(JSONValue.string))]
        case .conflict(let kind, let id, let reason), .preconditionFailed(let kind, let id, let reason):
            .compact([("kind", .string(kind.rawValue)), ("id", .string(id))], reason.members())
        case .cursorGone(let cursor, let reason, let resume, let newest):
            [
                "cursor": .string(cursor.description), "reason": .string(reason.rawValue),
                "resumeAfter": JSONValue(Int(resume.sequence)), "resumeCursor": .string(resume.description),
                "newest": JSONValue(Int(newest)),
            ]
        case .fileFailed(let path, let reason): .compact([("path", .string(path))], reason.members())
        case .storeBusy(let path, let holder): .compact([("path", .string(path))], holder.members(named: "holder"))
        case .walHeld(let path, let bytes, let holder):
            .compact([("path", .string(path)), ("bytes", JSONValue(bytes))], holder.members(named: "holder"))
        case .storeFull(let path), .storeReplaced(let path): ["path": .string(path)]
        case .storeCorrupt(let path, let details), .storeFailed(let path, let details), .diskFailed(let path, let details):
            ["path": .string(path), "details": .string(details)]
        case .storeTooNew(let path, let version, let supported):
            ["path": .string(path), "version": JSONValue(version), "supported": JSONValue(supported)]
        case .migrationFailed(let path, let version, let details):
            ["path": .string(path), "version": JSONValue(version), "details": .string(details)]
        case .locationServicesDisabled, .cancelled: .object([])
        case .authorizationRequired(let status): ["status": .string(status)]
        case .regionLimitReached(let limit): ["limit": JSONValue(limit)]
        case .registryJournalDamaged(let device, let reason): .compact([("device", .string(device))], reason.members())
        case .registrationIncomplete(let missing, let orphaned):
            ["missing": JSONValue(missing), "orphaned": JSONValue(orphaned)]
        case .noConnection(let peer, let details), .timeout(let peer, let details), .tlsFailed(let peer, let details),
            .accessRefused(let peer, let details), .intakeInterrupted(let peer, let details):
            .compact([("peer", .string(peer))], details.members(named: "details"))
        case .serverError(let status, let details):
            .compact([("status", status.map { JSONValue($0) })], details.members(named: "details"))
        case .regionMonitoringDenied(let details), .regionMonitoringFailed(let details), .registryUnavailable(let details),
            .unauthorized(let details), .forbidden(let details), .unknown(let details):
            .compact(details.members(named: "details"))
        case .registryStale(let reportedAt): ["reportedAt": JSONValue(reportedAt)]
        case .sinkUnreachable(let sink, let status, let details):
            .compact([("sink", .string(sink)), ("status", status.map { JSONValue($0) })], details.members(named: "details"))
        case .sinkUnauthorized(let sink, let status, let details), .sinkRejected(let sink, let status, let details),
            .eventRejected(let sink, let status, let details):
            .compact([("sink", .string(sink)), ("status", JSONValue(status))], details.members(named: "details"))
        case .deliveryDegraded(let sink, let attempts, let status, let details):
            .compact(
                [("sink", .string(sink)), ("attempts", JSONValue(attempts)), ("status", status.map { JSONValue($0) })],
                details.members(named: "details"))
        case .schemeMismatch(let peer, let other): ["peer": .string(peer), "other": .string(other)]
        case .insecureTransport(let address), .unreachableByPhones(let address): ["address": .string(address)]
        case .sessionExpired(let name): ["name": .string(name)]
        case .rateLimited(let seconds): .compact([("retryAfter", seconds.map { JSONValue($0) })])
        }
    }

    /// The problem with a code and parameters; nil when a value is missing, and for the code of a newer version.
    package init?(code: String, parameters: JSONValue) {
        do throws(MissingParameter) {
            self = try Self.make(code, Parameters(json: parameters))
        } catch {
            return nil
        }
    }

    /// The problem in a service's answer (RFC 9457); nil when the answer is not a problem of Picket.
    package init?(document json: JSONValue) {
        guard let code = json["code"]?.string else { return nil }
        if let problem = Problem(code: code, parameters: json["parameters"] ?? .null) {
            self = problem
        } else if let message = json["message"]?.string {
            // A newer service can send problems that this version does not know.
            self = .unknown(details: .verbatim(message))
        } else {
            return nil
        }
    }

    private static func make(_ code: String, _ its: Parameters) throws(MissingParameter) -> Problem {
        switch code {
        case "validationFailed":
            return .validationFailed(
                field: try its.text("field"), value: try its.text("value"), reason: try its.reason("reason"),
                expected: try its.expectation("expected"))
        case "decodingFailed":
            return .decodingFailed(
                source: try its.subject("source"), line: its.optionalInteger("line"), reason: try its.reason("reason"))
        case "inputRefused":
            guard let kind = Refusal.Kind(rawValue: try its.text("kind")) else { throw MissingParameter() }
            return .inputRefused(
                device: try its.text("device"), field: try its.text("field"), value: its.optionalText("value") ?? "", kind: kind,
                reason: try its.reason("reason"))
        case "deviceAheadOfClock":
            return .deviceAheadOfClock(device: try its.text("device"), since: try its.optionalInstant("since"))
        case "deviceBehindClock":
            return .deviceBehindClock(
                device: try its.text("device"), time: try its.instant("time"), lag: try its.number("lag", in: 0...1e12))
        case "sharedDeviceID":
            return .sharedDeviceID(
                device: try its.text("device"), meters: try its.number("meters", in: 0...1e9), times: try its.integer("times"),
                seconds: try its.number("seconds", in: 0...1e12))
        case "clockImplausible":
            return .clockImplausible(time: try its.instant("time"), reason: try its.reason("reason"))
        case "replayPending":
            return .replayPending(
                device: try its.text("device"), since: try its.instant("since"), isPossible: its.flag("isPossible"))
        case "encodingFailed": return .encodingFailed(what: try its.subject("what"), reason: try its.reason("reason"))
        case "unsupportedFormat":
            return .unsupportedFormat(
                source: try its.subject("source"), found: try its.reason("found"), supported: try its.expectation("supported"))
        case "tooLarge": return .tooLarge(what: try its.subject("what"), limit: try its.expectation("limit"))
        case "usage": return .usage(reason: try its.reason("reason"), help: try its.text("help"))
        case "notFound":
            return .notFound(kind: try its.itemKind(), id: try its.text("id"), similar: its.texts("similar"))
        case "methodNotAllowed": return .methodNotAllowed(method: try its.text("method"), allowed: its.texts("allowed"))
        case "conflict":
            return .conflict(kind: try its.itemKind(), id: try its.text("id"), reason: try its.reason("reason"))
        case "preconditionFailed":
            return .preconditionFailed(kind: try its.itemKind(), id: try its.text("id"), reason: try its.reason("reason"))
        case "cursorGone":
            guard let cursor = EventCursor(try its.text("cursor")), let resume = EventCursor(try its.text("resumeCursor")),
                let reason = EventCursor.Mismatch(rawValue: try its.text("reason"))
            else { throw MissingParameter() }
            return .cursorGone(cursor: cursor, reason: reason, resume: resume, newest: Int64(try its.integer("newest")))
        case "cancelled": return .cancelled
        case "unknown": return .unknown(details: try its.reason("details"))
        default:
            if let problem = try storeProblem(code, parameters: its) { return problem }
            if let problem = try locationProblem(code, parameters: its) { return problem }
            if let problem = try deliveryProblem(code, parameters: its) { return problem }
            return try networkProblem(code, parameters: its)
        }
    }

    private static func storeProblem(_ code: String, parameters its: Parameters) throws(MissingParameter) -> Problem? {
        switch code {
        case "fileFailed": .fileFailed(path: try its.text("path"), reason: try its.reason("reason"))
        case "storeBusy": .storeBusy(path: try its.text("path"), holder: try its.subject("holder"))
        case "storeCorrupt": .storeCorrupt(path: try its.text("path"), details: try its.text("details"))
        case "storeFull": .storeFull(path: try its.text("path"))
        case "storeTooNew":
            .storeTooNew(
                path: try its.text("path"), version: try its.integer("version"), supported: try its.integer("supported"))
        case "migrationFailed":
            .migrationFailed(
                path: try its.text("path"), version: try its.integer("version"), details: try its.text("details"))
        case "storeFailed": .storeFailed(path: try its.text("path"), details: try its.text("details"))
        case "diskFailed": .diskFailed(path: try its.text("path"), details: try its.text("details"))
        case "storeReplaced": .storeReplaced(path: try its.text("path"))
        case "walHeld":
            .walHeld(path: try its.text("path"), bytes: try its.integer("bytes"), holder: try its.subject("holder"))
        default: nil
        }
    }

    private static func locationProblem(_ code: String, parameters its: Parameters) throws(MissingParameter) -> Problem? {
        switch code {
        case "locationServicesDisabled": .locationServicesDisabled
        case "authorizationRequired": .authorizationRequired(status: try its.text("status"))
        case "regionMonitoringDenied": .regionMonitoringDenied(details: try its.reason("details"))
        case "regionMonitoringFailed": .regionMonitoringFailed(details: try its.reason("details"))
        case "registryJournalDamaged":
            .registryJournalDamaged(device: try its.text("device"), reason: try its.reason("reason"))
        case "regionLimitReached": .regionLimitReached(limit: try its.integer("limit"))
        case "registryUnavailable": .registryUnavailable(details: try its.reason("details"))
        case "registryStale": .registryStale(reportedAt: try its.instant("reportedAt"))
        case "registrationIncomplete":
            .registrationIncomplete(missing: try its.integer("missing"), orphaned: try its.integer("orphaned"))
        default: nil
        }
    }

    private static func deliveryProblem(_ code: String, parameters its: Parameters) throws(MissingParameter) -> Problem? {
        switch code {
        case "sinkUnreachable":
            .sinkUnreachable(
                sink: try its.text("sink"), status: its.optionalInteger("status"), details: try its.reason("details"))
        case "sinkUnauthorized":
            .sinkUnauthorized(sink: try its.text("sink"), status: try its.integer("status"), details: try its.reason("details"))
        case "sinkRejected":
            .sinkRejected(sink: try its.text("sink"), status: try its.integer("status"), details: try its.reason("details"))
        case "eventRejected":
            .eventRejected(sink: try its.text("sink"), status: try its.integer("status"), details: try its.reason("details"))
        case "deliveryDegraded":
            .deliveryDegraded(
                sink: try its.text("sink"), attempts: try its.integer("attempts"), status: its.optionalInteger("status"),
                details: try its.reason("details"))
        default: nil
        }
    }

    private static func networkProblem(_ code: String, parameters its: Parameters) throws(MissingParameter) -> Problem {
        switch code {
        case "noConnection": .noConnection(peer: try its.text("peer"), details: try its.reason("details"))
        case "timeout": .timeout(peer: try its.text("peer"), details: try its.reason("details"))
        case "tlsFailed": .tlsFailed(peer: try its.text("peer"), details: try its.reason("details"))
        case "accessRefused": .accessRefused(peer: try its.text("peer"), details: try its.reason("details"))
        case "intakeInterrupted": .intakeInterrupted(peer: try its.text("peer"), details: try its.reason("details"))
        case "schemeMismatch": .schemeMismatch(peer: try its.text("peer"), other: try its.text("other"))
        case "insecureTransport": .insecureTransport(address: try its.text("address"))
        case "unreachableByPhones": .unreachableByPhones(address: try its.text("address"))
        case "serverError": .serverError(status: its.optionalInteger("status"), details: try its.reason("details"))
        case "unauthorized": .unauthorized(details: try its.reason("details"))
        case "forbidden": .forbidden(details: try its.reason("details"))
        case "sessionExpired": .sessionExpired(name: try its.text("name"))
        case "rateLimited": .rateLimited(retryAfter: its.seconds("retryAfter"))
        default: throw MissingParameter()
        }
    }

    private struct MissingParameter: Error {}

    private struct Parameters {
        var json: JSONValue

        func text(_ name: String) throws(MissingParameter) -> String {
            guard let text = json[name]?.string else { throw MissingParameter() }
            return text
        }

        func reason(_ name: String) throws(MissingParameter) -> Phrase {
            guard let reason = Phrase(json: json, named: name) else { throw MissingParameter() }
            return reason
        }

        func expectation(_ name: String) throws(MissingParameter) -> Phrase {
            guard let expectation = Phrase(json: json, named: name) else { throw MissingParameter() }
            return expectation
        }

        func subject(_ name: String) throws(MissingParameter) -> ProblemSubject {
            guard let subject = ProblemSubject(json, named: name) else { throw MissingParameter() }
            return subject
        }

        func itemKind() throws(MissingParameter) -> ItemKind {
            guard let kind = ItemKind(rawValue: try text("kind")) else { throw MissingParameter() }
            return kind
        }

        func instant(_ name: String) throws(MissingParameter) -> Instant {
            guard let instant = Instant(try text(name)) else { throw MissingParameter() }
            return instant
        }

        func optionalInstant(_ name: String) throws(MissingParameter) -> Instant? {
            json[name] == nil ? nil : try instant(name)
        }

        func optionalText(_ name: String) -> String? { json[name]?.string }

        func texts(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }

        func integer(_ name: String) throws(MissingParameter) -> Int {
            guard let number = optionalInteger(name) else { throw MissingParameter() }
            return number
        }

        func optionalInteger(_ name: String) -> Int? { seconds(name).flatMap { Int(exactly: $0) } }

        func number(_ name: String, in range: ClosedRange<Double>) throws(MissingParameter) -> Double {
            guard let number = seconds(name), range.contains(number) else { throw MissingParameter() }
            return number
        }

        func flag(_ name: String) -> Bool { json[name]?.bool ?? false }

        func seconds(_ name: String) -> Double? { json[name]?.double }
    }
}
