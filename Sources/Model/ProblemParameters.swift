// Encoding of problems for other processes: the code, and the values that the texts contain.

/// A value in the texts of a problem.
protocol ProblemParameter: Sendable {
    /// The members of an object with the value; most values are one member.
    func members(named name: String) -> [(String, JSONValue?)]

    /// Reads the members that `members(named:)` has written; nil when they are missing or wrong.
    init?(json: JSONValue, named name: String)
}

extension Problem {
    /// The values that the texts contain, by name. Code and parameters together give the same problem in any language.
    package var parameters: JSONValue {
        .object(
            row.parameters().flatMap { name, value in
                value.members(named: name).compactMap { name, json in json.map { .init(name, $0) } }
            })
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
            try .validationFailed(field: its("field"), value: its("value"), reason: its("reason"), expected: its("expected"))
        case "decodingFailed": try .decodingFailed(source: its("source"), line: its("line"), reason: its("reason"))
        case "encodingFailed": try .encodingFailed(what: its("what"), reason: its("reason"))
        case "unsupportedFormat": try .unsupportedFormat(source: its("source"), found: its("found"), supported: its("supported"))
        case "tooLarge": try .tooLarge(what: its("what"), limit: its("limit"))
        case "usage": try .usage(reason: its("reason"), help: its("help"))
        case "inputRefused":
            try .inputRefused(
                device: its("device"), field: its("field"), value: its("value") ?? "", kind: its("kind"), reason: its("reason"))
        case "deviceAheadOfClock": try .deviceAheadOfClock(device: its("device"), since: its("since"))
        case "deviceBehindClock": try .deviceBehindClock(device: its("device"), time: its("time"), lag: its("lag", in: 0...1e12))
        case "sharedDeviceID":
            try .sharedDeviceID(
                device: its("device"), meters: its("meters", in: 0...1e9), times: its("times"),
                seconds: its("seconds", in: 0...1e12))
        case "clockImplausible": try .clockImplausible(time: its("time"), reason: its("reason"))
        case "replayPending": try .replayPending(device: its("device"), since: its("since"), isPossible: its("isPossible"))
        case "notFound": try .notFound(kind: its("kind"), id: its("id"), similar: its("similar"))
        case "methodNotAllowed": try .methodNotAllowed(method: its("method"), allowed: its("allowed"))
        case "conflict": try .conflict(kind: its("kind"), id: its("id"), reason: its("reason"))
        case "preconditionFailed": try .preconditionFailed(kind: its("kind"), id: its("id"), reason: its("reason"))
        case "cursorGone":
            try .cursorGone(cursor: its("cursor"), reason: its("reason"), resume: its("resumeCursor"), newest: its("newest"))
        case "fileFailed": try .fileFailed(path: its("path"), reason: its("reason"))
        case "storeBusy": try .storeBusy(path: its("path"), holder: its("holder"))
        case "storeCorrupt": try .storeCorrupt(path: its("path"), details: its("details"))
        case "storeFull": try .storeFull(path: its("path"))
        case "storeTooNew": try .storeTooNew(path: its("path"), version: its("version"), supported: its("supported"))
        case "migrationFailed": try .migrationFailed(path: its("path"), version: its("version"), details: its("details"))
        case "storeFailed": try .storeFailed(path: its("path"), details: its("details"))
        case "diskFailed": try .diskFailed(path: its("path"), details: its("details"))
        case "storeReplaced": try .storeReplaced(path: its("path"))
        case "walHeld": try .walHeld(path: its("path"), bytes: its("bytes"), holder: its("holder"))
        case "backupFailed": try .backupFailed(path: its("path"), details: its("details"))
        case "locationServicesDisabled": .locationServicesDisabled
        case "authorizationRequired": try .authorizationRequired(status: its("status"))
        case "regionMonitoringDenied": try .regionMonitoringDenied(details: its("details"))
        case "regionMonitoringFailed": try .regionMonitoringFailed(details: its("details"))
        case "regionLimitReached": try .regionLimitReached(limit: its("limit"))
        case "registryJournalDamaged": try .registryJournalDamaged(device: its("device"), reason: its("reason"))
        case "registryUnavailable": try .registryUnavailable(details: its("details"))
        case "registryStale": try .registryStale(reportedAt: its("reportedAt"))
        case "registrationIncomplete": try .registrationIncomplete(missing: its("missing"), orphaned: its("orphaned"))
        case "noConnection": try .noConnection(peer: its("peer"), details: its("details"))
        case "timeout": try .timeout(peer: its("peer"), details: its("details"))
        case "tlsFailed": try .tlsFailed(peer: its("peer"), details: its("details"))
        case "schemeMismatch": try .schemeMismatch(peer: its("peer"), other: its("other"))
        case "insecureTransport": try .insecureTransport(address: its("address"))
        case "unreachableByPhones": try .unreachableByPhones(address: its("address"))
        case "serverError": try .serverError(status: its("status"), details: its("details"))
        case "unauthorized": try .unauthorized(details: its("details"))
        case "forbidden": try .forbidden(details: its("details"))
        case "sessionExpired": try .sessionExpired(name: its("name"))
        case "rateLimited": try .rateLimited(retryAfter: its("retryAfter"))
        case "geocoderFailed": try .geocoderFailed(peer: its("peer"), details: its("details"))
        case "accessRefused": try .accessRefused(peer: its("peer"), details: its("details"))
        case "intakeInterrupted": try .intakeInterrupted(peer: its("peer"), details: its("details"))
        case "sinkUnreachable": try .sinkUnreachable(sink: its("sink"), status: its("status"), details: its("details"))
        case "sinkUnauthorized": try .sinkUnauthorized(sink: its("sink"), status: its("status"), details: its("details"))
        case "sinkRejected": try .sinkRejected(sink: its("sink"), status: its("status"), details: its("details"))
        case "eventRejected": try .eventRejected(sink: its("sink"), status: its("status"), details: its("details"))
        case "deliveryDegraded":
            try .deliveryDegraded(sink: its("sink"), attempts: its("attempts"), status: its("status"), details: its("details"))
        case "cancelled": .cancelled
        case "unknown": try .unknown(details: its("details"))
        default: throw MissingParameter()
        }
    }

    private struct MissingParameter: Error {}

    private struct Parameters {
        var json: JSONValue

        func callAsFunction<Value: ProblemParameter>(_ name: String) throws(MissingParameter) -> Value {
            guard let value = Value(json: json, named: name) else { throw MissingParameter() }
            return value
        }

        func callAsFunction(_ name: String, in range: ClosedRange<Double>) throws(MissingParameter) -> Double {
            let value: Double = try self(name)
            guard range.contains(value) else { throw MissingParameter() }
            return value
        }
    }
}

