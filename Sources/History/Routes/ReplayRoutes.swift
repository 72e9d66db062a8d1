import Core
import Model
import Presence
import Routing
import Service

/// The route that evaluates stored fixes again.
enum ReplayRoutes {
    typealias Route = Routing.Route<RunningJobs>

    static let all: [Route] = [replay]

    private static let replay = Route(
        "POST", "/v1/replay", access: .admin,
        about: .init(
            "Evaluates stored positions again, with late ones in order of time, and records what differs. With geofences, these apply to "
                + "the past as they are now. One replay runs at a time",
            body: [("application/json", "ReplayRequest")], answer: "ReplayAnswer"),
        work: .task { jobs, call throws(Problem) in
            let request = try ReplayRequest(try call.json())
            try jobs.beginRequested(.requestedReplay)
            defer { jobs.end(.requestedReplay) }
            guard let correction = request.correction else { return try await evaluateByRecord(request, call.store) }
            if request.applies { return try await correctPast(correction, call.store) }
            var head = call.head
            head.hasEffects = false
            return try await simulate(correction, call.store, for: head.client)
        })

    /// Evaluates fixes by the geofences of their time.
    private static func evaluateByRecord(_ request: ReplayRequest, _ store: StoreThreads) async throws(Problem) -> Response {
        let plan = try await store.longReaders.ask { [device = request.device] service throws(Problem) in
            try service.planReplay(device: device)
        }
        var job = RequestedReplayJob(plan, since: request.since)
        if !plan.devices.isEmpty { job = try await store.writer.perform(job) }
        return .json(job.answer.json, orShort: { [counts = job.answer.counts] in ReplayAnswer(counts: counts).json })
    }

    /// Evaluates fixes with the current geofences.
    private static func correctPast(_ correction: PastCorrection, _ store: StoreThreads) async throws(Problem) -> Response {
        let plan = try await store.longReaders.ask { service throws(Problem) in try service.planCorrection(correction) }
        var job = RequestedReplayJob(plan, correction)
        if !plan.devices.isEmpty { job = try await store.writer.perform(job) }
        return .json(job.answer.json)
    }

    private static func simulate(
        _ correction: PastCorrection, _ store: StoreThreads, for client: QueryClient
    ) async throws(Problem) -> Response {
        try await store.orderTracks(client)
        let answer = try await store.longReaders.ask(for: client) { service throws(Problem) in
            var answer = ReplayAnswer(ofPast: ReplayCounts())
            answer.counts = try service.simulateCorrection(correction) { answer.add($0) }
            return answer
        }
        return .json(answer.json)
    }
}

/// The body of a request for a replay.
private struct ReplayRequest {
    let device: String?
    let since: Instant?
    /// Nil for a replay by the geofences of the time.
    var correction: PastCorrection?
    let applies: Bool

    init(_ json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .replay)
        device = try fields.text("deviceId")
        since = try fields.instant("since")
        let geofences = try fields.texts("geofences")
        let isForAll = try fields.flag("all")
        let deleted = try fields.flag("deleted")
        let apply = try fields.flag("apply")
        try fields.finish()
        applies = apply ?? true
        if !geofences.isEmpty || isForAll == true {
            if isForAll == true, !geofences.isEmpty {
                throw .validationFailed(field: "all", value: "true", reason: .geofencesAndAll, expected: .geofencesOrAll)
            }
            correction = PastCorrection(
                geofences: geofences, includesRemoved: deleted ?? false, device: device, since: since)
        } else if let field = deleted != nil ? "deleted" : apply != nil ? "apply" : nil {
            throw .validationFailed(
                field: field, value: "", reason: Phrase("no geofences are named: name some in 'geofences', or set 'all' to true"),
                expected: .geofencesOrAll)
        }
    }
}
