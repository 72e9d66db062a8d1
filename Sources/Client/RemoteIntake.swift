import Core
import Foundation
import Ingest
import Model
import Places
import Presence
import Service

/// The intake of a running service, for feeds.
package final class RemoteFeed: FeedTarget {
    private let queue: UploadQueue

    /// - Parameters:
    ///   - reconnector: Repeats requests that are not answered.
    ///   - locate: Finds the current address of a service that may have been restarted elsewhere.
    init(
        _ address: ServiceAddress, reconnector: Reconnector, locate: ServiceClient.Locate?
    ) throws(Problem) {
        queue = try UploadQueue(address, reconnector: reconnector, locate: locate)
    }

    /// The service compares the times with its own clock, and decides their zone.
    package func completed(_ options: DecodingOptions) -> DecodingOptions { options }

    /// Starts the intake of the positions of one input; see `FeedTarget`.
    package func makePositionSink(policy: PolicyOverride?) -> any PositionSink { RemoteIntake(queue, policy: policy) }

    /// Does nothing, because a running service evaluates late positions automatically.
    package func replayLate(all: Bool, _ report: ([Event]) -> Void) -> ReplayCounts { ReplayCounts() }
}

/// Sends the positions of one input to a running service as NDJSON. While one part is in transit, the next one is read and written.
struct RemoteIntake: PositionSink {
    private let uploadQueue: UploadQueue
    private let query: [(name: String, value: String?)]
    private var isSent = false

    init(_ courier: UploadQueue, policy: PolicyOverride?) {
        self.uploadQueue = courier
        // The decoder has already applied the option about latitude 0, longitude 0.
        query = [("policy", policy.map { $0.json?.description ?? "none" }), ("allowNullIsland", "true")]
    }

    mutating func add(_ batch: TimeOrderedBatch) throws(Problem) -> IntakeResult? {
        let part = Upload(batch.batch)
        let result = try finish()
        uploadQueue.send(part, query)
        isSent = true
        return result
    }

    mutating func finish() throws(Problem) -> IntakeResult? {
        guard isSent else { return nil }
        isSent = false
        return try uploadQueue.wait()
    }

    /// The positions that are sent in one request, or in several if the service limits the size.
    struct Upload: Sendable {
        /// Ordered by time, so that splitting it does not change the result.
        let batch: FixBatch
        /// The rows of the batch to send.
        var rows: Range<Int>

        init(_ batch: FixBatch) {
            self.batch = batch
            rows = 0..<batch.rows.count
        }
    }
}

/// Sends requests on its own thread, one at a time.
///
/// `@unchecked Sendable`: only that thread accesses the variables and the reconnector between `send` and the signal that `wait` waits for.
/// Only the caller accesses them at other times.
final class UploadQueue: @unchecked Sendable {
    private var connection: ServiceConnection
    private let reconnector: Reconnector
    private let locate: ServiceClient.Locate?
    private var result: Result<IntakeResult, Problem> = .failure(.cancelled)
    /// How often the current part was sent.
    private var sends = 0
    private let queue = DispatchQueue(label: "positions")
    private let done = DispatchSemaphore(value: 0)

    /// Seconds until the answer to one part must arrive.
    static let timeout = 300.0

    /// - Parameters:
    ///   - reconnector: Repeats requests that are not answered.
    ///   - locate: Finds the service's current address.
    init(
        _ address: ServiceAddress, reconnector: Reconnector, locate: ServiceClient.Locate?
    ) throws(Problem) {
        connection = try ServiceConnection(address, patience: Self.timeout)
        self.reconnector = reconnector
        self.locate = locate
    }

    func send(_ part: RemoteIntake.Upload, _ query: [(name: String, value: String?)]) {
        queue.async { [self] in
            result = Result { () throws(Problem) in try deliver(part, query) }
            done.signal()
        }
    }

    func wait() throws(Problem) -> IntakeResult {
        done.wait()
        return try result.get()
    }

    /// Sends a part. The result contains the refusals of the decoder and those of the service.
    private func deliver(
        _ part: RemoteIntake.Upload, _ query: [(name: String, value: String?)]
    ) throws(Problem) -> IntakeResult {
        var result = IntakeResult()
        if !part.rows.isEmpty { try post(part, query, into: &result) }
        result.counts.refused += part.batch.refusals.count
        result.refusals += part.batch.refusals
        result.timesWithoutZone.add(part.batch.timesWithoutZone)
        result.refusals.sort { ($0.line ?? 0) < ($1.line ?? 0) }
        // A refusal without a line concerns the input as a whole, not a fix.
        result.counts.fixes = part.batch.rows.count + part.batch.refusals.count { $0.line != nil }
        return result
    }

