import Core
import Model

extension BlockedBenchmark {
    /// A device is erased from a large store: one of a thousand, and one whose positions are the whole store. The store is also backed up
    /// and checked.
    func measureErasedDevices() throws(Problem) {
        try measureErasure(of: isShort ? 10_000 : 1_000_000, devices: 1000)
        try measureErasure(of: isShort ? 10_000 : 300_000, devices: 1)
    }

    private func measureErasure(of positions: Int, devices: Int) throws(Problem) {
        let (fences, track) = ("\(bench.folder)/erased-fences.csv", "\(bench.folder)/erased.csv")
        try bench.writeGeofences(isShort ? 100 : 10_000, to: fences, side: 1)
        try bench.writeTrack(positions, devices: devices, to: track)
        let data = data("erased-\(devices)")
        try bench.run(["--data", data, "geofence", "import", fences, "--json"])
        try bench.run(["--data", data, "feed", track, "--quiet"])
        let text = "\(Format.number(positions)) positions"
        try withService(data) { service throws(Problem) in
            if devices > 1 {
                for name in ["backup", "check"] {
                    try measurePositions("\(name) of \(text)", beside: service) { () throws(Problem) in
                        _ = try service.send(.init("GET", "/v1/\(name)"))
                    }
                }
            }
            let whose = devices > 1 ? "an erased device, \(text) of \(Format.number(devices))" : "an erased device with \(text)"
            try measurePositions(whose, beside: service) { () throws(Problem) in
                _ = try service.send(.init("POST", "/v1/devices/car-0:erase"))
            }
        }
    }
}
