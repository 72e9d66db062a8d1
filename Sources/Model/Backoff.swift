/// How long to wait after failures: 1, 2, 4, 8, 16, then 30 seconds. Each wait is shortened by up to a quarter at random, so that
/// devices or sinks which failed together do not try again together.
public enum Backoff {
    /// Seconds to wait after so many failures in a row; 0 after none.
    public static func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Double {
        guard failures > 0 else { return 0 }
        let seconds = failures > 5 ? 30 : Double(1 << (failures - 1))
        return seconds * Double.random(in: 0.75...1, using: &random)
    }
}
