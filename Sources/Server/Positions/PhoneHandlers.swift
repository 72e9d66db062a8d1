import Ingest
import Model
import Service

// Requests of phone apps. These repeat a request that was refused, or forget it; so whatever was understood is answered with 200, and
// what was not wanted of it is in the log. A token for one device says whose a position is, whatever the app calls itself.

/// Takes a request of the OsmAnd protocol.
final class OsmAndHandler: RequestHandler {
    private let api: API
    private let head: Head
    private var body: [UInt8] = []

    init(_ api: API, _ head: Head) {
        self.api = api
        self.head = head
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        guard body.count + bytes.count <= API.maxDocument else {
            return .problem(.tooLarge(what: "The body", limit: "\(API.maxDocument) bytes"))
        }
        unsafe body.append(contentsOf: bytes)
        return nil
    }

    func finish() -> Outcome {
        var batch = FixBatch()
        let query = head.target.query.filter { $0.name != Route.tokenField }
        let outcome = unsafe body.withUnsafeBufferPointer { body in
            unsafe OsmAnd.decode(
                query: query, body: body, contentType: head.contentType, now: api.clock.now(), into: &batch)
        }
        switch outcome {
        case .positions:
            if let device = head.onlyDevice { batch.attribute(to: device) }
            batch.sortByTime()
            let (api, taken) = (api, batch)
            return .later { reply in api.writer.submit(taken) { reply(Self.answer($0)) } }
        case .keepAlive(let device), .notificationToken(let device):
            let (api, device) = (api, head.onlyDevice ?? device)
            return .later { reply in
                api.writer.submit(
                    { service throws(Problem) in try service.note([], heard: [device]) }, { reply(Self.answer($0)) })
            }
        case .missingID:
            return .now(
                .problem(
                    .validationFailed(field: "id", value: "", reason: "it is missing", expected: "the device's id"), status: 400))
        case .unreadable(let reason):
            return .now(.problem(.decodingFailed(source: "the request", line: nil, reason: reason)))
        }
    }

    private static func answer<Value>(_ result: Result<Value, Problem>) -> Response {
        switch result {
        case .success: Response(200, "text/plain", .text("OK\n"))
        case .failure(let problem): .notKept(problem)
        }
    }
}

/// Takes a request of the OwnTracks app.
final class OwnTracksHandler: RequestHandler {
    private let api: API
    private let head: Head
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(_ api: API, _ head: Head) {
        self.api = api
        self.head = head
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        if body.count + bytes.count > API.maxDocument {
            // A refusal would be repeated for ever.
            isTooLarge = true
            body.removeAll()
        }
        if !isTooLarge { unsafe body.append(contentsOf: bytes) }
        return nil
    }

    func finish() -> Outcome {
        if isTooLarge {
            api.unwanted("a request of OwnTracks that is too large")
            return .now(Self.nothing)
        }
        let sender = OwnTracksSender(
            user: head.limitUser ?? head.target["u"] ?? head.user, device: head.limitDevice ?? head.target["d"])
        var batch = FixBatch()
        let outcome = unsafe body.withUnsafeBufferPointer { unsafe OwnTracks.decode($0, sender: sender, into: &batch) }
        var messages: [OwnTracksMessage] = []
        switch outcome {
        case .empty: return .now(Self.nothing)
        case .unreadable:
            api.unwanted("a request of OwnTracks that is no JSON")
            return .now(Self.nothing)
        case .understood(let understood): messages = understood
        }
        if let device = head.onlyDevice {
            batch.attribute(to: device)
            for index in messages.indices { messages[index].device = device }
        }
        if !batch.refusals.isEmpty {
            api.unwanted("a location of OwnTracks that is none")
            api.metrics.count(batch.refusals)
        }
        let (evidence, heard) = Self.evidence(messages)
        batch.sortByTime()
        let (api, taken) = (api, batch)
        if evidence.isEmpty, heard.isEmpty {
            if taken.rows.isEmpty { return .now(Self.nothing) }
            return .later { reply in api.writer.submit(taken) { reply(Self.answer($0)) } }
        }
        return .later { reply in
            api.writer.submit(
                { service throws(Problem) in
                    // Positions first: they make a device that is new.
                    if !taken.rows.isEmpty { _ = try service.accept(taken) }
                    try service.note(evidence, heard: heard)
                }, { reply(Self.answer($0)) })
        }
    }

    /// What is kept of messages, and whose sign of life they are. The last will is told by others, when the device is gone.
    private static func evidence(_ messages: [OwnTracksMessage]) -> (kept: [Evidence], heard: [String]) {
        var kept: [Evidence] = []
        var heard: [String] = []
        for message in messages {
            guard let device = message.device else { continue }
            switch message.kind {
            case .transition, .waypoint, .waypoints, .status, .dump:
                kept.append(Evidence(deviceId: device, time: message.time, json: message.json))
            case .lwt: break
            default: heard.append(device)
            }
        }
        return (kept, heard)
    }

    /// No commands and no friends.
    private static let nothing = Response(200, "application/json", .text("[]"))

    private static func answer<Value>(_ result: Result<Value, Problem>) -> Response {
        switch result {
        case .success: nothing
        case .failure(let problem): .notKept(problem)
        }
    }
}

extension Response {
    /// What an app is told of what could not be stored. Never a 4xx: it would forget it, or never cease to send it.
    fileprivate static func notKept(_ problem: Problem) -> Response {
        .problem(problem, status: problem.status < 500 ? 503 : nil)
    }
}
