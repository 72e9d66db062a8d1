import Model
import Reconciler
import Registry
import Testing

@testable import Operations

@Suite("Findings of the doctor")
struct DoctorFindingTests {
    private static let moment = Instant("2026-11-20T12:00:00Z")!

    /// A finding of each kind.
    static let samples: [DoctorFinding] =
        [
            .problem(.storeFull(path: "/data"), .store, source: nil), .autoRepairNever(devices: 2),
            .brokerWithoutTLS(broker: "broker.example:1883"), .plainHTTPBesideProxy(address: "http://0.0.0.0:7575"),
            .certificateExpires(at: moment, days: 3), .certificateForOthers(host: "picket.example"),
            .clockBehindStore(newest: moment, seconds: 90), .clockNotSynchronized,
            .littleRoom(free: 70_000_000, perDay: 3_000_000),
            .notWritable(path: "/data", reason: "Read-only file system"), .foreignOwner(files: ["a"]),
            .openToOthers(files: ["a", "b"]),
            .noStore(path: "/data"), .notLookedThrough(bytes: 2_000_000_000), .withoutChecksums,
            .leftOvers(files: ["a", "b", "c", "d", "e", "f"]), .oldCopies(files: ["a"], bytes: 5_000_000),
            .copiesBeforeErasure(files: ["a"]), .noBackup,
            .oldBackup(file: "a.backup", days: 9), .lateBackup(folder: "/nas", newest: moment, interval: 86_400), .notRunning,
            .notAnswering(process: 7),
            .otherVersion(service: "0.1", program: "0.2"), .neverReported(device: "anna"),
            .refusedInput(device: "anna", field: "lat", reason: .missing, count: 3, lastAt: moment),
            .clockAhead(device: "anna", seconds: 300), .silent(device: "anna", since: moment),
            .neverMet(geofence: "home", name: "Home"), .monitoringMode(device: "anna", .manual),
        ]
        + [.locationOff, .authorization(.denied), .imprecise, .noBackgroundRefresh, .batteryOptimized].flatMap { cause in
            Device.Platform.allCases.map { DoctorFinding.phoneSetting(device: "anna", platform: $0, cause) }
        }

    @Test("The message of a finding ends with a period in every language", arguments: samples)
    func texts(_ finding: DoctorFinding) {
        for language in Language.allCases {
            let (message, advice) = (finding.message(in: .utc).text(in: language), finding.advice(nil).text(in: language))
            #expect(!advice.isEmpty && message.hasSuffix("."), "\(message) \(advice)")
        }
    }

    @Test("Codes are unique, and the document lists the most serious findings first and counts them")
    func document() throws {
        let kinds = Self.samples.prefix(30)
        #expect(Set(kinds.map(\.code)).count == kinds.count)
        var diagnosis = Diagnosis(version: "1", at: Self.moment)
        diagnosis.add([.noBackup, .silent(device: "anna", since: Self.moment)], in: AnswerLocale())
        diagnosis.add(
            [.notAnswering(process: 7), .problem(.storeFull(path: "/"), .store, source: nil)], in: AnswerLocale())
        #expect(diagnosis.findings.compactMap { $0["code"]?.string } == ["storeFull", "notAnswering", "silent", "noBackup"])
        #expect(diagnosis.json["errors"]?.double == 2 && diagnosis.json["warnings"]?.double == 1)
        let read = try Diagnosis.shape.decode(diagnosis.json)
        #expect(read.json == diagnosis.json && read.version == "1")
    }

    @Test("A device cannot insert its own command into the advice")
    func quoting() {
        let advice = DoctorFinding.neverReported(device: "a'; rm -rf ~; '").advice(nil)
        #expect(advice.description == #"Set up its app: picket device enroll 'a'\''; rm -rf ~; '\'''"#)
    }
}
