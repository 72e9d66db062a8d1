import Model

/// Decides whether the old positions of a device come from a clock that is wrong, or from an archive.
///
/// Positions that are `threshold` old or older are neither those that a phone has kept for some days, nor those of a phone that was off
/// for a while. Two signs distinguish a wrong clock from the sending of an archive:
///
/// - The positions are whole multiples of 1,024 weeks old, to a day: the week counter of a GPS receiver has started again.
/// - From one request to the next, the times of the positions advance as the clock does. The positions of an archive arrive faster than they
///   were made, or in another order.
package struct ClockLag {
    /// Seconds from which on the age of positions may be the lag of a clock: 300 days.
    package static let threshold = 300 * 86_400.0

    /// The time of the newest position, and when it arrived, in the first of the requests that agree with each other.
    private var start: (time: Instant, receivedAt: Instant)?
    /// The number of these requests.
    private var requests = 0
    /// Seconds since the first of them.
    private var seconds = 0.0
    private var isRollover = false

    /// By how many seconds a request may be delayed more than another one.
    private static let jitter = 5.0
    /// The number of requests that have to agree, and the seconds between the first and the last of them.
    private static let leastRequests = 3
    private static let leastSeconds = 10.0

    package init() {}

    /// Adds the positions of a request that are at least `threshold` old.
    ///
    /// - Parameters:
    ///   - oldest: The time of the oldest of them.
    ///   - newest: The time of the newest of them.
    ///   - now: When they arrived.
    package mutating func add(oldest: Instant, newest: Instant, receivedAt now: Instant) {
        let count = GPSWeekRollover.count(inLag: now - newest)
        isRollover = count != nil && count == GPSWeekRollover.count(inLag: now - oldest)
        if let start {
            let (clock, own) = (now - start.receivedAt, newest - start.time)
            if clock >= 0, own >= 0, own <= clock + Self.jitter {
                requests += 1
                seconds = clock
                return
            }
        }
        (start, requests, seconds) = ((newest, now), 1, 0)
    }

    /// Whether the device is sending now, as far as is known, rather than sending an archive.
    package var isLive: Bool { isRollover || requests >= 2 }

    /// Whether the clock of the device is behind.
    package var isClockBehind: Bool { isRollover || requests >= Self.leastRequests && seconds >= Self.leastSeconds }
}
