import Delivery
import Model
import TestSupport
import Testing

@testable import Notifications

@Suite("Connections that wait to be recorded")
struct ConnectionRecordTests {
    private func status(_ problem: String?) throws -> ConnectionStatus {
        var connection = PeerConnection(at: Instant(milliseconds: 0))
        var random = SeededRandom(seed: 1)
        let began = connection.begin(at: Instant(milliseconds: 0))
        let attempt = try #require(began)
        let outcome: DeliveryOutcome = problem.map { .retry(.timeout(peer: $0, details: ""), after: nil) } ?? .delivered
        _ = connection.record(outcome, of: attempt, at: Instant(milliseconds: 0), using: &random)
        return connection.status
    }

    private func texts(_ records: [ConnectionRecords.Record]) -> [String] {
        records.map { record in
            if case .timeout(let peer, _) = record.status.problem { return "\(record.sink) \(peer)" }
            return "\(record.sink) works"
        }
    }

    @Test("Of each sink, the newest failure and the success before it are kept")
    func bounded() throws {
        var records = ConnectionRecords()
        for round in 0..<100 {
            for sink in ["a", "b"] {
                records.add(try status(nil), ofSink: sink)
                for number in 0..<3 { records.add(try status("\(round) \(number)"), ofSink: sink) }
            }
        }
        #expect(texts(records.waiting) == ["a works", "a 99 2", "b works", "b 99 2"])
        records.add(try status(nil), ofSink: "a")
        #expect(texts(records.waiting) == ["b works", "b 99 2", "a works"])
        #expect(texts(records.take(atMost: 2)) == ["b works", "b 99 2"])
        #expect(texts(records.take(atMost: .max)) == ["a works"] && records.waiting.isEmpty)
    }

    @Test("What could not be recorded comes before what has changed since, unless that makes it irrelevant")
    func failed() throws {
        var records = ConnectionRecords()
        for sink in ["a", "b", "c", "d"] { records.add(try status(nil), ofSink: sink) }
        for sink in ["b", "c", "d"] { records.add(try status("first"), ofSink: sink) }
        let taken = records.take(atMost: .max)
        records.add(try status("second"), ofSink: "b")
        records.add(try status(nil), ofSink: "c")
        records.add(try status("second"), ofSink: "a")
        records.putBack(taken)
        #expect(texts(records.waiting) == ["a works", "b works", "d works", "d first", "b second", "c works", "a second"])
    }
}
