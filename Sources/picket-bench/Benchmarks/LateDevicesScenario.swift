import Core
import Model

extension BlockedBenchmark {
    /// Many devices send one late position each, before and after a geofence among many is edited.
    func measureLateDevices() throws(Problem) {
        let (geofences, count) = isShort ? (1000, 20) : (100_000, 1000)
        let file = "\(bench.folder)/late.csv"
        try bench.writeGeofences(geofences, to: file, side: 1)
        let data = data("late")
        try bench.run(["--data", data, "geofence", "import", file, "--json"])
        try withService(data) { service throws(Problem) in
            var devices = DenseDevices(count, seed: 1)
            let start = devices.start
            try service.preload(count * 30, of: &devices)
            let devicesText = "\(Format.number(count)) devices send a late position"
            try measureLatePositions(devicesText, of: count, at: start + 10.5, service)
            for number in 0..<10 {
                _ = try service.send(
                    .init(
                        "PATCH", "/v1/geofences/fence-\(number)", body: #"{"radius":321}"#,
                        type: "application/merge-patch+json"))
            }
            try service.preload(count * 3, of: &devices)
            try measureLatePositions("\(devicesText), 10 edits", of: count, at: start + 11.5, service)
        }
    }

    /// Sends a late position of each device, and waits until all are evaluated.
    private func measureLatePositions(
        _ name: String, of count: Int, at time: Instant, _ service: ServedService
    ) throws(Problem) {
        let body = (0..<count).map { #"{"device":"d\#($0)","timestamp":"\#(time)","latitude":0.5,"longitude":0.5}"# }
            .joined(separator: "\n")
        let counter = "picket_replays_total"
        let goal = try service.counter(counter) + count
        try measurePositions(name, beside: service) { () throws(Problem) in
            _ = try service.send(.init("POST", "/v1/positions?events=false", body: body, type: "application/x-ndjson"))
            while try service.counter(counter) < goal { Monotonic.sleep(until: Monotonic.nanoseconds() + 50_000_000) }
        }
    }
}
