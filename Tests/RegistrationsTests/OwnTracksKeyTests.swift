import Foundation
import Ingest
import Model
import ServiceTestSupport
import Store
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Registrations

@Suite("Encrypted messages of OwnTracks")
struct OwnTracksKeyTests {
    // Encrypted with the key "s3cr3t"; see `SecretBoxTests`.
    static let location =
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX1lFx8RBLgJ1zh0+uo7oPGoeYDKsnpNqNrHoBXiT16R+tcxqLA8IEQ6Qmbq9Da8UdVThCAUwZsrn6Mhdj247jiQAO3jsV"
        + "WThIrOVwW9XD+1WhOmEAERAlQjtbvjZlyWOKTCk+"
    static let transition =
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXbNun0sQrHlEQKn3F+9lBZ4eYDKsnpNqNrHoZQyb67h+2dFfJA4JHUvB5NelPZNZOCGAFHwFbsueuclpy1pucyk8Kn3QV"
        + "F3MQrKsyGMDO/FCvOmcCBAR0EXRb5mc9nzWSQDwgEOw="
    static let nested =
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXQRNarw66RIDvV/GZXjIsvIeYDKsnpNqNrHoIXyTm5Aa2eFyFDYwBVvJ9eadPD6FhIjYd"
    static let noJSON = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX6SwjpwrEL/SuVdCRGVRhj5LVc5UNm/E="

    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.service.save(Device(id: "jane/phone"))
        // Refused input is only counted when its sender is not notified, as in a running service.
        bench.service.isServing = true
    }

    /// Sends an encrypted message, like a request of the device.
    private func send(_ data: String, of device: String = "jane/phone") throws -> IntakeResult {
        let parts = device.split(separator: "/").map(String.init)
        var batch = FixBatch()
        let body = Array(#"{"_type":"encrypted","data":"\#(data)"}"#.utf8)
        let sender = OwnTracksSender(user: parts[0], device: parts.count > 1 ? parts[1] : nil)
        guard
            case .understood(let messages) = body.withUnsafeBufferPointer({ OwnTracks.decode($0, sender: sender, into: &batch) })
        else { return IntakeResult() }
        return try bench.service.accept(batch, messages)
    }

    private func evidence() throws -> [JSONValue] {
        var found: [JSONValue] = []
        let stored = try #require(try bench.service.store.device(id: "jane/phone"))
        try bench.service.store.forEachEvidence(of: stored.key) { _, _, body in found.append(body) }
        return found
    }

    @Test("The device's key decrypts a location into a position and a transition into evidence")
    func read() throws {
        try bench.service.setOwnTracksKey("s3cr3t", ofDevice: "jane/phone")
        let result = try send(Self.location)
        #expect(result.counts.accepted == 1 && result.refusals.isEmpty)
        let fix = try #require(try bench.service.deviceStatus(of: "jane/phone").newest)
        #expect(fix.coordinate.latitude == 52.5163 && fix.battery == 0.67)
        #expect(fix.time == Instant("2026-05-01T10:00:00Z"))
        #expect(try send(Self.transition).refusals.isEmpty)
        #expect(try evidence().map { $0["_type"]?.string } == ["transition"])
        #expect(try send(Self.location).counts.duplicates == 1)
    }

    @Test("Without the right key, a message is refused as encrypted", arguments: [nil, "wrong", "s3cr3t "])
    func refused(_ key: String?) throws {
        try bench.service.setOwnTracksKey(key, ofDevice: "jane/phone")
        let result = try send(Self.location)
        #expect(result.counts.accepted == 0)
        #expect(result.refusals.map(\.kind) == [.encrypted])
        #expect(result.refusals.map(\.device) == ["jane/phone"])
        #expect(try bench.service.refusedInput(of: "jane/phone").map(\.kind) == [.encrypted])
        // A message that cannot be decrypted is still a sign of life.
        #expect(try bench.service.deviceStatus(of: "jane/phone").newest == nil)
    }

    @Test(
        "A decrypted text that is not a message, or encrypted again, is refused", arguments: [noJSON, nested, "", "%%%", "QUJD"])
    func unreadable(_ data: String) throws {
        try bench.service.setOwnTracksKey("s3cr3t", ofDevice: "jane/phone")
        let result = try send(data)
        #expect(result.counts.accepted == 0 && result.refusals.map(\.kind) == [.encrypted], "\(result.refusals)")
    }

    @Test("A key opens only the messages of its device")
    func otherDevice() throws {
        try bench.service.save(Device(id: "ben/phone"))
        try bench.service.setOwnTracksKey("s3cr3t", ofDevice: "jane/phone")
        #expect(try send(Self.location, of: "ben/phone").refusals.map(\.kind) == [.encrypted])
        #expect(try send(Self.location, of: "nobody/phone").refusals.map(\.kind) == [.encrypted])
        #expect(try bench.service.deviceStatus(of: "ben/phone").newest == nil)
    }

    @Test("A key needs 1 to 32 bytes and a known device", arguments: ["", String(repeating: "x", count: 33)])
    func badKey(_ key: String) throws {
        do throws(Problem) {
            try bench.service.setOwnTracksKey(key, ofDevice: "jane/phone")
            Issue.record("it was taken")
        } catch {
            guard case .validationFailed("key", "", _, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(throws: Problem.self) { try bench.service.setOwnTracksKey("k", ofDevice: "nobody") }
        #expect(try !bench.service.hasOwnTracksKey(device: "jane/phone"))
    }

    @Test("A key is deleted with its device, on removal and on erasure", arguments: [false, true])
    func forgotten(_ isErased: Bool) throws {
        try bench.service.setOwnTracksKey("s3cr3t-of-jane", ofDevice: "jane/phone")
        #expect(try bench.service.hasOwnTracksKey(device: "jane/phone"))
        if isErased {
            _ = try bench.service.eraseDevice(id: "jane/phone")
            let file = try Data(contentsOf: URL(filePath: bench.data.storePath))
            #expect(file.range(of: Data("s3cr3t-of-jane".utf8)) == nil)
        } else {
            try bench.service.removeDevice(id: "jane/phone")
        }
        try bench.service.save(Device(id: "jane/phone"))
        #expect(try !bench.service.hasOwnTracksKey(device: "jane/phone"))
    }

    @Test("An export contains no key")
    func export() throws {
        try bench.service.setOwnTracksKey("s3cr3t-of-jane", ofDevice: "jane/phone")
        _ = try send(Self.location)
        var lines: [String] = []
        try bench.service.exportDevice(id: "jane/phone") { line in lines.append(line.description) }
        #expect(!lines.isEmpty && !lines.joined().contains("s3cr3t"))
    }
}
