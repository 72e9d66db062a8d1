import Delivery
import Model
import Store
import Testing

@testable import Core
@testable import Operations
@testable import Presence

@Suite("Sources of problems")
struct ProblemSourceTests {
    /// The ids of devices, including ids that look like the source of a part of a sink.
    private static let deviceIDs = ["anna", "jane/phone", "van/parked", "sink/hook/discovery"]
    /// The sources of a sink and its parts.
    private static let sinkSources = [Sink.problemSource("ha"), Sink.rejectedSource("ha"), Sink.discoverySource("ha")]
    /// The sources of everything else.
    private static let otherSources = [
        Queries.anonymousIntakeSource, "intake-token/van", ProblemSource.broker, StoreProblem.source, ServiceWriter.clockSource,
    ]

    @Test("A source names its device or its sink, regardless of what the id contains")
    func parts() {
        for prefix in PicketStore.DeviceProblem.allCases {
            for id in Self.deviceIDs {
                let source = ProblemSource(prefix.rawValue + id)
                #expect(source.deviceID == id && source.sinkID == nil && source.sinkPart == nil, "\(source)")
                #expect(source.family + "/" == prefix.rawValue)
            }
        }
        let sinks = Self.sinkSources.map(ProblemSource.init)
        #expect(sinks.allSatisfy { $0.family == "sink" && $0.sinkID == "ha" && $0.deviceID == nil })
        #expect(sinks.map(\.sinkPart) == [nil, .rejected, .discovery])
        for source in Self.otherSources.map(ProblemSource.init) {
            #expect(source.deviceID == nil && source.sinkID == nil && source.sinkPart == nil, "\(source)")
        }
        // A part of a later version.
        #expect(ProblemSource("sink/ha/later").sinkID == "ha" && ProblemSource("sink/ha/later").sinkPart == nil)
    }

    @Test("The answer about a problem has the parts of its source")
    func answer() {
        func members(_ source: String) -> [String?] {
            let standing = Queries.OpenProblem(.cancelled, source: source, at: .init(milliseconds: 0))
            let json = ShownProblem(standing, at: .init(milliseconds: 0)).json(in: AnswerLocale())
            return ["source", "family", "deviceId", "sinkId", "sinkPart"].map { json[$0]?.string }
        }
        #expect(members("registry/jane/phone") == ["registry/jane/phone", "registry", "jane/phone", nil, nil])
        #expect(members("sink/ha/discovery") == ["sink/ha/discovery", "sink", nil, "ha", "discovery"])
        #expect(members("sink/ha") == ["sink/ha", "sink", nil, "ha", nil])
        #expect(members("job/store") == ["job/store", "job", nil, nil, nil])
    }

    @Test("Each command of an action names the sink or the device itself, and no part of it")
    func commands() throws {
        for source in Self.sinkSources {
            for action in Problem.RecoveryAction.allCases {
                guard let command = RecoveryCommand.command(action, for: nil, id: "7", source: source) else { continue }
                let words = command.split(separator: " ")
                #expect(words == ["picket", "problems", "dismiss", "7"] || words[1] == "sink" && words[3] == "ha", "\(command)")
            }
        }
        for prefix in PicketStore.DeviceProblem.allCases {
            for id in Self.deviceIDs {
                let command = RecoveryCommand.command(.fixRegistration, for: nil, id: nil, source: prefix.rawValue + id)
                #expect(command == "picket fix-registration --device '\(id)'")
            }
        }
    }

    @Test("The terminal has a command for what a message asks to correct")
    func corrections() {
        let moment = Instant("2026-05-01T10:00:00Z")!
        let cases: [(Problem, source: String, command: String?)] = [
            (
                .deviceAheadOfClock(device: "a b", since: moment), "clock/a b",
                "picket device positions remove 'a b' --since 2026-05-01T10:00:00.000Z"
            ),
            (.deviceAheadOfClock(device: "van", since: nil), "clock/van", nil),
            (.sharedDeviceID(device: "van", meters: 900, times: 3, seconds: 60), "shared-id/van", "picket device enroll ID"),
            (
                .inputRefused(device: "van", field: "", value: "", kind: .encrypted, reason: .missing), "intake/van",
                "picket device edit 'van' --owntracks-key -"
            ),
            (.inputRefused(device: "van", field: "lat", value: "x", kind: .missing, reason: .missing), "intake/van", nil),
            (
                .replayPending(device: "van", since: moment, isPossible: true), "replay/van",
                "picket replay --device 'van' --apply"
            ),
            (.clockImplausible(time: moment, reason: .missing), "job/clock", "timedatectl set-ntp true"),
            (.sinkUnauthorized(sink: "ha", status: 401, details: ""), "sink/ha", "picket sink edit ha --sink-token @FILE"),
            (.sinkUnauthorized(sink: "ha", status: 535, details: ""), "sink/ha", "picket sink edit ha --password @FILE"),
            (.sinkRejected(sink: "ha", status: 404, details: ""), "sink/ha", "picket sink show ha"),
            (.eventRejected(sink: "ha", status: 400, details: ""), "sink/ha/parked", "picket sink parked ha"),
            (
                .validationFailed(field: "discovery", value: "ha", reason: .missing, expected: .fewerEntities),
                "sink/ha/discovery", "picket sink edit ha --group LIST --geofence LIST"
            ),
            (.sinkUnreachable(sink: "ha", details: ""), "sink/ha", "picket sink test ha"),
            (.accessRefused(peer: "mqtt://broker", details: ""), "mqtt", "picket config"),
        ]
        for (problem, source, command) in cases {
            #expect(
                RecoveryCommand.command(problem.recoveryAction, for: problem, id: nil, source: source) == command, "\(problem)")
        }
    }

    @Test("No message of a problem with a device, a sink or the clock contains a command", arguments: Language.allCases)
    func messages(_ language: Language) {
        let wanted: Set = [
            "inputRefused", "deviceAheadOfClock", "deviceBehindClock", "sharedDeviceID", "clockImplausible", "replayPending",
            "sinkUnreachable", "sinkUnauthorized", "sinkRejected", "eventRejected", "deliveryDegraded", "registrationIncomplete",
            "intakeInterrupted", "accessRefused", "registryStale", "registryUnavailable", "registryJournalDamaged",
        ]
        let samples = Problem.samples.filter { wanted.contains($0.code) }
        #expect(Set(samples.map(\.code)) == wanted)
        for sample in samples {
            let message = sample.message.text(in: language)
            #expect(!message.contains("picket ") && !message.contains("timedatectl"), "\(message)")
        }
        for kind in Refusal.Kind.allCases {
            let problem = Problem.inputRefused(device: "van", field: "lat", value: "1", kind: kind, reason: .missing)
            let message = problem.message.text(in: language)
            #expect(!message.contains("picket "), "\(message)")
        }
    }
}
