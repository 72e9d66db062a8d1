import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence

@Suite("Explanations of random histories")
struct ExplainedHistoryTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test(
        "Explanations agree with the recorded events and name their causes, through edits, clocks, phone reports and late fixes",
        arguments: Array(Histories.seeds(1...5)) + [8, 9], [false, true])
    func histories(seed: UInt64, isLate: Bool) throws {
        var history = LivedHistory(seed: seed)
        history.isPunctual = !isLate
        history.isReplayed = isLate
        for (number, id) in history.devices.enumerated() {
            try bench.service.save(
                Device(
                    id: id, groups: number % 2 == 0 ? [] : ["odd"],
                    policy: number < 2 ? PolicyOverride(base: .exact) : PolicyOverride()))
        }
        for _ in 0..<150 { try history.step(bench.service) }
        if isLate { _ = try bench.service.replay(device: nil, since: nil) { _ in } }
        func line(_ type: EventType, _ occurred: Instant, _ confirmed: Instant, _ cause: Cause) -> String {
            // When a late fix would have confirmed an event earlier, the time of confirmation stays as it was first recorded; so does the
            // cause.
            "\(occurred) \(type)" + (isLate ? "" : " \(confirmed) \(cause)")
        }
        var compared = 0
        for device in history.devices {
            for number in 1...8 where try bench.service.store.hasKnownGeofence(id: "f\(number)") {
                let fence = "f\(number)"
                var filter = PicketStore.EventFilter()
                filter.deviceId = device
                filter.geofenceIds = [fence]
                filter.excludesRetracted = true
                var recorded: [Event] = []
                try bench.service.forEachEvent(filter) { recorded.append($0) }
                let found = try bench.service.explain(.init(deviceId: device, geofenceId: fence, around: 1000))
                let again = found.steps.flatMap(\.transitions).map {
                    line($0.type, $0.occurredAt, $0.confirmedAt, $0.cause)
                }
                let lines = recorded.map { line($0.type, $0.occurredAt, $0.confirmedAt, $0.cause) }
                // Corrected events are recorded later.
                #expect(isLate ? again.sorted() == lines.sorted() : again == lines, "seed \(seed), \(device), \(fence)")
                for (step, next) in zip(found.steps, found.steps.dropFirst()) {
                    #expect(step.after == next.before, "seed \(seed), \(device), \(fence), \(next.at)")
                }
                // Each explanation evaluates the whole history again, so only some events are explained.
                for event in recorded where event.sequence % 7 == Int64(seed % 7) {
                    let explanation = try bench.service.explain(
                        .init(deviceId: device, geofenceId: fence, at: event.occurredAt, around: 5))
                    #expect(
                        !explanation.answer.words().contains("do not show why"),
                        "seed \(seed), event \(event.sequence): \(explanation.answer.words())")
                    #expect(explanation.remarks.isEmpty, "seed \(seed), event \(event.sequence): \(explanation.remarks)")
                }
                compared += recorded.count
            }
        }
        #expect(compared > 20, "seed \(seed)")
    }
}
