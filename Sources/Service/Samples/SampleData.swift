import Foundation
import Model
import Places

/// The sample data that is part of the program: geofences of a city, devices, and their tracks (see data/README.md).
package struct SampleData: Sendable {
    /// The path of the folder.
    package let folder: String

    /// The path of the file with the geofences.
    package var geofences: String { "\(folder)/geofences.geojson" }

    /// The track of the demo: the day of a family.
    package static let familyDay = "family-day.csv"
    /// The tracks that are loaded into a store: the day of a family and the morning of a fleet.
    static let tracks = [familyDay, "fleet-morning.csv"]

    /// - Throws: `Problem.fileFailed` if a file is not readable.
    package init(folder: String) throws(Problem) {
        self.folder = folder
        for file in ["geofences.geojson", "devices.json"] + Self.tracks.map({ "tracks/\($0)" })
        where access("\(folder)/\(file)", R_OK) != 0 {
            throw .fileFailed(path: "\(folder)/\(file)", reason: .verbatim(String(cString: strerror(errno))))
        }
    }

    /// The path of a track.
    package func path(ofTrack name: String) -> String { "\(folder)/tracks/\(name)" }

    /// The devices with their names and groups. One of them is a simulated iPhone, on which registrations can be broken and repaired.
    package func devices() throws(Problem) -> [Device] {
        let path = "\(folder)/devices.json"
        let text = String(decoding: try GeofenceFile.read(path), as: UTF8.self)
        let list: JSONValue
        do throws(JSONParser.Failure) {
            list = try JSONParser.parse(text)
        } catch {
            throw .decodingFailed(source: .verbatim(path), line: nil, reason: .notJSON(error.reason))
        }
        return (list.array ?? []).compactMap { device in
            device["id"]?.string.map {
                Device(
                    id: $0, name: device["name"]?.string, groups: (device["groups"]?.array ?? []).compactMap(\.string),
                    platform: $0 == "anna-phone" ? .ios : nil, registry: $0 == "anna-phone" ? .simulated : .none)
            }
        }
    }

    /// The positions of a track, sorted by time.
    package func positions(ofTrack name: String) throws(Problem) -> FixBatch { try TrackFile.read(path(ofTrack: name)) }

    /// The time of the newest position of each device that has one.
    func newestTimes() throws(Problem) -> [String: Instant] {
        var times: [String: Instant] = [:]
        for track in Self.tracks {
            let batch = try positions(ofTrack: track)
            for row in batch.rows where row.device >= 0 {
                let id = batch.deviceNames[Int(row.device)]
                times[id] = max(times[id] ?? row.fix.time, row.fix.time)
            }
        }
        return times
    }
}
