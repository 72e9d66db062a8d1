import Model
import Registry
import TestSupport
import Testing

@Suite("The random life of a phone")
struct ChaosLifeTests {
    static let profiles: [PlatformProfile] = [
        .ios, .android, .clmonitor, .custom(.ios, limit: 8, largestRadius: 2000, exitBuffer: 50), .custom(.android, limit: 12),
    ]

    /// A life with its diary.
    static func live(_ profile: PlatformProfile = .ios, seed: UInt64, hours: Double) -> (report: ChaosReport, diary: [String]) {
        let device = Device(id: "phone", platform: profile.platform, registry: .simulated)
        var life = ChaosLife(.init(profile: profile, device: device, seed: seed, hours: hours))
        var diary: [String] = []
        let report = life.run(record: { entry in diary.append("\(entry)") })
        return (report, diary)
    }

    /// Describes what is wrong with a life; empty if nothing is.
    static func flaws(_ report: ChaosReport) -> String {
        let unexplained = report.unexplained.map { "\($0.isEnter ? "enter" : "exit") \($0.geofence) at \($0.at)" }
        return ((report.endsHealthy ? [] : ["ends \(report.endHealth)"]) + unexplained + report.violations)
            .joined(separator: ", ")
    }

    @Test("Thirty days end healthy, with every transition reported or explained", arguments: [1, 2, 3] as [UInt64])
    func thirtyDays(seed: UInt64) {
        let profile = Self.profiles[Int(seed - 1)]
        let report = Self.live(profile, seed: seed, hours: 720).report
        #expect(report.isPassed, "seed \(seed): \(Self.flaws(report))")
        #expect(report.reportedCount > 100 && report.eventCount > 100, "seed \(seed): \(report)")
    }

    @Test("A day ends healthy on each kind of phone, with every transition reported or explained", arguments: profiles)
    func days(_ profile: PlatformProfile) {
        for seed in Histories.seeds(0...7) {
            let report = Self.live(profile, seed: seed, hours: 24).report
            #expect(report.isPassed, "seed \(seed): \(Self.flaws(report))")
        }
    }

    @Test("The same seed gives the same life, and another seed another one")
    func repeatable() {
        let first = Self.live(seed: 5, hours: 24)
        let second = Self.live(seed: 5, hours: 24)
        #expect(first.diary == second.diary)
        #expect(first.report == second.report)
        #expect(Self.live(seed: 6, hours: 24).diary != first.diary)
    }
}
