/// Delays after failures: 1, 2, 4, 8, 16, then always 30 seconds. Each delay is shortened by a random part of up to a quarter, so that
/// devices or sinks which failed together do not all retry at the same time.
public enum Backoff {
    /// The longest delay in seconds.
    public static let longestDelay = 30.0

    /// The delay in seconds after a number of consecutive failures; 0 after none.
    public static func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Double {
        delay(after: failures, jitter: Double.random(in: 0...1, using: &random))
    }

    /// The delay in seconds after a number of consecutive failures; 0 after none.
    ///
    /// - Parameters:
    ///   - failures: The number of consecutive failures.
    ///   - jitter: The part of a quarter by which the delay is shortened, 0 … 1.
    public static func delay(after failures: Int, jitter: Double) -> Double {
        guard failures > 0 else { return 0 }
        let seconds = failures > 5 ? longestDelay : Double(1 << (failures - 1))
        return seconds * (1 - jitter / 4)
    }
}
