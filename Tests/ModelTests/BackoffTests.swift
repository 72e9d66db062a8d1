import Model
import TestSupport
import Testing

@Suite("Backoff")
struct BackoffTests {
    @Test(
        "The wait doubles up to 30 seconds, and is reduced by up to a quarter",
        arguments: [(0, 0.0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (7, 30), (1000, 30)])
    func waits(_ failures: Int, _ most: Double) {
        var random = SeededRandom(seed: 3)
        for _ in 0..<100 {
            let delay = Backoff.delay(after: failures, using: &random)
            #expect(delay <= most && delay >= most * 0.75)
        }
    }
}
