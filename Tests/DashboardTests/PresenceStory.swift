import Foundation
import TestSupport

/// Positions of a phone around two geofences, and the seen times that follow from them by definition.
struct PresenceStory {
    struct Fix {
        var time: Date
        /// The geofence that contains the position; nil for none.
        var place: String?
    }

    /// The seconds between two positions above which the device counts as silent; see `Device.silentAfter`.
    static let silentAfter = 21_600.0

    var fixes: [Fix]

    /// Parses one line for each position: the time, and the geofence if there is one.
    init(_ lines: String) {
        fixes = lines.split(separator: "\n").map { line in
            let parts = line.split(separator: " ")
            // swift-format-ignore: NeverForceUnwrap
            return Fix(time: try! Date(String(parts[0]), strategy: .iso8601), place: parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    /// A night with the change to summer time, a late evening on the day that is shorter because of it, a long silence, and the same night
    /// with the change back.
    static let nights = PresenceStory(
        """
        2025-03-28T12:00:00Z
        2025-03-28T20:00:00Z home
        2025-03-29T01:00:00Z home
        2025-03-29T06:00:00Z
        2025-03-29T20:00:00Z home
        2025-03-29T22:30:00Z home
        2025-03-30T02:00:00Z home
        2025-03-30T06:00:00Z
        2025-03-30T21:00:00Z school
        2025-03-30T23:00:00Z
        2025-03-31T10:00:00Z home
        2025-03-31T10:30:00Z home
        2025-03-31T20:00:00Z
        2025-10-25T20:00:00Z home
        2025-10-26T00:00:00Z home
        2025-10-26T05:20:00Z home
        2025-10-26T05:30:00Z
        2025-10-26T22:00:00Z school
        2025-10-26T23:30:00Z school
        2025-10-27T00:30:00Z
        """)

    /// The positions as CSV.
    func csv(device: String) -> String {
        let places = ["home": "52.5,13.4", "school": "52.51,13.4"]
        let lines = fixes.map { "\(device),\($0.time.ISO8601Format()),\($0.place.flatMap { places[$0] } ?? "52.55,13.5"),5" }
        return (["device,timestamp,latitude,longitude,accuracy"] + lines).joined(separator: "\n") + "\n"
    }

    /// The seconds in which the phone was seen in a geofence on a day: the gaps between two positions inside that are not longer than
    /// `silentAfter`.
    func seconds(in place: String, on date: String, zone: String) throws -> Int {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try zone.timeZone
        let parts = date.split(separator: "-").compactMap { Int($0) }
        let noon = calendar.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2], hour: 12)) ?? .distantPast
        let begins = calendar.startOfDay(for: noon)
        let ends = calendar.date(byAdding: .day, value: 1, to: begins) ?? .distantFuture
        let spans = zip(fixes, fixes.dropFirst()).filter {
            $0.place == place && $1.place == place && $1.time.timeIntervalSince($0.time) <= Self.silentAfter
        }
        return Int(spans.reduce(0.0) { $0 + max(0, min($1.1.time, ends).timeIntervalSince(max($1.0.time, begins))) })
    }
}

extension String {
    struct NoTimeZone: Error {}

    fileprivate var timeZone: TimeZone {
        get throws {
            guard let zone = TimeZone(identifier: self) else { throw NoTimeZone() }
            return zone
        }
    }
}
