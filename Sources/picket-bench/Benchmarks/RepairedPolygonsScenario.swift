import Core
import Foundation
import Model

extension BlockedBenchmark {
    /// The import of a polygon that crosses itself many times and has to be repaired.
    func measureRepairedPolygons() throws(Problem) {
        let data = data("mending")
        try bench.run(["--data", data, "geofence", "add", "--id", "home", "--circle", "0.5,0.5,500"])
        try withService(data) { service throws(Problem) in
            for corners in [151, 1001] {
                let body = Self.star(corners: corners)
                try measurePositions("import of a star of \(Format.number(corners)) corners", beside: service) {
                    () throws(Problem) in
                    // It is refused if repairing it takes too long.
                    _ = try service.send(
                        .init(
                            "POST", "/v1/geofences:import?mend=true", body: body, type: "application/geo+json",
                            expecting: 200...499))
                }
            }
        }
    }

    /// A GeoJSON star in which each edge crosses nearly all others.
    private static func star(corners: Int) -> String {
        let ring = (0...corners).map { number in
            let angle = 2 * Double.pi * Double(number % corners * (corners / 2)) / Double(corners)
            return "[\(0.5 + 0.1 * cos(angle)),\(0.5 + 0.1 * sin(angle))]"
        }
        return #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"star-\#(corners)","properties":{"name":"Star"},"#
            + #""geometry":{"type":"Polygon","coordinates":[[\#(ring.joined(separator: ","))]]}}]}"#
    }
}