extension Phrase: ProblemParameter {}
extension ProblemSubject: ProblemParameter {}

extension ProblemParameter where Self: LosslessStringConvertible {
    func members(named name: String) -> [(String, JSONValue?)] { [(name, .string(description))] }

    init?(json: JSONValue, named name: String) {
        guard let text = json[name]?.string else { return nil }
        self.init(text)
    }
}

extension String: ProblemParameter {}
extension Instant: ProblemParameter {}
extension EventCursor: ProblemParameter {}

extension ProblemParameter where Self: RawRepresentable<String> {
    func members(named name: String) -> [(String, JSONValue?)] { [(name, .string(rawValue))] }

    init?(json: JSONValue, named name: String) { self.init(rawValue: json[name]?.string ?? "") }
}

extension ItemKind: ProblemParameter {}
extension Refusal.Kind: ProblemParameter {}
extension EventCursor.Mismatch: ProblemParameter {}

extension ProblemParameter where Self: FixedWidthInteger {
    func members(named name: String) -> [(String, JSONValue?)] { [(name, JSONValue(Int(self)))] }

    init?(json: JSONValue, named name: String) {
        guard let number = json[name]?.double else { return nil }
        self.init(exactly: number)
    }
}

extension Int: ProblemParameter {}
extension Int64: ProblemParameter {}

extension Double: ProblemParameter {
    func members(named name: String) -> [(String, JSONValue?)] { [(name, JSONValue(self))] }

    init?(json: JSONValue, named name: String) {
        guard let number = json[name]?.double else { return nil }
        self = number
    }
}

extension Bool: ProblemParameter {
    func members(named name: String) -> [(String, JSONValue?)] { [(name, .bool(self))] }

    init?(json: JSONValue, named name: String) { self = json[name]?.bool ?? false }
}

extension [String]: ProblemParameter {
    func members(named name: String) -> [(String, JSONValue?)] { [(name, .array(map(JSONValue.string)))] }

    init?(json: JSONValue, named name: String) { self = json[name]?.array?.compactMap(\.string) ?? [] }
}

extension Optional: ProblemParameter where Wrapped: ProblemParameter {
    func members(named name: String) -> [(String, JSONValue?)] { self?.members(named: name) ?? [] }

    init?(json: JSONValue, named name: String) {
        let value: Wrapped? = Wrapped(json: json, named: name)
        self = value
    }
}
