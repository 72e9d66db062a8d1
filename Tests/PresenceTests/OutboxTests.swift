import Delivery
import Geodesy
import Model
import Presence
import TestSupport
import Testing

@testable import Store

@Suite("Outbox")
struct OutboxTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private func transition(_ type: EventType, at time: Int64) -> Transition {
        let moment = Instant(milliseconds: time)
        return Transition(
            type: type, fence: nil, occurredAt: moment, confirmedAt: moment, cause: .moved,
            fix: Fix(time: moment, coordinate: Coordinate(latitude: 1, longitude: 2)))
    }

    @Test("An event has the quiet hours that its device had then")
    func quietHours() throws {
        var device = Device(id: "a")
        let key = try store.saveDevice(device, in: Transaction())
        let texts = [[], ["22:00-06:00"], ["sat,sun 00:00-24:00", "22:00-06:00"], []]
        for (index, windows) in texts.enumerated() {
            device.own.quietHours = try windows.map { try WeeklyWindow($0, field: "quietHours") }
            _ = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.saveDevice(device, in: transaction)
            }
            _ = try store.append(
                transition(.enter, at: 1000 * Int64(index)), sequence: Int64(index + 1), device: key, deviceId: "a",
                geofence: nil, revision: 0, recordedAt: Instant(milliseconds: 1), in: Transaction())
        }
        let sent = try store.outbox(.events, after: 0, upTo: 4, limit: 10)
        #expect(sent.map { $0.quietHours.map(\.text) } == texts)
    }

    @Test(
        "Events and alarms are read in order, each with the groups that its device had then",
        arguments: 1...20 as ClosedRange<UInt64>)
    func lanes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var devices = ["a", "b"].map { Device(id: $0) }
        var keys: [DeviceKey] = []
        for device in devices { keys.append(try store.saveDevice(device, in: Transaction())) }
        var expected: [(sequence: Int64, isAlarm: Bool, device: String, groups: [String])] = []
        for _ in 0..<80 {
            let index = Int.random(in: 0..<2, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                devices[index].groups = ["north", "south"].filter { _ in Bool.random(using: &random) }
                _ = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try store.saveDevice(devices[index], in: transaction)
                }
                continue
            }
            let type = try #require([EventType.enter, .exit, .silent, .alarm].randomElement(using: &random))
            let sequence = Int64(expected.count + 1)
            let event = try store.append(
                transition(type, at: Int64.random(in: 0...20, using: &random) * 1000), sequence: sequence, device: keys[index],
                deviceId: devices[index].id, geofence: nil, revision: 0, recordedAt: Instant(milliseconds: 1), in: Transaction())
            #expect(event.sequence == sequence)
            expected.append((sequence, type == .alarm, devices[index].id, devices[index].groups))
        }
        #expect(try store.newestSequence() == Int64(expected.count))
        for lane in [PicketStore.OutboxSelection.events, .alarms] {
            let isAlarm = if case .alarms = lane { true } else { false }
            let newest = Int64.random(in: 0...Int64(expected.count), using: &random)
            let wanted = expected.filter { $0.isAlarm == isAlarm && $0.sequence <= newest }
            var paged: [OutboxEvent] = []
            while case let page = try store.outbox(lane, after: paged.last?.event.sequence ?? 0, upTo: newest, limit: 7),
                !page.isEmpty
            {
                paged += page
            }
            #expect(paged.map(\.event.sequence) == wanted.map(\.sequence), "seed \(seed)")
            #expect(paged.map(\.event.deviceId) == wanted.map(\.device), "seed \(seed)")
            #expect(paged.map(\.deviceGroups) == wanted.map(\.groups), "seed \(seed)")
        }
    }

    @Test("A retraction has the retracted event")
    func retraction() throws {
        let device = try store.saveDevice(Device(id: "a", name: "Anna"), in: Transaction())
        func append(_ type: EventType, _ sequence: Int64, retracts: String? = nil) throws -> Event {
            try store.append(
                transition(type, at: 5000), sequence: sequence, device: device, deviceId: "a", geofence: nil, revision: 0,
                recordedAt: Instant(milliseconds: 9000), retracts: retracts, in: Transaction())
        }
        let first = try append(.enter, 1)
        #expect(try !store.isRetracted(first.id))
        _ = try append(.retracted, 2, retracts: first.id)
        #expect(try store.isRetracted(first.id))
        let sent = try #require(try store.outboxEvent(2))
        #expect(sent.original == first && sent.deviceName == "Anna")
        #expect(try store.sequence(ofEvent: first.id, at: first.occurredAt) == 1)
        #expect(try store.outboxEvent(3) == nil)
    }

    @Test("A retraction is replaced by the same event of the same correction, and by no other")
    func replacement() throws {
        let devices = try ["a", "b"].map { try store.saveDevice(Device(id: $0), in: Transaction()) }
        var sequence: Int64 = 0
        func append(
            _ type: EventType, _ time: Int64 = 5000, recorded: Int64, device: Int = 0, retracts: String? = nil
        ) throws -> Event {
            sequence += 1
            return try store.append(
                transition(type, at: time), sequence: sequence, device: devices[device], deviceId: ["a", "b"][device],
                geofence: nil, revision: 0, recordedAt: Instant(milliseconds: recorded), retracts: retracts, in: Transaction())
        }
        let first = try append(.exit, recorded: 9000)
        let enter = try append(.enter, recorded: 9000)
        let other = try append(.exit, recorded: 9000, device: 1)
        _ = try append(.retracted, recorded: 10_000, retracts: first.id)
        _ = try append(.retracted, recorded: 10_000, retracts: enter.id)
        _ = try append(.retracted, recorded: 10_000, device: 1, retracts: other.id)
        let second = try append(.exit, recorded: 10_000)
        _ = try append(.enter, 6000, recorded: 10_000)
        // The next correction retracts it; the one after that records it again.
        _ = try append(.retracted, recorded: 10_000, retracts: second.id)
        _ = try append(.exit, recorded: 11_000)
        let sent = try store.outbox(.events, after: 0, upTo: sequence, limit: 100)
        #expect(sent.filter(\.isReplaced).map(\.event.sequence) == [4])
        #expect(try store.outboxEvent(4)?.isReplaced == true)
        // The versions are read whether or not they are in the indexes yet.
        for _ in 0..<2 {
            let versions = try store.versions(of: sent[9])
            let news = try (1...sequence).filter {
                try versions.areNews(at: $0, admits: { _ in true }, isRejected: { _ in false })
            }
            #expect(news == [1, 9, 10])
            try store.transaction { (transaction: borrowing Transaction) throws(Problem) in try store.indexEvents(in: transaction)
            }
        }
    }

    @Test("Positions are read in order of arrival")
    func positions() throws {
        let keys = [
            try store.saveDevice(Device(id: "a", groups: ["north"]), in: Transaction()),
            try store.saveDevice(Device(id: "b"), in: Transaction()),
        ]
        #expect(try store.newestFixNumber() == 0)
        var numbers: [Int64] = []
        for time in [5, 4, 8, 1] as [Int64] {
            let fix = Fix(time: Instant(milliseconds: time * 1000), coordinate: Coordinate(latitude: 1, longitude: Double(time)))
            let key = keys[Int(time) % 2]
            numbers.append(
                try store.append(fix, of: key, revision: 0, evaluation: .onReceipt, attributes: nil, in: Transaction()))
        }
        #expect(try store.newestFixNumber() == numbers.last)
        let first = try store.outboxPositions(after: 0, limit: 3)
        let rest = try store.outboxPositions(after: first.last?.number ?? 0, limit: 3)
        #expect((first + rest).map(\.number) == numbers)
        #expect((first + rest).map(\.fix.coordinate.longitude) == [5, 4, 8, 1])
        #expect(rest.map(\.deviceId) == ["b"] && rest.map(\.deviceGroups) == [[]])
    }
}
