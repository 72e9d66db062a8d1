import Core
import Ingest
import Model
import Presence
import Registrations
import Routing
import Service

// Handlers for requests of phone apps. The apps repeat a rejected request or drop it. So a request that was understood, and also
// one that can never be used, is answered with 200. Unusable input is logged, counted and recorded as a problem of the device. If
// the token is for one device, all positions belong to that device, regardless of the name that the app gives. Only a report for
// a device that the token is not for is answered with 403.

/// Collects the body of a request up to a limit. A longer body is discarded, and only marked as too large.
class PhoneHandler {
    fileprivate let api: API
    fileprivate let head: Head
    fileprivate var body: [UInt8] = []
    fileprivate var isTooLarge = false

    init(_ api: API, _ head: Head) {
        self.api = api
        self.head = head
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        if body.count + bytes.count > API.maxDocument {
            isTooLarge = true
            body = []
        }
        if !isTooLarge { unsafe body.append(contentsOf: bytes) }
        return nil
    }

    var heldBytes: Int { body.count }

    /// The refusal of a body that is too large.
    fileprivate static func refusal(ofDevice device: String?) -> Refusal {
        Refusal(
            .tooLarge, device: device, field: "body", value: "",
            reason: .expecting(.moreThan(API.maxDocument), .lessAtATime))
    }

    /// - Parameter answer: The answer when the report is stored.
    fileprivate static func answer<Value>(_ result: Result<Value, Problem>, _ answer: Response) -> Response {
        switch result {
        case .success: answer
        case .failure(let problem): .storageFailed(problem)
        }
    }
}

extension Head {
    /// An empty batch with the name of the request's token as its sender.
    fileprivate var batch: FixBatch {
        var batch = FixBatch()
        batch.sender = tokenName ?? ""
        return batch
    }
}

/// Handles a request of the OsmAnd protocol.
final class OsmAndHandler: PhoneHandler, RequestHandler {
    func finish() -> RequestOutcome {
        var batch = head.batch
        let query = head.target.query.filter { $0.name != Target.tokenField }
        if isTooLarge {
            batch.refusals.append(Self.refusal(ofDevice: deviceName))
            return submit(batch)
        }
        let outcome = unsafe body.withUnsafeBufferPointer { body in
            unsafe OsmAnd.decode(
                query: query, body: body, contentType: head.contentType, now: api.store.clock.now(),
                options: api.store.writer.decodingOptions(ofDevice: head.onlyDevice), into: &batch)
        }
        switch outcome {
        case .positions: return submit(batch)
        case .keepAlive(let device), .notificationToken(let device):
            do throws(Problem) {
                try ReportScope(api.store, head).check(device)
            } catch {
                return .now(.problem(error))
            }
            let (api, device, admission) = (api, head.onlyDevice ?? device, api.admission(of: head))
            return .later { reply in
                api.store.writer.submit(
                    { service throws(Problem) in
                        try admission?()
                        try service.store([], signsOfLife: [device])
                    }, { reply(Self.answer($0, .taken)) })
            }
        case .missingID:
            let problem = Problem.missing("id", .deviceIDOfRequest)
            batch.refusals = [
                Refusal(
                    .unknownDevice, field: "id", value: OsmAnd.excerpt(query: query, body: body),
                    reason: .expecting(.missing, .deviceIDOfRequest))
            ]
            return submit(batch, answer: .problem(problem, status: 400))
        case .invalidID(let field, let value, let reason):
            batch.refusals.append(Refusal(.unreadable, field: field, value: value, reason: reason))
            return submit(batch)
        case .unreadable(let reason):
            batch.refusals.append(Refusal(.malformed, device: deviceName, field: "request", value: "", reason: reason))
            return submit(batch)
        }
    }

    /// The names of the query fields that contain the device id.
    private static let deviceFields = ["id", "deviceid", "device_id"]

    /// Whether a request for `/` is a position report, and not the request of a browser.
    static func isReport(_ target: Target) -> Bool { target.query.contains { deviceFields.contains($0.name) } }

    /// The device that the query names; nil when the name is missing or not a valid id.
    private var deviceName: String? { Identifier.device(Self.deviceFields.lazy.compactMap { self.head.target[$0] }.first) }

