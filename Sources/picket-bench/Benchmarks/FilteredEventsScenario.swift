import Core
import Model

extension BlockedBenchmark {
    /// Many events, and a query by type that finds none, with a large and with a small page.
    func measureFilteredEvents() throws(Problem) {
        let data = data("events")
        try feedEvents(to: data)
        try withService(data) { service throws(Problem) in
            for limit in [1000, 1] {
                try measurePositions(
                    "\(Format.number(events)) events, none of the type, limit \(Format.number(limit))", beside: service
                ) { () throws(Problem) in _ = try service.send(.init("GET", "/v1/events?type=alarm&limit=\(limit)")) }
            }
        }
    }

    /// Creates a store with the visits of 100 devices, `car-0` and so on, to a geofence.
    func feedEvents(to data: String) throws(Problem) {
        try bench.run(["--data", data, "geofence", "add", "--id", "home", "--circle", "0.5,0.5,500"])
        // Every position enters or leaves the geofence.
        try bench.writeLines(events, to: "\(bench.folder)/events.csv", heading: "device,timestamp,latitude,longitude") { number in
            let time = Instant(milliseconds: 1_767_225_600_000) + Double(number / 100) * 60
            return "car-\(number % 100),\(time),\(number / 100 % 2 == 0 ? "0.5" : "0.6"),0.5"
        }
        try bench.run(["--data", data, "feed", "\(bench.folder)/events.csv", "--policy", "exact", "--quiet"])
    }
}
