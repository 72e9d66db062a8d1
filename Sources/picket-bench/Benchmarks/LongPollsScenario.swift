import Model
import Synchronization
import Workers

extension BlockedBenchmark {
    /// Many connections wait for an event of one device, which then comes.
    func measureLongPolls() throws(Problem) {
        let count = isShort ? 50 : 500
        let data = data("polls")
        try bench.run(["--data", data, "geofence", "add", "--id", "spot", "--circle", "1.5,1.5,500"])
        try withService(data, options: ServedService.usualOptions + ["--policy", "exact"]) { service throws(Problem) in
            _ = try service.send(.spotPosition(of: "watched", latitude: 1.7, second: 0))
            let problem = Mutex<Problem?>(nil)
            let port = service.child.port
            let pollers = WorkThreads("long polls") {
                do throws(Problem) {
                    var load = try LoadGenerator(port: port, connections: count)
                    defer { load.close() }
                    try load.run(count) { _, request in
                        request.append("GET /v1/events?after=0&device=watched&wait=60s HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    }
                    _ = try load.measured()
                } catch {
                    problem.withLock { $0 = error }
                }
            }
            Monotonic.sleep(until: Monotonic.nanoseconds() + 2_000_000_000)
            try measurePositions("an event for \(count) long polls", beside: service) { () throws(Problem) in
                _ = try service.send(.spotPosition(of: "watched", latitude: 1.5, second: 1))
                pollers.join()
            }
            if let problem = problem.withLock({ $0 }) { throw problem }
        }
    }
}
