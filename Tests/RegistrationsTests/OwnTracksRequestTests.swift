import Foundation
import Geodesy
import Ingest
import Model
import Reconciler
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Registrations
@testable import Service

/// A phone in HTTP mode. The answers to its messages may contain commands, and the messages with which the app reacts are answered in the
/// same way.
private final class RequestingPhone: Sendable {
    let app: OwnTracksApp
    private let access: LocalService
    private let phones: OwnTracksPhones

    init(_ app: OwnTracksApp, _ access: LocalService, _ phones: OwnTracksPhones) {
        self.app = app
        self.access = access
        self.phones = phones
    }

    /// Sends a message, and all messages that result from its answer.
    func send(_ json: String) async throws {
        let sender = OwnTracksSender(user: "jane", device: "phone")
        let result = try await access.perform { service throws(Problem) in
            var batch = FixBatch()
            let messages = Array(json.utf8).withUnsafeBufferPointer { batch.addOwnTracks($0, of: sender, field: "body") }
            return try service.accept(batch, messages)
        }
        let isList = result.listedDevices.contains("jane/phone")
        phones.messageStored(of: "jane/phone", via: .request, isList: isList)
        let commands = await withCheckedContinuation { continuation in
            phones.respond(to: "jane/phone", isList: isList) { continuation.resume(returning: $0) }
        }
        for answer in app.receiveCommands(commands) { try await send(answer.json.description) }
        // Nothing here suspends, but the repair's task has to run.
        await Task.yield()
    }

    static let location = #"{"_type":"location","lat":52.5,"lon":13.4,"acc":5,"tst":1795176000}"#
}

@Suite("Repair through OwnTracks over HTTP", .timeLimit(.minutes(60)))
struct OwnTracksRequestTests {
    private let directory: TemporaryDirectory
    private let access: LocalService
    private let clock = TestClock()

    init() throws {
        directory = try TemporaryDirectory()
        access = try LocalService(DataDirectory(path: directory.path + "/data"), purpose: "test")
    }

    private func setUp(_ platform: Device.Platform) async throws -> Device {
        let device = Device(id: "jane/phone", platform: platform, registry: .owntracks)
        try await access.perform { service throws(Problem) in
            try service.save(device)
            for number in 0..<3 {
                let circle = Circle(center: Coordinate(latitude: 52 + Double(number), longitude: 13), radius: 200)
                try service.apply([.save(Geofence(id: "f\(number)", name: "Fence \(number)", shape: .circle(circle)))])
            }
        }
        return device
    }

    private func health(_ device: Device) async throws -> String {
        try await access.perform { service throws(Problem) in try service.health(of: device).status.statusSummary }
    }

    @Test("The answers to the phone's requests carry the commands of a repair", arguments: Device.Platform.allCases)
    func answers(_ platform: Device.Platform) async throws {
        let device = try await setUp(platform)
        let phones = OwnTracksPhones(patience: 600)
        let phone = RequestingPhone(OwnTracksApp(platform), access, phones)
        let repairCoordinator = RepairCoordinator(access, phones: phones)
        let repair = Task { try await repairCoordinator.repair(device) }
        while phone.app.names.count < 3 { try await phone.send(RequestingPhone.location) }
        let report = try await repair.value
        #expect(report.isComplete && report.callCount == 3, "\(report.json())")
        // A removed geofence is removed from the phone in the same way.
        try await access.perform { service throws(Problem) in _ = try service.apply([.remove(id: "f1")]) }
        let second = Task { try await repairCoordinator.repair(device) }
        while phone.app.names.count != 2 { try await phone.send(RequestingPhone.location) }
        #expect(try await second.value.isComplete)
        #expect(Set(phone.app.names) == ["Fence 0", "Fence 2"])
        #expect(try await health(device) == "Healthy")
    }

    @Test("A repair continues automatically when a phone that rarely sends comes back", arguments: Device.Platform.allCases)
    func pending(_ platform: Device.Platform) async throws {
        let device = try await setUp(platform)
        // The first repair waits for a short time, without an answer.
        let phones = OwnTracksPhones(patience: 0.1)
        let phone = RequestingPhone(OwnTracksApp(platform), access, phones)
        let repairCoordinator = RepairCoordinator(access, phones: phones)
        phones.use { id in Task { try await repairCoordinator.resume(id) } }
        try await phone.send(RequestingPhone.location)
        #expect(try await repairCoordinator.repair(device).after.isHealthy == nil)
        #expect(phone.app.commands.isEmpty)
        phones.patience = 600

        // The first request brings the command for the list, its answer the list, and the answer to that the changes. If the machine is too
        // slow, the changes come with the next request.
        while phone.app.names.count < 3 { try await phone.send(RequestingPhone.location) }
        #expect(Set(phone.app.names) == ["Fence 0", "Fence 1", "Fence 2"])
        #expect(try await health(device) == "Healthy")
        #expect(phone.app.commands.prefix(2).compactMap { $0["action"]?.string } == ["waypoints", "setWaypoints"])
    }

    @Test("A command without a running service cannot repair, and says so")
    func withoutService() async throws {
        let device = try await setUp(.ios)
        await #expect {
            try await RepairCoordinator(access).repair(device)
        } throws: { error in
            (error as? Problem)?.code == "registryUnavailable"
                && (error as? Problem)?.details(in: .english)?.contains("picket serve") == true
        }
    }
}
