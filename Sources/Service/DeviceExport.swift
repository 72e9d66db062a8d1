import DatabaseProblems
import Foundation
import Model
import Reconciler
import SQLite
import SimulatedOS
import Store

extension Queries {
    /// Exports all data of a device as of one moment. Each line is an object with one member, whose name says what it is: the device, its
    /// state, the geofences that it is inside of, the rules about only this device, positions, the times at which removed positions were
    /// recorded, events, visits, other messages, refused input, registrations with their journal, repairs, health, and tokens. The last
    /// line is `summary`, with the number of lines of each kind.
    ///
    /// For a removed device, its events and visits are exported.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown, and the errors of `line`.
    package func exportDevice(id: String, _ line: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try store.snapshot { () throws(Problem) in
            guard let (stored, isRemoved) = try store.knownDevice(id: id) else { throw try noDevice(id) }
            var counts: [(ExportedKind, Int)] = []
            func tell(_ kind: ExportedKind, _ value: JSONValue) throws(Problem) {
                if let index = counts.firstIndex(where: { $0.0 == kind }) {
                    counts[index].1 += 1
                } else {
                    counts.append((kind, 1))
                }
                try line([kind.rawValue: value])
            }
            try tell(
                .device, isRemoved ? .object((stored.device.json.members ?? []) + [.init("removed", true)]) : stored.device.json)
            for whereabouts in try store.statuses(deviceId: id, counting: true, at: clock.now()) {
                try tell(.state, whereabouts.json)
            }
            for rule in try store.presenceRules().map(\.rule) where rule.subject == .device(id) { try tell(.rule, rule.json) }
            try store.forEachFix(of: stored.key) { fix, attributes throws(Problem) in
                try tell(.fix, fix.fix.json(isLate: fix.isLate, isValid: fix.isValid, attributes: attributes))
            }
            try store.forEachSeenSpan(of: stored.key) { span throws(Problem) in try tell(.seen, span.json) }
            var filter = EventFilter()
            filter.deviceId = id
            try store.forEachEvent(filter) { event throws(Problem) in try tell(.event, event.json) }
            try store.forEachVisit(filter, at: clock.now()) { visit throws(Problem) in try tell(.visit, visit.json) }
            try store.forEachEvidence(of: stored.key) { at, receivedAt, body throws(Problem) in
                try tell(.evidence, ["at": JSONValue(at), "receivedAt": JSONValue(receivedAt), "body": body])
            }
            for refused in try refusedInput(of: id) { try tell(.refusedInput, refused.json) }
            let journal = try store.journal(of: stored.key)
            if !journal.entries.isEmpty { try tell(.journal, journal.json) }
            try store.forEachRepair(of: stored.key) { record throws(Problem) in
                try tell(.repair, record.report(in: .english))
            }
            for health in try store.healthHistory(of: stored.key) {
                try tell(
                    .health,
                    [
                        "at": JSONValue(health.at), "isHealthy": health.isHealthy.map { .bool($0) } ?? .null,
                        "summary": .string(health.summary.description),
                    ])
            }
            if try directory.hasRegistryFile(), let phone = try RegistryFile.phone(of: id, path: directory.registryFilePath) {
                try tell(.phone, phone)
            }
            for token in try store.tokens(of: id) {
                try tell(
                    .token,
                    .compact([
                        ("name", .string(token.name)), ("role", .string(token.role)), ("madeAt", JSONValue(token.madeAt)),
                        ("expiresAt", token.expiresAt.map { JSONValue($0) }),
                    ]))
            }
            try line(["summary": .object(counts.map { .init($0.0.rawValue, JSONValue($0.1)) })])
        }
    }

    /// Exports a device to a file that only its owner can read. An existing file is replaced when the export is complete.
    ///
    /// - Returns: The summary, as in the last line.
    package func exportDevice(id: String, to path: String) throws(Problem) -> JSONValue {
        let partial: PartialFile
        do {
            partial = try PartialFile(for: path)
        } catch {
            throw Problem(error, at: path)
        }
        var buffer: [UInt8] = []
        var summary = JSONValue.null
        try exportDevice(id: id) { line throws(Problem) in
            buffer += line.description.utf8
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count > 1 << 16 { try Self.write(&buffer, partial.descriptor, path) }
            if let last = line["summary"] { summary = last }
        }
        try Self.write(&buffer, partial.descriptor, path)
        do {
            try partial.moveToTarget()
        } catch {
            throw Problem(error, at: path)
        }
        return summary
    }

    private static func write(_ buffer: inout [UInt8], _ descriptor: Int32, _ path: String) throws(Problem) {
        var start = 0
        while start < buffer.count {
            let written = buffer.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw errno == ENOSPC
                    ? .storeFull(path: path) : .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
            }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
