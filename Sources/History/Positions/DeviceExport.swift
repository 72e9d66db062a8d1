import Core
import Foundation
import Model
import Places
import Presence
import Reconciler
import SQLite
import Service
import SimulatedOS
import Store

extension Queries {
    /// Exports all data of a device. Each line is an object with one member, whose name says what it is: the device, its
    /// state, the geofences that it is inside of, the rules about only this device, positions, the times at which removed positions were
    /// recorded, events, visits, other messages, refused input, registrations with their journal, repairs, health, and tokens. The last
    /// line is `summary`, with the number of lines of each kind.
    ///
    /// The state, the positions, the events and the visits are those of the moment at which the export begins, without those that are
    /// removed before they are read. Everything else is as of when it is read. No transaction is open while `line` runs.
    ///
    /// For a removed device, its events and visits are exported.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown, and the errors of `line`.
    package func exportDevice(id: String, _ line: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        var filter = EventFilter(deviceId: id)
        var first: [(ExportedKind, JSONValue)] = []
        var visits: [Visit] = []
        let (device, fixes) = try store.snapshot { () throws(Problem) in
            guard let (stored, isRemoved) = try store.knownDevice(id: id) else { throw try noDevice(id) }
            let members = isRemoved ? .object((stored.device.json.members ?? []) + [.init("removed", true)]) : stored.device.json
            first.append((.device, members))
            for whereabouts in try store.statuses(deviceId: id, counting: true, at: clock.now()) {
                first.append((.state, whereabouts.json))
            }
            for rule in try store.presenceRules().map(\.rule) where rule.subject == .device(id) {
                first.append((.rule, rule.json))
            }
            try store.forEachVisit(filter, at: clock.now()) { visits.append($0) }
            filter.upTo = try store.newestSequence()
            return (stored.key, try store.fixNumbers(of: stored.key))
        }
        var counts: [(ExportedKind, Int)] = []
        func emit(_ kind: ExportedKind, _ value: JSONValue) throws(Problem) {
            if let index = counts.firstIndex(where: { $0.0 == kind }) {
                counts[index].1 += 1
            } else {
                counts.append((kind, 1))
            }
            try line([kind.rawValue: value])
        }
        for (kind, value) in first { try emit(kind, value) }
        try store.forEachFix(fixes) { fix, attributes throws(Problem) in
            try emit(.fix, fix.fix.json(isLate: fix.isLate, isValid: fix.isValid, attributes: attributes))
        }
        try store.forEachSeenSpan(of: device) { span throws(Problem) in try emit(.seen, span.json) }
        try store.forEachEvent(filter) { event throws(Problem) in try emit(.event, event.json) }
        for visit in visits { try emit(.visit, visit.json) }
        try store.forEachEvidence(of: device) { at, receivedAt, body throws(Problem) in
            try emit(.evidence, ["at": JSONValue(at), "receivedAt": JSONValue(receivedAt), "body": body])
        }
        for refused in try refusedInput(of: id) { try emit(.refusedInput, refused.json) }
        let journal = try store.journal(of: device)
        if !journal.entries.isEmpty { try emit(.journal, journal.json) }
        try store.forEachRepair(of: device) { record throws(Problem) in
            try emit(.repair, record.report(in: .english))
        }
        for health in try store.healthHistory(of: device) {
            try emit(
                .health,
                [
                    "at": JSONValue(health.at), "isHealthy": health.isHealthy.map { .bool($0) } ?? .null,
                    "summary": .string(health.summary.description),
                ])
        }
        if try directory.hasRegistryFile(), let phone = try RegistryFile.phone(of: id, path: directory.registryFilePath) {
            try emit(.phone, phone)
        }
        for token in try tokens(revoked: true) where token.scope?.devices.contains(id) ?? false {
            try emit(
                .token,
                .compact([
                    ("name", .string(token.name)), ("role", .string(token.role.rawValue)), ("madeAt", JSONValue(token.createdAt)),
                    ("expiresAt", token.expiresAt.map { JSONValue($0) }),
                ]))
        }
        try line(["summary": .object(counts.map { .init($0.0.rawValue, JSONValue($0.1)) })])
    }

    /// Exports a device to an unnamed file in the data directory, or in the folder for temporary files if the directory cannot be written. It
    /// disappears when it is closed.
    func exportDevice(id: String) throws(Problem) -> TemporaryFile {
        _ = try device(id: id)
        let folder = access(directory.path, W_OK) == 0 ? directory.path + "/" : NSTemporaryDirectory()
        let path = folder + "download.ndjson"
        let partial = try PartialFile.create(for: path)
        var buffer: [UInt8] = []
        try exportDevice(id: id) { line throws(Problem) in
            buffer += (line.description + "\n").utf8
            if buffer.count > 1 << 16 { try partial.append(&buffer, of: path) }
        }
        try partial.append(&buffer, of: path)
        return TemporaryFile(partial)
    }
}
