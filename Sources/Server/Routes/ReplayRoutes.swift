import Model
import Service
import Synchronization

/// The route that evaluates stored fixes again.
enum ReplayRoutes {
    static let all = [replay]

    private static let replay = Route(
        "POST", "/v1/replay", access: .admin,
        about: .init(
            "Judges stored fixes anew, late ones in their place, and writes what is other than on record. One runs at a time",
            body: [("application/json", "ReplayRequest")], answer: "ReplayAnswer"),
        work: .task { api, call throws(Problem) in
            var request = try JSONFields(try call.json(), of: .replay)
            let wanted = try request.text("deviceId")
            let since = try request.instant("since")
            try request.finish()
            guard !api.isReplaying.exchange(true, ordering: .relaxed) else { throw .rateLimited(retryAfter: 5) }
            defer { api.isReplaying.store(false, ordering: .relaxed) }
            // A reader plans the replay, and the writer applies it in steps, so that positions are stored in between.
            let plan = try await api.readers.ask { service throws(Problem) in try service.planReplay(device: wanted) }
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
        })
}
