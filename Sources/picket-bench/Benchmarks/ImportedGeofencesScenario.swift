import Core
import Foundation
import Model

extension BlockedBenchmark {
    /// Imports of many geofences: across a country, all at one place with one name, and others with the same ids.
    func measureImports() throws(Problem) {
        let data = data("import")
        try bench.run(["--data", data, "geofence", "add", "--id", "home", "--circle", "0.5,0.5,500"])
        let (many, same) = isShort ? (2_000, 1_000) : (100_000, 20_000)
        try withService(data) { service throws(Problem) in
            try measureImport("import of \(Format.number(many)) geofences", Self.places(many, radius: 100), service)
            try measureImport("import of \(Format.number(many)) others with their ids", Self.places(many, radius: 150), service)
            try measureImport("import of \(Format.number(same)) of one name at one place", Self.samePlace(same), service)
        }
    }

    private func measureImport(_ name: String, _ body: String, _ service: ServedService) throws(Problem) {
        try measurePositions(name, beside: service) { () throws(Problem) in
            _ = try service.send(
                .init("POST", "/v1/geofences:import?onConflict=rename", body: body, type: "text/csv", expecting: 200...200))
        }
    }

    /// Circles in a square of ten degrees, as CSV.
    private static func places(_ count: Int, radius: Int) -> String {
        var random = SplitMix64(state: 7)
        var text = "id,name,latitude,longitude,radius\n"
        for number in 1...count {
            let (latitude, longitude) = (10 * random.unit(), 10 * random.unit())
            text += "place-\(number),Place \(number),\(Benchmark.degrees(latitude)),\(Benchmark.degrees(longitude)),\(radius)\n"
        }
        return text
    }

    /// Circles of one name around one place, as CSV without ids.
    private static func samePlace(_ count: Int) -> String {
        var text = "name,latitude,longitude,radius\n"
        for number in 1...count { text += "Depot,20.0000\(String(number + 100_000).dropFirst()),20,100\n" }
        return text
    }
}
