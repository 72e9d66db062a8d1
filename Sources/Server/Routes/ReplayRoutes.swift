import Model
import Service
import Synchronization

/// Judging stored fixes anew.
enum ReplayRoutes {
    static let all = [replay]

    private static let replay = Route(
        "POST", "/v1/replay", .admin,
        .init(
            "Judges stored fixes anew, late ones in their place, and writes what is other than on record. One runs at a time",
            body: [("application/json", "ReplayRequest")], answer: "ReplayAnswer"),
        .task { api, call throws(Problem) in
            let request = try call.json()
            let (wanted, since) = (try device(request), try since(request))
            guard !api.isReplaying.exchange(true, ordering: .relaxed) else { throw .rateLimited(retryAfter: 5) }
            defer { api.isReplaying.store(false, ordering: .relaxed) }
            // Step by step, so that positions are taken meanwhile.
            let ids = try await api.writer.perform { service throws(Problem) in try service.devicesToReplay(wanted) }
            while try await !api.writer.perform({ service throws(Problem) in try service.orderFixes(atMost: 20_000) }) {}
            var counts = ReplayCounts()
            var events: [Event] = []
            for id in ids {
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
            return .json(.object(counts.members + [.init("events", .array(events.map(\.json)))]))
        })

    private static func device(_ request: JSONValue) throws(Problem) -> String? {
        guard let value = request["deviceId"], value != .null else { return nil }
        guard let id = value.string else {
            throw .validationFailed(
                field: "deviceId", value: value.description, reason: "it is no text",
                expected: "a device's id, or nothing for all")
        }
        return id
    }

    private static func since(_ request: JSONValue) throws(Problem) -> Instant? {
        guard let value = request["since"], value != .null else { return nil }
        guard let time = value.string.flatMap({ Instant($0) ?? Instant($0 + "T00:00:00Z") }) else {
            throw .validationFailed(
                field: "since", value: value.string ?? value.description, reason: "it is no time",
                expected: "RFC 3339, as 2026-05-01T10:00:00Z, or a day")
        }
        return time
    }
}
