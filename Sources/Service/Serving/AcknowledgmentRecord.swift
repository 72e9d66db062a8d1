import Foundation
import Model
import Store
import Synchronization

/// A small file beside the store with the numbers of the newest input and of the newest edit that the service has acknowledged.
///
/// After a crash, SQLite ignores everything in the write-ahead log from the first damaged page on, without a word. The numbers tell how many
/// acknowledged inputs and edits are missing then. The file is written without a sync, after that of the log, so it is never ahead of what
/// the log has held. Inputs and edits are numbered without gaps, and no number is used twice. Can be used from any thread.
final class AcknowledgmentRecord: Sendable {
    static let fileName = "picket.acknowledged"

    /// What was acknowledged.
    struct Acknowledgment: Hashable, Sendable, CustomStringConvertible {
        /// The generation of the store. The numbers of another one are not compared.
        var generation: String
        var newest: Int64
        var edits: Int64

        init(generation: String, newest: Int64, edits: Int64) {
            (self.generation, self.newest, self.edits) = (generation, newest, edits)
        }

        /// All that is in a store.
        init(_ store: RegionStore) throws(Problem) {
            self.init(
                generation: try store.generations().current.id, newest: try store.newestInput(), edits: try store.editCount())
        }

        var description: String { "\(generation) \(newest) \(edits)" }
    }

    /// What is missing of it.
    struct Loss: Hashable, Sendable {
        var inputs = 0
        var edits = 0

        var isAny: Bool { inputs > 0 || edits > 0 }

        /// The sum of this loss and one that was reported before.
        func adding(_ problem: Problem?) -> Loss {
            guard case .inputsLost(_, let inputs, let edits)? = problem else { return self }
            return Loss(inputs: self.inputs + inputs, edits: self.edits + edits)
        }
    }

    private let descriptor: Int32
    private let generation: String
    private let newest = Mutex((input: Int64(0), edit: Int64(0)))

    /// - Parameter known: What is in the store. Only what comes after it is recorded.
    /// - Throws: `Problem.fileFailed` if the file cannot be opened.
    init(in directory: DataDirectory, after known: Acknowledgment) throws(Problem) {
        let path = Self.path(in: directory)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        generation = known.generation
        newest.withLock { $0 = (known.newest, known.edits) }
    }

    deinit { close(descriptor) }

    /// Records that all inputs and edits up to these numbers are acknowledged. A failure is ignored: then a loss may be counted too low.
    func record(_ input: Int64, edit: Int64) {
        newest.withLock { newest in
            guard input > newest.input || edit > newest.edit else { return }
            newest = (max(input, newest.input), max(edit, newest.edit))
            write(newest.input, newest.edit)
        }
    }

    private func write(_ input: Int64, _ edit: Int64) {
        func padded(_ number: Int64) -> String {
            let digits = String(number)
            return String(repeating: " ", count: max(1, 20 - digits.utf8.count)) + digits
        }
        let line = generation + padded(input) + padded(edit) + "\n"
        _ = line.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    private static func path(in directory: DataDirectory) -> String { directory.path + "/" + fileName }

    /// What was acknowledged in a directory; nil if nothing is recorded.
    static func read(in directory: DataDirectory) -> Acknowledgment? {
        guard let data = FileManager.default.contents(atPath: path(in: directory)) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        // Earlier versions have recorded no edits.
        guard (2...3).contains(parts.count), let number = Int64(parts[1]),
            let edits = parts.count == 3 ? Int64(parts[2]) : 0
        else { return nil }
        return Acknowledgment(generation: String(parts[0]), newest: number, edits: edits)
    }

    /// Makes the record agree with a store, after what is missing was reported.
    static func reset(in directory: DataDirectory, to acknowledged: Acknowledgment) throws(Problem) {
        let record = try AcknowledgmentRecord(in: directory, after: acknowledged)
        record.write(acknowledged.newest, acknowledged.edits)
    }

    /// What is acknowledged and not in the store.
    ///
    /// - Parameter acknowledged: What was read with `read(in:)` before the store.
    static func missing(_ acknowledged: Acknowledgment?, in store: RegionStore) throws(Problem) -> Loss {
        guard let acknowledged, try store.generations().current.id == acknowledged.generation else { return Loss() }
        return Loss(
            inputs: Int(max(0, acknowledged.newest - (try store.newestInput()))),
            edits: Int(max(0, acknowledged.edits - (try store.editCount()))))
    }
}

extension Queries {
    /// The source of the problem that acknowledged inputs or edits are missing.
    static let lossSource = "job/log"

    /// What is acknowledged and not in the store, or is known to be missing since an earlier start and was not dismissed.
    ///
    /// - Parameter acknowledged: What was read with `AcknowledgmentRecord.read(in:)` before the store.
    func lostInputs(_ acknowledged: AcknowledgmentRecord.Acknowledgment?) throws(Problem) -> AcknowledgmentRecord.Loss {
        let missing = try AcknowledgmentRecord.missing(acknowledged, in: store)
        // After a crash the loss may be reported already, and still be in the record.
        if let acknowledged, missing.isAny, try store.reportedLoss() == acknowledged.description {
            return AcknowledgmentRecord.Loss().adding(try store.problem(ofSource: Self.lossSource)?.problem)
        }
        return missing.adding(try store.problem(ofSource: Self.lossSource)?.problem)
    }
}
