import Core
import Model
import Reconciler

/// One thing that a diagnosis finds; see `Doctor`.
package enum DoctorFinding: Hashable, Sendable {
    /// What a finding is about, in the order in which findings of the same severity are listed.
    package enum Area: String, CaseIterable, Sendable {
        case settings, certificate, service, store, clock, disk, problems, devices, phones, geofences
    }

    /// A problem that Picket also reports elsewhere. `source` is its source in the problem journal; nil for a problem that was
    /// found just now.
    case problem(Problem, Area, source: String?)

    // Settings
    /// The registrations of this many devices should be repaired automatically, but the service never does it.
    case autoRepairNever(devices: Int)
    /// The password for the broker is sent over the network without TLS.
    case brokerWithoutTLS(broker: String)
    /// Others speak HTTPS with a proxy, but can also reach the service without TLS at this address.
    case plainHTTPBesideProxy(address: String)

    // Certificate
    case certificateExpires(at: Instant, days: Int)
    /// The certificate does not name the host by which others reach the service.
    case certificateForOthers(host: String)

    // Clock
    /// The store contains a time that is later than the clock by these seconds.
    case clockBehindStore(newest: Instant, seconds: Double)
    case clockNotSynchronized

    // Disk
    /// The free bytes, and by how many bytes the store grows a day.
    case littleRoom(free: Int, perDay: Int)
    case notWritable(path: String, reason: String)
    /// Files whose owner is not that of the directory, so that the service cannot write them.
    case foreignOwner(files: [String])
    /// Files that other users of the machine can read or write.
    case openToOthers(files: [String])

    // Store
    case noStore(path: String)
    /// The file is too large to be searched.
    case notLookedThrough(bytes: Int)
    /// Damage to the store may not be noticed, because its pages have no checksums.
    case withoutChecksums
    /// Incomplete files of killed processes.
    case leftOvers(files: [String])
    /// Copies of the store from before restores and updates that are a month old or older.
    case oldCopies(files: [String], bytes: Int)
    /// Copies and backups in the data directory from before the last erasure of a device.
    case copiesBeforeErasure(files: [String])
    case noBackup
    case oldBackup(file: String, days: Int)
    /// The newest scheduled backup is older than twice the interval in seconds; nil if there is none.
    case lateBackup(folder: String, newest: Instant?, interval: Double)

    // Service
    case notRunning
    case notAnswering(process: Int)
    case otherVersion(service: String, program: String)

    // Devices
    case neverReported(device: String)
    case refusedInput(device: String, field: String, reason: Phrase, count: Int, lastAt: Instant)
    /// The newest position is later than the clock by these seconds.
    case clockAhead(device: String, seconds: Double)
    case silent(device: String, since: Instant)

    // Geofences
    case neverMet(geofence: String, name: String)

    // Phones
    /// A setting of the phone delays or prevents reports.
    case phoneSetting(device: String, platform: Device.Platform, Finding.Cause)
    /// The OwnTracks app sends positions only when the person asks for it, or none.
    case monitoringMode(device: String, OwnTracksMode)
}

extension DoctorFinding {
    var area: Area {
        switch self {
        case .problem(_, let area, _): area
        case .autoRepairNever, .brokerWithoutTLS, .plainHTTPBesideProxy: .settings
        case .certificateExpires, .certificateForOthers: .certificate
        case .clockBehindStore, .clockNotSynchronized: .clock
        case .littleRoom, .notWritable, .foreignOwner, .openToOthers: .disk
        case .noStore, .notLookedThrough, .withoutChecksums, .leftOvers, .oldCopies, .copiesBeforeErasure, .noBackup, .oldBackup,
            .lateBackup:
            .store
        case .notRunning, .notAnswering, .otherVersion: .service
        case .neverReported, .refusedInput, .clockAhead, .silent: .devices
        case .neverMet: .geofences
        case .phoneSetting, .monitoringMode: .phones
        }
    }