    /// Stores a batch.
    ///
    /// - Parameter answer: The answer when it is stored; nil for the one that the app expects.
    private func submit(_ batch: FixBatch, answer: Response? = nil) -> RequestOutcome {
        var batch = batch
        if let device = head.onlyDevice { batch.attribute(to: device) }
        do throws(Problem) {
            try ReportScope(api.store, head).check(&batch)
            api.tokenUses.record(head.token, reportingFor: batch.deviceNames.first)
        } catch {
            return .now(.problem(error))
        }
        let (api, taken, admission) = (api, batch, api.admission(of: head))
        // Overland deletes what it sent only after this answer.
        let answer = answer ?? (batch.isOfOverland ? .json(["result": "ok"]) : .taken)
        return .later { reply in api.store.writer.submit(taken, admission: admission) { reply(Self.answer($0, answer)) } }
    }
}

/// Handles a request of the OwnTracks app.
final class OwnTracksHandler: PhoneHandler, RequestHandler {
    func finish() -> RequestOutcome {
        let sender = OwnTracksSender(
            user: head.limitUser ?? head.target["u"] ?? head.user, device: head.limitDevice ?? head.target["d"])
        var batch = head.batch
        var messages: [OwnTracksMessage] = []
        if isTooLarge {
            batch.refusals.append(Self.refusal(ofDevice: sender.deviceId))
        } else if head.onlyDevice == nil,
            let name = head.target.query.first(where: { !$0.isUTF8 && ["u", "d"].contains($0.name) })
        {
            batch.refusals.append(
                Refusal(.unreadable, field: name.name, value: name.value, reason: .expecting(.notUTF8, .percentEncodedUTF8)))
        } else {
            messages = unsafe body.withUnsafeBufferPointer {
                unsafe batch.addOwnTracks(
                    $0, of: sender, options: self.api.store.writer.decodingOptions(ofDevice: head.onlyDevice), field: "body")
            }
        }
        if let device = head.onlyDevice {
            batch.attribute(to: device)
            for index in messages.indices { messages[index].device = device }
        }
        do throws(Problem) {
            let scope = ReportScope(api.store, head)
            try scope.check(sender.deviceId)
            for message in messages { try scope.check(message.device) }
            try scope.check(&batch)
            api.tokenUses.record(head.token, reportingFor: batch.deviceNames.first ?? messages.first?.device)
        } catch {
            return .now(.problem(error))
        }
        if batch.isEmpty, messages.isEmpty { return .now(Self.nothing) }
        let (api, taken, others, admission) = (api, batch, messages, api.admission(of: head))
        let row = batch.rows.first { $0.device >= 0 }
        let device = messages.first?.device ?? row.map { batch.deviceNames[Int($0.device)] } ?? sender.deviceId
        return .later { reply in
            api.store.writer.submit(taken, messages: others, admission: admission) { result in
                // Refusals of positions alone are counted with their transaction, so this case only concerns other messages.
                if case .success(let intake) = result, !others.isEmpty { api.recordRefusals(intake.refusals) }
                guard case .success(let intake) = result, let device else { return reply(Self.answer(result, Self.nothing)) }
                let isList = intake.listedDevices.contains(device)
                api.broker.phones.messageStored(of: device, via: .request, isList: isList)
                api.broker.phones.respond(to: device, isList: isList) { commands in
                    reply(commands.isEmpty ? Self.nothing : .json(.array(commands)))
                }
            }
        }
    }

    /// The answer without commands and friends.
    private static let nothing = Response(status: 200, contentType: "application/json", body: .text("[]"))
}

extension Response {
    /// The answer to a report of the OsmAnd protocol that was understood.
    fileprivate static let taken = Response(status: 200, contentType: "text/plain", body: .text("OK\n"))

    /// The answer when a report could not be stored. It is a 4xx only if the token was revoked meanwhile, because the app would drop the
    /// report, or repeat it forever.
    fileprivate static func storageFailed(_ problem: Problem) -> Response {
        if case .unauthorized = problem { return .problem(problem) }
        return .problem(problem, status: problem.httpStatus < 500 ? 503 : nil)
    }
}
