import Model
import SQLite
import Store

// The newest times that the store contains.

extension PicketStore {
    /// The newest time by the clock of this machine that the store contains; nil if it contains none.
    package func newestClockTime() throws(Problem) -> Instant? {
        try firstValue(
            """
            SELECT max(at) FROM (
                SELECT (SELECT recorded_at FROM event ORDER BY sequence DESC LIMIT 1) AS at
                UNION ALL SELECT (SELECT received_at FROM evidence ORDER BY number DESC LIMIT 1)
                UNION ALL SELECT max(last_at) FROM problem UNION ALL SELECT max(last_at) FROM refused_input
                UNION ALL SELECT max(made_at) FROM token UNION ALL SELECT max(began_at) FROM generation)
            """, as: Instant.self)
    }

    /// The newest time at which data was accepted, by the clock of the machine at that time, as far as it is known; nil if there is none.
    ///
    /// The times of positions count as well, if two devices have sent such times: one device alone may have a wrong clock.
    ///
    /// - Parameter tolerance: Seconds by which positions may have been ahead of the clock.
    func newestAcceptedTime(tolerance: Double) throws(Problem) -> Instant? {
        let recorded = try newestClockTime()
        let received = try firstValue(
            """
            SELECT max(time + ifnull(lag, 0) * 1000) AS received FROM (SELECT device, time, lag FROM fix ORDER BY number DESC LIMIT 1000)
            GROUP BY device ORDER BY received DESC LIMIT 1 OFFSET 1
            """, as: Instant.self)
        guard let received else { return recorded }
        return max(recorded ?? .earliest, received + -tolerance)
    }
}
