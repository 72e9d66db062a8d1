import Core
import Foundation
import Model

extension BlockedBenchmark {
    /// Geofences around all of many devices are made, moved and removed: one, and several of an import.
    func measureWideGeofences() throws(Problem) {
        let (count, imported) = isShort ? (500, 8) : (10_000, 64)
        let data = data("wide")
        try bench.run(["--data", data, "geofence", "add", "--id", "home", "--circle", "0.5,0.5,500"])
        try withService(data) { service throws(Problem) in
            var devices = DenseDevices(count, seed: 1)
            try service.preload(count, of: &devices)
            let all = "\(Format.number(count)) devices"
            func measure(_ name: String, _ requests: [ServedService.Request]) throws(Problem) {
                try measurePositions("\(name) \(all)", beside: service) { () throws(Problem) in
                    for request in requests { _ = try service.send(request) }
                }
            }
            let wide = #"{"id":"wide","name":"Wide","latitude":0.5,"longitude":0.5,"radius":200000}"#
            try measure("a geofence made around", [.init("PUT", "/v1/geofences/wide", body: wide)])
            try measure("a geofence removed around", [.init("DELETE", "/v1/geofences/wide")])
            var text = "id,name,latitude,longitude,radius\n"
            for number in 1...imported { text += "wide-\(number),Wide \(number),0.5,0.5,\(200_000 + number)\n" }
            try measure(
                "import of \(imported) geofences around",
                [.init("POST", "/v1/geofences:import", body: text, type: "text/csv", expecting: 200...200)])
            let edits = (1...imported).map { #"{"remove":"wide-\#($0)"}"# }.joined(separator: ",")
            try measure(
                "one edit removes \(imported) geofences around",
                [.init("POST", "/v1/geofences:edit", body: #"{"edits":[\#(edits)]}"#)])
        }
    }
}
