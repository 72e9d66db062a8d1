import Model
import Service
import Synchronization

/// The route that evaluates stored fixes again.
enum ReplayRoutes {
    static let all = [replay]

    private static let replay = Route(
        "POST", "/v1/replay", access: .admin,
        about: .init(
            "Judges stored fixes anew, late ones in their place, and writes what is other than on record. With geofences, these hold for "
                + "the past as they are now. One runs at a time",
            body: [("application/json", "ReplayRequest")], answer: "ReplayAnswer"),
        work: .task { api, call throws(Problem) in
            let request = try ReplayRequest(try call.json())
            guard !api.isReplaying.exchange(true, ordering: .relaxed) else { throw .rateLimited(retryAfter: 5) }
            defer { api.isReplaying.store(false, ordering: .relaxed) }
            guard let correction = request.correction else { return try await evaluateByRecord(request, api) }
            return request.applies ? try await correctPast(correction, api) : try await simulate(correction, api)
        })

    /// Evaluates fixes by the geofences of their time. A reader plans it, and the writer applies it in steps, so that positions are stored
    /// in between.
    private static func evaluateByRecord(_ request: ReplayRequest, _ api: API) async throws(Problem) -> Response {
        let (device, since) = (request.device, request.since)
        let plan = try await api.readers.ask { service throws(Problem) in try service.planReplay(device: device) }
        if !plan.devices.isEmpty { await api.writer.sortFixes() }
        var counts = plan.counts
        var events: [Event] = []
        for id in plan.devices {
            while true {
                let done = try await api.writer.perform { service throws(Problem) in
                    try service.replayStep(device: id, since: since, limit: 5000)
                }
                guard let done else { continue }
                counts.add(done.counts)
                events += done.events
                break
            }
        }
        return .json(ReplayAnswer(counts: counts, events: events).json)
    }

    /// Evaluates fixes with the present geofences, in the same way.
    private static func correctPast(_ correction: PastCorrection, _ api: API) async throws(Problem) -> Response {
        let plan = try await api.readers.ask { service throws(Problem) in try service.planCorrection(correction) }
        if !plan.devices.isEmpty { await api.writer.sortFixes() }
        var answer = ReplayAnswer(ofPast: plan.counts)
        for id in plan.devices {
            while true {
                let finding = try await api.writer.perform { service throws(Problem) in
                    try service.correctPastStep(correction, device: id, limit: 5000)
                }
                guard let finding else { continue }
                answer.add(finding)
                break
            }
        }
        return .json(answer.json)
    }

    private static func simulate(_ correction: PastCorrection, _ api: API) async throws(Problem) -> Response {
        let answer = try await api.readers.ask { service throws(Problem) in
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
                throw .validationFailed(field: "all", value: "true", reason: .geofencesOrAll, expected: .geofencesOrAll)
            }
            correction = PastCorrection(
                geofences: geofences, includesRemoved: deleted ?? false, device: device, since: since)
        } else if let field = deleted != nil ? "deleted" : apply != nil ? "apply" : nil {
            throw .validationFailed(field: field, value: "", reason: .geofencesNeeded, expected: .geofencesOrAll)
        }
    }
}
