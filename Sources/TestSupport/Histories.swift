import Foundation

/// The random histories of tests that check a property in many of them.
///
/// The environment variable `PICKET_HISTORIES` sets their number: `some` selects the first quarter of the usual seeds, and a
/// number N selects the first N, even beyond the usual ones. Without the variable, the usual seeds are used. `tools/test` sets
/// `some`, and `tools/test --all` uses all.
package enum Histories {
    private static let wanted = ProcessInfo.processInfo.environment["PICKET_HISTORIES"] ?? ""

    /// The seeds for a test that usually uses the seeds `usual`, at least one.
    package static func seeds(_ usual: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
        let all = usual.upperBound - usual.lowerBound + 1
        let count = wanted == "some" ? (all + 3) / 4 : UInt64(wanted) ?? all
        return usual.lowerBound...(usual.lowerBound + max(1, count) - 1)
    }

    /// The number of parts into which the histories of long tests are divided, so that the parts run in parallel.
    package static let parts = 0..<4

    /// Every fourth of the seeds for a test that usually uses the seeds `usual`, beginning with the one that `part` counts.
    package static func seeds(_ usual: ClosedRange<UInt64>, part: Int) -> StrideTo<UInt64> {
        let all = seeds(usual)
        return stride(from: all.lowerBound + UInt64(part), to: all.upperBound + 1, by: parts.count)
    }

    /// Scales a minimum that a test expects of the usual number of histories to the number that runs.
    package static func share(of minimum: Int, for usual: ClosedRange<UInt64>) -> Int {
        minimum * seeds(usual).count / usual.count
    }
}
