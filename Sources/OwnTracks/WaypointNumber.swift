/// Identifies Picket's own waypoints on Android: each region has a number, which is encoded in the waypoint's time of creation.
package enum WaypointNumber {
    /// Seconds since 1970, from 2001 to 2008. OwnTracks did not exist then, so no waypoint of a person has such a time.
    private static let times = 1_000_000_000..<1_200_000_000

    /// The time of creation that encodes a region's number.
    ///
    /// - Parameter number: 0 or greater.
    static func time(ofNumber number: Int) -> Int { times.lowerBound + number % times.count }

    /// The number that a time of creation encodes; nil if the waypoint is not Picket's.
    static func number(ofTime time: Int?) -> Int? {
        time.flatMap { times.contains($0) ? $0 - times.lowerBound : nil }
    }

    /// The number that the `wtst` of an enter or exit report encodes; nil if the region is not Picket's.
    package static func number(ofWaypointTime time: Int) -> Int? { number(ofTime: time) }
}
