import Foundation

/// The machine's monotonic clock, in nanoseconds.
enum Monotonic {
    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Sleeps until the clock reaches `time`; returns at once if it has.
    static func sleep(until time: Int64) {
        var left = time - nanoseconds()
        while left > 0 {
            var rest = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            nanosleep(&rest, nil)
            left = time - nanoseconds()
        }
    }
}
