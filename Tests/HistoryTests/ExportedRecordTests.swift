import Geodesy
import Model
import TestSupport
import Testing

@testable import History
@testable import Presence
@testable import Store

@Suite("Exported records")
struct ExportedRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private let place = Coordinate(latitude: 1, longitude: 2)

    @Test("Positions are read in order of arrival, with their attributes", arguments: [0, 2, 100])
    func fixes(ordered: Int) throws {
        let (device, other) = (
            try store.saveDevice(Device(id: "d"), in: Transaction()), try store.saveDevice(Device(id: "other"), in: Transaction())
        )
        let evaluations: [PicketStore.Evaluation] = [.onReceipt, .byReplay, .never, .byReplayAfterDeadline, .onReceipt]
        for (index, evaluation) in evaluations.enumerated() {
            let fix = Fix(time: Instant(milliseconds: Int64(10 - index) * 1000), coordinate: place, accuracy: Double(index))
            try store.append(
                fix, of: device, revision: Int64(index), evaluation: evaluation, attributes: index == 1 ? #"{"a":1}"# : nil,
                in: Transaction())
            try store.append(fix, of: other, revision: 0, evaluation: .onReceipt, attributes: nil, in: Transaction())
        }
        try store.orderFixes(atMost: ordered, in: Transaction())
        var found: [PicketStore.StoredFix] = []
        var attributes: [JSONValue?] = []
        try store.forEachFix(store.fixNumbers(of: device)) {
            found.append($0)
            attributes.append($1)
        }
        #expect(found.map(\.fix.accuracy) == [0, 1, 2, 3, 4])
        #expect(found.map(\.isLate) == [false, true, false, true, false])
        #expect(found.map(\.isValid) == [true, true, false, true, true])
        let said: [JSONValue?] = [nil, .compact([("a", .number("1"))]), nil, nil, nil]
        #expect(attributes == said)
    }

    @Test("Evidence is read as it was sent")
    func evidence() throws {
        let device = try store.saveDevice(Device(id: "d"), in: Transaction())
        for number in 1...3 as ClosedRange<Int64> {
            try store.appendEvidence(
                #"{"_type":"\#(number == 2 ? "transition" : "waypoint")","n":\#(number)}"#, of: device,
                at: Instant(milliseconds: 10 - number), receivedAt: Instant(milliseconds: 100 + number), in: Transaction())
        }
        var found: [String] = []
        try store.forEachEvidence(of: device) {
            found.append("\($0.milliseconds) \($1.milliseconds) \($2["n"]?.description ?? "")")
        }
        #expect(found == ["9 101 1", "8 102 2", "7 103 3"])
        var transitions: [Int64] = []
        try store.forEachTransition(of: device, since: Instant(milliseconds: 0)) { at, _ in transitions.append(at.milliseconds) }
        #expect(transitions == [8])
    }
}
