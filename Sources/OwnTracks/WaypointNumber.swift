/// By which the waypoints of ours are known on Android: a number of each region's own, as the time at which the waypoint was made.
public enum WaypointNumber {
    /// Seconds since 1970, from 2001 to 2008. There was no OwnTracks then, so no person has made a waypoint at such a time.
    private static let times = 1_000_000_000..<1_200_000_000

    /// The time of a region's waypoint.
    ///
    /// - Parameter number: From 0 on.
    static func time(ofNumber number: Int) -> Int { times.lowerBound + number % times.count }

    /// The number that a waypoint has; nil for one that is not ours.
    static func number(ofTime time: Int?) -> Int? {
        time.flatMap { times.contains($0) ? $0 - times.lowerBound : nil }
    }

    /// The number in the `wtst` of a report that a region was entered or left; nil when the region is not ours.
    public static func number(ofWaypointTime time: Int) -> Int? { number(ofTime: time) }
}
