/// How long to wait after failures: 1, 2, 4, 8, 16, then 30 seconds. Each wait is shortened by up to a quarter at random, so that
/// devices or sinks which failed together do not try again together.
public enum Backoff {
    /// The longest wait, in seconds.
    public static let longest = 30.0

    /// Seconds to wait after so many failures in a row; 0 after none.
    public static func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Double {
        delay(after: failures, jitter: Double.random(in: 0...1, using: &random))
    }

    /// Seconds to wait after so many failures in a row; 0 after none.
    ///
    /// - Parameter jitter: By how much of a quarter the wait is shortened: 0 … 1.
    public static func delay(after failures: Int, jitter: Double) -> Double {
        guard failures > 0 else { return 0 }
        let seconds = failures > 5 ? longest : Double(1 << (failures - 1))
        return seconds * (1 - jitter / 4)
    }
}
