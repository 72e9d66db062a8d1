import Model
import Registry
import TestSupport
import Testing

@testable import Comparison

@Suite("Planted faults")
struct PlantedFaultTests {
    private static let device = Device(id: "d")

    private static func report(_ planted: PlantedLog, _ log: [AppObservation], _ options: AppLogComparison.Options)
        -> ComparisonReport
    {
        AppLogComparison.report(
            of: AppLog(log), along: planted.fixes, of: device, geofences: planted.geofences, options: options)
    }

    @Test(
        "A comparison names every fault that was planted, with the right reason, and no other",
        arguments: Histories.seeds(1...8), Device.Platform.allCases)
    func named(_ seed: UInt64, _ platform: Device.Platform) {
        let planted = PlantedLog(seed: seed, PlatformProfile(platform))
        let report = Self.report(planted, planted.log, .init(planted.profile))
        let found = report.faults.compactMap { fault in
            fault.reason.map {
                PlantedLog.Expected(geofence: fault.geofenceID, kind: fault.kind, outcome: fault.outcome, reason: $0)
            }
        }
        let missing = planted.expected.subtracting(found).map(\.description).sorted()
        let extra = Set(found).subtracting(planted.expected).map(\.description).sorted()
        #expect(missing.isEmpty && extra.isEmpty, "seed \(seed): not named \(missing), named wrongly \(extra)")
        #expect(found.count == planted.expected.count, "seed \(seed)")
        #expect(report.tally.reported == planted.reportedCount, "seed \(seed)")
        #expect(report.remarks.skew == nil)
    }

    @Test("Lines in any order, and doubled ones, change nothing but the remarks", arguments: [3, 4] as [UInt64])
    func disorder(_ seed: UInt64) {
        let planted = PlantedLog(seed: seed, .ios)
        var random = SeededRandom(seed: seed)
        let straight = Self.report(planted, planted.log, .init(planted.profile))
        // Observations of the same time keep their order, so those are not shuffled apart.
        let byTime = Dictionary(grouping: planted.log, by: \.at).values.shuffled(using: &random).flatMap { $0 }
        var mixed = Self.report(planted, byTime + byTime.prefix(40), .init(planted.profile))
        #expect(mixed.remarks.doubled == 40 && mixed.remarks.outOfOrder > 10)
        mixed.remarks = straight.remarks
        #expect(mixed == straight)
    }

    @Test(
        "A clock that is wrong by a constant is noticed, and corrected on request",
        arguments: [-7200, -600, 1800, 3600] as [Double])
    func skew(_ seconds: Double) throws {
        let planted = PlantedLog(seed: 5, .ios)
        let log = planted.log.map { AppObservation(at: $0.at + seconds, $0.content) }
        let wrong = Self.report(planted, log, .init(planted.profile))
        let skew = try #require(wrong.remarks.skew)
        #expect(abs(skew.seconds - seconds) <= 60 && skew.reports > 20 && !skew.isCorrected, "\(skew)")
        let known = Self.report(planted, log, .init(planted.profile, skew: .by(seconds)))
        var right = Self.report(planted, planted.log, .init(planted.profile))
        right.remarks = known.remarks
        #expect(known == right)
        let estimated = Self.report(planted, log, .init(planted.profile, skew: .automatic))
        #expect(estimated.remarks.skew?.isCorrected == true)
        #expect(estimated.tally.reported == right.tally.reported)
        #expect(estimated.faults.compactMap(\.reason?.rawValue).sorted() == right.faults.compactMap(\.reason?.rawValue).sorted())
    }
}
