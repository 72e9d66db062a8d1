import Delivery
import Model
import TestSupport
import Testing

@testable import Notifications
@testable import Places
@testable import Store

@Suite("Sink records")
struct SinkRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private func sink(_ id: String, path: String = "/tmp/x") throws -> Sink {
        try Sink(json: .compact([("kind", "file"), ("path", .string(path))]), id: id)
    }

    @Test("A changed sink keeps its cursors and counters")
    func save() throws {
        try store.save(PicketStore.StoredSink(sink("a"), cursor: 3, alarmCursor: 4), in: Transaction())
        try store.setCursors(ofSink: "a", 10, alarms: 12, in: Transaction())
        try store.addDelivered(7, at: Instant(milliseconds: 5000), toSink: "a", in: Transaction())
        try store.addDelivered(1, at: Instant(milliseconds: 6000), toSink: "a", in: Transaction())
        var changed = PicketStore.StoredSink(try sink("a", path: "/tmp/y"), cursor: 0, alarmCursor: 0)
        changed.pausedAt = Instant(milliseconds: 7000)
        changed.pausedBy = .timeout(peer: "p", details: "d")
        try store.save(changed, in: Transaction())
        let stored = try #require(try store.sink(id: "a"))
        #expect(stored.sink == changed.sink)
        #expect(stored.cursor == 10 && stored.alarmCursor == 12)
        #expect(stored.delivered == 8 && stored.deliveredAt?.milliseconds == 6000)
        #expect(stored.pausedAt == changed.pausedAt && stored.pausedBy == changed.pausedBy)
        #expect(try store.sink(id: "b") == nil)
    }

    private func broker(_ id: String, url: String = "mqtt://u:one@h", topic: String = "p/{deviceId}") throws -> Sink {
        try Sink(json: ["kind": "mqtt", "url": .string(url), "stateTopic": .string(topic)], id: id)
    }

    @Test("Retained topics are wanted until the sink gets another place or is removed, and a topic of another sink stays")
    func retained() throws {
        let now = Instant(milliseconds: 5000)
        for id in ["a", "b"] { try store.save(PicketStore.StoredSink(broker(id), cursor: 0, alarmCursor: 0), in: Transaction()) }
        let place = try #require(try broker("a").retainedPlace)
        try store.addRetained(
            [.init("p/mia"), .init("p/tom"), .init("p/status"), .init("p/x/config")], at: place, ofSink: "a", at: now,
            in: Transaction())
        try store.addRetained([.init("p/tom")], at: place, ofSink: "b", at: now, in: Transaction())
        #expect(try store.unwantedPlaces().isEmpty)
        // Another password is the same place, and is used from then on.
        let renewed = try broker("a", url: "mqtt://u:two@h")
        try store.save(PicketStore.StoredSink(renewed, cursor: 0, alarmCursor: 0), in: Transaction())
        try store.setRetainedPlace(renewed.retainedPlace, ofSink: "a", at: now, in: Transaction())
        #expect(try store.unwantedPlaces().isEmpty)
        #expect(try store.retainedTopics(ofSink: "a", at: place).count == 4)
        // Some topics are no longer wanted.
        try store.addRetained([.init("p/mia")], at: place, ofSink: "a", areWanted: false, at: now, in: Transaction())
        let partly = try #require(try store.unwantedPlaces().first)
        #expect(partly.since == nil && partly.place.url == "mqtt://u:two@h")
        #expect(try store.unwantedTopics(of: partly, limit: 9).map(\.topic) == ["p/mia"])
        try store.addRetained([.init("p/mia")], at: place, ofSink: "a", at: now, in: Transaction())
        try store.removeUnwanted(["p/mia"], of: partly.key, in: Transaction())
        #expect(try store.retainedTopics(ofSink: "a", at: place).count == 4, "a topic that is wanted again stays")
        // The whole place is not wanted.
        let other = try broker("a", topic: "q/{deviceId}")
        try store.save(PicketStore.StoredSink(other, cursor: 0, alarmCursor: 0), in: Transaction())
        try store.setRetainedPlace(other.retainedPlace, ofSink: "a", at: now, in: Transaction())
        let whole = try #require(try store.unwantedPlaces().first)
        #expect(whole.key == partly.key && whole.since == now)
        let topics = try store.unwantedTopics(of: whole, limit: 9)
        #expect(topics.map(\.topic) == ["p/x/config", "p/mia", "p/tom", "p/status"])
        #expect(topics.map(\.isWantedByOther) == [false, false, true, false])
        try store.removeUnwanted(topics.map(\.topic), of: whole.key, in: Transaction())
        #expect(try store.unwantedPlaces().isEmpty)
        // A state that was on its way when the sink was removed.
        try store.removeSink(id: "b", in: Transaction())
        try store.setRetainedPlace(nil, ofSink: "b", at: now, in: Transaction())
        try store.addRetained([.init("p/late")], at: place, ofSink: "b", at: now, in: Transaction())
        let left = try #require(try store.unwantedPlaces().first)
        #expect(try store.unwantedTopics(of: left, limit: 9).map(\.topic) == ["p/late", "p/tom"])
        try store.forgetRetainedPlace(left.key, in: Transaction())
        #expect(try store.unwantedPlaces().isEmpty)
    }

    @Test("The retained topics of an erased device are unwanted, and those of others stay")
    func erasedDevice() throws {
        let now = Instant(milliseconds: 5000)
        for id in ["mia", "tom"] { _ = try store.saveDevice(Device(id: id), in: Transaction()) }
        let sink = try broker("a")
        let place = try #require(sink.retainedPlace)
        try store.save(PicketStore.StoredSink(sink, cursor: 0, alarmCursor: 0), in: Transaction())
        try store.addRetained(
            [.init("p/mia", device: "mia"), .init("p/tom", device: "tom"), .init("p/status")], at: place, ofSink: "a", at: now,
            in: Transaction())
        let mia = try #require(try store.device(id: "mia"))
        _ = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in try store.erase(mia, in: transaction)
        }
        #expect(try store.retainedTopics(ofSink: "a", at: place) == ["p/tom", "p/status"])
        let partly = try #require(try store.unwantedPlaces().first)
        #expect(partly.since == nil)
        #expect(try store.unwantedTopics(of: partly, limit: 9).map(\.topic) == ["p/mia"])
    }

    @Test("The filter periods of a sink are read in order of sequence")
    func filters() throws {
        try store.save(PicketStore.StoredSink(sink("a"), cursor: 0, alarmCursor: 0), in: Transaction())
        try store.save(.init(from: 20, filter: nil, timeZone: "UTC"), ofSink: "a", in: Transaction())
        try store.save(
            .init(from: 5, filter: SinkFilter(), timeZone: "Europe/Berlin", maxAge: 60), ofSink: "a", in: Transaction())
        try store.save(.init(from: 30, filter: SinkFilter(), timeZone: "UTC"), ofSink: "a", in: Transaction())
        func periods() throws -> [String] {
            try #require(try store.sink(id: "a")).filters.map { "\($0.from) \($0.filter == nil ? "none" : $0.timeZone)" }
        }
        #expect(try periods() == ["5 Europe/Berlin", "20 none", "30 UTC"])
        #expect(try store.sink(id: "a")?.filters.map(\.maxAge) == [60, .infinity, .infinity])
        try store.skipFilters(ofSink: "a", from: 20, in: Transaction())
        #expect(try periods() == ["5 Europe/Berlin"])
        #expect(try store.sink(id: "a")?.filters.map(\.maxAge) == [60])
    }

    @Test(
        "Rejected events are listed until they are removed, and marked when they are to be sent again",
        arguments: 1...20 as ClosedRange<UInt64>)
    func rejected(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for id in ["a", "b"] { try store.save(PicketStore.StoredSink(sink(id), cursor: 0, alarmCursor: 0), in: Transaction()) }
        // For each sink, its rejected events and whether each will be sent again.
        var expected: [String: [Int64: Bool]] = ["a": [:], "b": [:]]
        for _ in 0..<120 {
            let id = Bool.random(using: &random) ? "a" : "b"
            let number = Int64.random(in: 1...12, using: &random)
            let isOne = Int.random(in: 0..<5, using: &random) > 0
            var own = expected[id] ?? [:]
            let concerned = own.keys.filter { !isOne || $0 == number }
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                #expect(
                    try store.resendRejected(isOne ? number : nil, ofSink: id, in: Transaction()) == concerned.count,
                    "seed \(seed)")
                for key in concerned { own[key] = true }
            case 1:
                #expect(
                    try store.removeRejected(isOne ? number : nil, ofSink: id, in: Transaction()) == concerned.count,
                    "seed \(seed)")
                for key in concerned { own[key] = nil }
            default:
                let event = PicketStore.RejectedEvent(
                    sequence: number, rejectedAt: Instant(milliseconds: number), problem: .unknown(details: "\(number)"))
                try store.reject(event, ofSink: id, in: Transaction())
                own[number] = false
            }
            expected[id] = own
            for onlyResent in [false, true] {
                let wanted = own.filter { $0.value || !onlyResent }.keys.sorted()
                var paged: [PicketStore.RejectedEvent] = []
                while case let page = try store.rejectedEvents(
                    ofSink: id, onlyResent: onlyResent, after: paged.last?.sequence ?? 0, limit: 3), !page.isEmpty
                {
                    paged += page
                }
                #expect(paged.map(\.sequence) == wanted, "seed \(seed)")
                #expect(paged.allSatisfy { $0.problem == .unknown(details: "\($0.sequence)") }, "seed \(seed)")
            }
            #expect(try store.isRejected(number, ofSink: id) == (own[number] != nil), "seed \(seed)")
            #expect(try store.sinks().map(\.rejected) == ["a", "b"].map { expected[$0]?.count ?? 0 }, "seed \(seed)")
        }
        try store.removeSink(id: "a", in: Transaction())
        #expect(try store.sinks().map(\.sink.id) == ["b"])
        #expect(try store.rejectedEvents(ofSink: "a", after: 0, limit: 100).isEmpty)
    }
}
