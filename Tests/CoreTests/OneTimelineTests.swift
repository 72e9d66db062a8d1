import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import History
@testable import Places
@testable import Presence

@Suite("Timeline of inputs")
struct OneTimelineTests {
    /// A service after a history in which all positions are kept.
    private func live(seed: UInt64) throws -> Workbench {
        let bench = try Workbench()
        bench.service.serve()
        for (now, input) in RecordedHistory(seed: seed, count: 300).keepingPositions {
            bench.clock.set(now)
            _ = try bench.service.apply(input, at: now)
        }
        return bench
    }

    @Test(
        "The live events agree with a replay in order of input, in order of time and with explanations",
        arguments: Histories.seeds(1...8))
    func agreement(seed: UInt64) throws {
        let bench = try live(seed: seed + 7000)
        let service = bench.service
        let check = try service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")

        // Fixes that came late wait for a replay.
        var events: [Event] = []
        _ = try service.replay(device: nil, since: nil) { events += $0 }
        let again = try service.replay(device: nil, since: nil) { _ in }
        #expect(again.new + again.retracted == 0 && again.unchanged > 20, "seed \(seed): \(again)")
        let supposed = try service.simulateReplay(device: nil, since: nil) { finding in
            #expect(finding.lines.isEmpty, "seed \(seed), \(finding.deviceId): \(finding.lines.first?.description ?? "")")
        }
        #expect(supposed.unchanged == again.unchanged, "seed \(seed)")
        let after = try service.checkStore()
        #expect(after.isSound && after.replay.unprovenDevices == 0, "seed \(seed): \(after.flaws.first)")

        var explained = 0
        for device in RecordedHistory.devices {
            for fence in (1...8).map({ "f\($0)" }) where try service.knownGeofence(id: fence) != nil {
                var filter = PicketStore.EventFilter()
                filter.deviceId = device
                filter.geofenceIds = [fence]
                filter.excludesRetracted = true
                var recorded: [String] = []
                try service.forEachEvent(filter) { if $0.type != .missed { recorded.append("\($0.occurredAt) \($0.type)") } }
                let steps = try service.explain(.init(deviceId: device, geofenceId: fence, around: 100_000)).steps
                let reported = steps.flatMap(\.transitions).map { "\($0.occurredAt) \($0.type)" }
                #expect(reported.sorted() == recorded.sorted(), "seed \(seed), \(device), \(fence)")
                explained += reported.count
            }
        }
        #expect(explained > 20, "seed \(seed)")
    }
}