    private func post(
        _ part: RemoteIntake.Upload, _ query: [(name: String, value: String?)], into result: inout IntakeResult
    ) throws(Problem) {
        let body = ServiceConnection.Body(type: "application/x-ndjson", bytes: PositionLines.written(part.batch, part.rows))
        sends = 0
        let answer: Answer
        do throws(Problem) {
            answer = try reconnector.untilAnswered { () throws(Problem) in try sendRequest(query, body: body) }
        } catch .tooLarge(_, _) where part.rows.count > 1 {
            // The service has a limit on the size of a body that this part exceeds, so it is sent in two halves.
            let middle = (part.rows.lowerBound + part.rows.upperBound) / 2
            for half in [part.rows.lowerBound..<middle, middle..<part.rows.upperBound] {
                var smaller = part
                smaller.rows = half
                try post(smaller, query, into: &result)
            }
            return
        }
        result.counts.accepted += try answer.integer("accepted")
        let duplicates = try answer.integer("duplicates")
        result.counts.duplicates += duplicates
        if sends > 1, duplicates > 0 { reconnector.report(.storedBefore(duplicates)) }
        result.counts.late += try answer.integer("late")
        result.counts.waiting += try answer.integer("waiting")
        result.counts.refused += try answer.integer("refusedCount")
        for refused in try answer.list("refused") {
            // The index of a refused position in the request gives its line in the file.
            var refusal = try refused.decoded(as: Refusal.positionShape)
            let index = refusal.line.map { $0 - 1 + part.rows.lowerBound }
            refusal.line = index.flatMap { part.rows.contains($0) ? part.batch.rows[$0].line : nil }
            result.refusals.append(refusal)
        }
        for entry in answer.json["timesWithoutZone"] == nil ? [] : try answer.list("timesWithoutZone") {
            let entry = try entry.decoded(as: TimesWithoutZone.shape)
            result.timesWithoutZone.add(entry.count, in: entry.timeZone)
        }
        result.counts.events += try answer.integer("eventCount")
        // The service leaves the list out when it lacks memory.
        for event in answer.json["events"] == nil ? [] : try answer.list("events") {
            result.events.append(try event.decoded(as: Event.shape))
        }
    }

    /// Sends a part. The service stores a position only once, even if it is sent twice.
    private func sendRequest(
        _ query: [(name: String, value: String?)], body: ServiceConnection.Body
    ) throws(Problem) -> Answer {
        func ask() throws(Problem) -> Answer {
            sends += 1
            return try connection.send("POST", ["positions"], query: query, body: body)
        }
        do throws(Problem) {
            return try ask()
        } catch {
            // A restarted service of this directory has another port and another token.
            guard let address = try locate?(), address != connection.address else { throw error }
            connection = try ServiceConnection(address, patience: Self.timeout)
            return try ask()
        }
    }
}

/// Writes positions as NDJSON in Picket's format.
enum PositionLines {
    /// The bytes of some rows, one line each.
    static func written(_ batch: FixBatch, _ rows: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.count * 160)
        let names = batch.deviceNames.map { JSONValue.string($0).description }
        for row in batch.rows[rows] {
            bytes.append(UInt8(ascii: "{"))
            // Attributes come first: of two members with the same name the last one counts.
            if row.attributes >= 0 { write(attributes: batch.attributes[Int(row.attributes)], into: &bytes) }
            if row.device >= 0 {
                bytes += "\"device\":".utf8
                bytes += names[Int(row.device)].utf8
                bytes.append(UInt8(ascii: ","))
            }
            let fix = row.fix
            // The service decides the zone of a local time.
            let time = row.isLocal ? String(fix.time.description.dropLast()) : fix.time.description
            bytes += "\"timestamp\":\"\(time)\",\"latitude\":\(fix.coordinate.latitude)".utf8
            bytes += ",\"longitude\":\(fix.coordinate.longitude)".utf8
            write("accuracy", fix.accuracy, into: &bytes)
            write("altitude", fix.altitude, into: &bytes)
            write("speed", fix.speed, into: &bytes)
            write("course", fix.course, into: &bytes)
            write("battery", fix.battery, into: &bytes)
            bytes += "}\n".utf8
        }
        return bytes
    }

    private static func write(_ name: String, _ value: Double?, into bytes: inout [UInt8]) {
        if let value { bytes += ",\"\(name)\":\(value)".utf8 }
    }

    /// Writes the members of a JSON object, each followed by a comma.
    private static func write(attributes object: String, into bytes: inout [UInt8]) {
        let members = object.utf8.dropFirst().dropLast()
        guard !members.isEmpty else { return }
        // A line break can only be white space between members; within strings it is escaped.
        for byte in members { bytes.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte) }
        bytes.append(UInt8(ascii: ","))
    }
}