    /// A stable identifier, the same in every language.
    package var code: String {
        switch self {
        case .problem(let problem, _, _): problem.code
        case .autoRepairNever: "autoRepairNever"
        case .brokerWithoutTLS: "brokerWithoutTLS"
        case .plainHTTPBesideProxy: "plainHTTPBesideProxy"
        case .certificateExpires: "certificateExpires"
        case .certificateForOthers: "certificateForOthers"
        case .clockBehindStore: "clockBehindStore"
        case .clockNotSynchronized: "clockNotSynchronized"
        case .littleRoom: "littleRoom"
        case .notWritable: "notWritable"
        case .foreignOwner: "foreignOwner"
        case .openToOthers: "openToOthers"
        case .noStore: "noStore"
        case .notLookedThrough: "notLookedThrough"
        case .withoutChecksums: "withoutChecksums"
        case .leftOvers: "leftOvers"
        case .oldCopies: "oldCopies"
        case .copiesBeforeErasure: "copiesBeforeErasure"
        case .noBackup: "noBackup"
        case .oldBackup: "oldBackup"
        case .lateBackup: "lateBackup"
        case .notRunning: "notRunning"
        case .notAnswering: "notAnswering"
        case .otherVersion: "otherVersion"
        case .neverReported: "neverReported"
        case .refusedInput: "refusedInput"
        case .clockAhead: "clockAhead"
        case .silent: "silent"
        case .neverMet: "neverMet"
        case .phoneSetting: "phoneSetting"
        case .monitoringMode: "monitoringMode"
        }
    }

    var severity: Problem.Severity {
        switch self {
        case .problem(let problem, _, _): problem.severity
        case .littleRoom(let free, let perDay): free < Doctor.minFreeSpace || free < perDay ? .error : .warning
        case .certificateExpires(_, let days): days < 7 ? .error : .warning
        case .certificateForOthers, .clockBehindStore, .notWritable, .foreignOwner, .notAnswering: .error
        case .phoneSetting(_, _, let cause): cause.isBlocking ? .error : .warning
        case .autoRepairNever, .brokerWithoutTLS, .clockNotSynchronized, .openToOthers, .oldBackup, .lateBackup, .otherVersion,
            .neverReported,
            .refusedInput, .clockAhead, .silent, .neverMet, .monitoringMode, .leftOvers, .copiesBeforeErasure:
            .warning
        case .plainHTTPBesideProxy, .noStore, .notLookedThrough, .withoutChecksums, .oldCopies, .noBackup, .notRunning: .info
        }
    }

    /// The id of the device that the finding is about; nil for none.
    var deviceId: String? {
        switch self {
        case .neverReported(let device), .refusedInput(let device, _, _, _, _), .clockAhead(let device, _),
            .silent(let device, _),
            .phoneSetting(let device, _, _), .monitoringMode(let device, _):
            device.isEmpty ? nil : device
        case .problem(_, _, let source?): ProblemSource(source).deviceID
        default: nil
        }
    }

    /// The id of the geofence that the finding is about; nil for none.
    private var geofenceId: String? { if case .neverMet(let id, _) = self { id } else { nil } }

    private var problem: Problem? { if case .problem(let problem, _, _) = self { problem } else { nil } }
    private var source: String? { if case .problem(_, _, let source) = self { source } else { nil } }
}

extension DoctorFinding: JSONWritable {
    package static let output = JSONOutput<DoctorFinding>(
        "DoctorFinding", summary: "Something that is wrong with the installation, or a remark",
        .init("area", kind: .word, summary: "What it is about", content: \.area),
        .init("code", kind: .text, summary: "The kind of the finding, the same in every language", content: \.code),
        .init("severity", kind: .word, summary: "How serious it is; info: a remark", content: \.severity),
        .init("deviceId", optional: .text, summary: "The id of the device that it is about", content: \.deviceId),
        .init("geofenceId", optional: .text, summary: "The id of the geofence that it is about", content: \.geofenceId),
        .init("source", optional: .text, summary: "The source of an open problem", content: \.source),
        .init("message", kind: .text, summary: "What is wrong, for people") { $0.message(in: $1.zone).text(in: $1.language) },
        .init("advice", kind: .text, summary: "What to do about it, for people") {
            $0.advice($1.contact).text(in: $1.language)
        },
        .init("problem", optional: .object, content: \.problem))
}

extension Finding.Cause {
    /// Whether nothing is reported at all until a person acts.
    fileprivate var isBlocking: Bool {
        switch self {
        case .locationOff, .authorization: true
        default: false
        }
    }
}
