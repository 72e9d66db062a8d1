import Core
import Model

extension BlockedBenchmark {
    /// A device enters and leaves many geofences at one spot with one position each.
    func measureSameSpot() throws(Problem) {
        let count = isShort ? 200 : 20_000
        let file = "\(bench.folder)/spot.csv"
        // Outside of the square in which the devices of `SteadyPositions` drive.
        try bench.writeLines(count, to: file, heading: "id,name,latitude,longitude,radius") {
            "spot-\($0),Spot \($0),1.5,1.5,\(100 + $0 % 400)"
        }
        let data = data("spot")
        try bench.run(["--data", data, "geofence", "import", file, "--json"])
        try withService(data, options: ServedService.usualOptions + ["--policy", "exact"]) { service throws(Problem) in
            _ = try service.send(.spotPosition(of: "visitor", latitude: 1.7, second: 0))
            for (name, latitude, second) in [("enters", 1.5, 1.0), ("leaves", 1.7, 2)] {
                try measurePositions("a position \(name) \(Format.number(count)) geofences at a spot", beside: service) {
                    () throws(Problem) in
                    _ = try service.send(.spotPosition(of: "visitor", latitude: latitude, second: second))
                    // The states are written a few seconds later.
                    Monotonic.sleep(until: Monotonic.nanoseconds() + (isShort ? 100_000_000 : 3_000_000_000))
                }
            }
        }
    }
}

extension ServedService.Request {
    /// A position near the spot 1.5, 1.5, which is outside of the square in which the devices of `SteadyPositions` drive.
    static func spotPosition(of device: String, latitude: Double, second: Double) -> Self {
        let time = Instant(milliseconds: 1_767_225_600_000) + second
        return .init(
            "POST", "/v1/positions?events=false",
            body: #"{"device":"\#(device)","timestamp":"\#(time)","latitude":\#(latitude),"longitude":1.5}"#)
    }
}
