import Core
import Foundation
import Model

extension BlockedBenchmark {
    /// After a restart, many positions are not in order by device and time yet, and a request needs that order.
    func measureUnorderedFixes() throws(Problem) {
        for count in fixes.map({ [$0] }) ?? [1_000_000, 5_000_000] { try measureUnordered(count) }
    }

    private func measureUnordered(_ count: Int) throws(Problem) {
        let track = "\(bench.folder)/unordered.csv"
        try bench.writeTrack(count, devices: 1000, to: track)
        let template = data("unordered")
        try bench.run(["--data", template, "feed", track, "--quiet"])
        // Times within the track of `car-1`, and after it.
        let (late, next) = (Self.trackStart + 1.5, Self.trackStart + Double(count / 1000))
        let requests: [(name: String, request: ServedService.Request)] = [
            ("a late position", Self.positions([("car-1", late, 0.5)])),
            ("two new positions of one moment", Self.positions([("car-1", next, 0.5), ("car-1", next, 0.6)])),
            ("two first positions of one moment", Self.positions([("new", next, 0.5), ("new", next, 0.6)])),
            (
                "an OwnTracks position with a status",
                .init(
                    "POST", "/owntracks?u=car&d=1",
                    body: #"[{"_type":"location","lat":0.5,"lon":0.5,"tst":\#(Int(late.milliseconds / 1000))},"#
                        + #"{"_type":"location","lat":0.6,"lon":0.5,"tst":\#(Int(late.milliseconds / 1000))},"#
                        + #"{"_type":"status","iOS":{}}]"#)
            ),
            ("a removed device", .init("DELETE", "/v1/devices/car-2")),
        ]
        for (name, request) in requests {
            // The first request that needs the order makes it for the others.
            let copy = data("unordered-copy")
            try copyStore(template, to: copy)
            try withService(copy) { service throws(Problem) in
                try measurePositions("\(name), \(Format.number(count)) unordered", beside: service) { () throws(Problem) in
                    _ = try service.send(request)
                }
            }
            try removeStore(copy)
        }
        try removeStore(template)
    }

    /// The time of the first position of `Benchmark.writeTrack`.
    private static var trackStart: Instant { Instant(milliseconds: 1_767_225_600_000) }

    private static func positions(_ rows: [(device: String, time: Instant, latitude: Double)]) -> ServedService.Request {
        .init(
            "POST", "/v1/positions",
            body: rows.map {
                #"{"device":"\#($0.device)","timestamp":"\#($0.time)","latitude":\#($0.latitude),"longitude":0.5}"#
            }.joined(separator: "\n"), type: "application/x-ndjson")
    }

    private func copyStore(_ source: String, to target: String) throws(Problem) {
        do {
            try FileManager.default.copyItem(atPath: source, toPath: target)
        } catch {
            throw .fileFailed(path: target, reason: .verbatim(error.localizedDescription))
        }
    }

    private func removeStore(_ path: String) throws(Problem) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw .fileFailed(path: path, reason: .verbatim(error.localizedDescription))
        }
    }
}
