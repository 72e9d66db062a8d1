import Foundation
import Geodesy
import Ingest
import Model
import TestSupport

/// A path that a real receiver recorded with one position per second. The study takes the recorded positions for the true ones.
struct RecordedTrack: Sendable {
    var name: String
    private var plane: Plane
    private var path: [Point]

    /// Reads the recorded tracks with one position per second from the shared data next to the checkout. Returns an empty array if the
    /// shared data is missing.
    ///
    /// - Throws: `Problem` if a file cannot be read or decoded.
    static func all() throws(Problem) -> [RecordedTrack] {
        guard let directory = SharedData.directory else { return [] }
        var tracks: [RecordedTrack] = []
        for name in ["bike_routeA_Garmin-Edge-605", "budapest_mtb_6234161353", "limerick_bus304", "sf_run_strava"] {
            let file = directory.appending(path: "gpx/\(name).gpx")
            tracks += parts(of: try fixes(in: file)).map { RecordedTrack(name: name, $0) }
        }
        return tracks
    }

    private static func fixes(in file: URL) throws(Problem) -> [Fix] {
        let bytes: Data
        do { bytes = try Data(contentsOf: file) } catch {
            throw .fileFailed(path: file.path, reason: .verbatim(error.localizedDescription))
        }
        var decoder = FixDecoder(source: .verbatim(file.lastPathComponent))
        var batch = FixBatch()
        let outcome = [UInt8](bytes).withUnsafeBufferPointer { buffer in
            Result { () throws(Problem) in try decoder.decode(buffer, into: &batch) }
        }
        try outcome.get()
        try decoder.finish(into: &batch)
        batch.sortByTime()
        return batch.rows.map(\.fix)
    }

    /// Splits the fixes where two consecutive ones are more than 20 seconds apart, and drops parts shorter than 10 minutes.
    private static func parts(of fixes: [Fix]) -> [[Fix]] {
        var parts: [[Fix]] = []
        for fix in fixes {
            guard let last = parts.last?.last, fix.time - last.time <= 20 else {
                parts.append([fix])
                continue
            }
            if fix.time > last.time { parts[parts.count - 1].append(fix) }
        }
        return parts.filter { $0[$0.count - 1].time - $0[0].time >= 600 }
    }

    private init(name: String, _ fixes: [Fix]) {
        self.name = name
        let plane = Plane(origin: fixes[0].coordinate)
        self.plane = plane
        var path: [Point] = []
        var last = (time: 0.0, point: Point.zero)
        for fix in fixes {
            let time = fix.time - fixes[0].time
            let point = plane.point(fix.coordinate)
            while Double(path.count) <= time {
                let share = time > last.time ? (Double(path.count) - last.time) / (time - last.time) : 1
                path.append(last.point + (point - last.point) * share)
            }
            last = (time, point)
        }
        self.path = path
    }

    /// The recorded path as a journey among areas that lie along the path.
    func journey(seed: UInt64) -> Journey {
        var random = SeededRandom(seed: seed)
        let areas = (0..<16).map { Area.along(path, offset: $0 < 8 ? 0...0.5 : 0...1.15, &random) }
        return Journey(kind: .recorded, plane: plane, areas: areas, path: path)
    }

    /// The length of the track in hours.
    var hours: Double { Double(path.count) / 3600 }
}
