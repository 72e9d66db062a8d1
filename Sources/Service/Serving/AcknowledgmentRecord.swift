import Foundation
import Model
import Store
import Synchronization

/// A small file beside the store with the number of the newest input that the service has acknowledged.
///
/// After a crash, SQLite ignores everything in the write-ahead log from the first damaged page on, without a word. The number tells how many
/// acknowledged inputs are missing then. It is written without a sync, after that of the log, so it is never ahead of what the log has held.
/// Inputs are numbered without gaps, and no number is used twice. Can be used from any thread.
final class AcknowledgmentRecord: Sendable {
    static let fileName = "picket.acknowledged"

    private let descriptor: Int32
    private let generation: String
    private let newest = Mutex<Int64>(0)

    /// - Parameter generation: The generation of the store. The numbers of another one are not compared.
    /// - Throws: `Problem.fileFailed` if the file cannot be opened.
    init(in directory: DataDirectory, generation: String) throws(Problem) {
        let path = Self.path(in: directory)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        self.generation = generation
    }

    deinit { close(descriptor) }

    /// Records that all inputs up to a number are acknowledged. A failure is ignored: then a loss may be counted too low.
    func record(_ number: Int64) {
        newest.withLock { newest in
            guard number > newest else { return }
            newest = number
            write(number)
        }
    }

    private func write(_ number: Int64) {
        let digits = String(number)
        let line = generation + String(repeating: " ", count: max(1, 20 - digits.utf8.count)) + digits + "\n"
        _ = line.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }

    private static func path(in directory: DataDirectory) -> String { directory.path + "/" + fileName }

    /// The newest acknowledged input of a directory; nil if nothing is recorded.
    static func read(in directory: DataDirectory) -> (generation: String, newest: Int64)? {
        guard let data = FileManager.default.contents(atPath: path(in: directory)) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, let number = Int64(parts[1]) else { return nil }
        return (String(parts[0]), number)
    }

    /// Makes the record agree with a store, after what is missing was reported.
    static func reset(in directory: DataDirectory, generation: String, newest: Int64) throws(Problem) {
        let record = try AcknowledgmentRecord(in: directory, generation: generation)
        record.write(newest)
    }
}

extension Queries {
    /// The source of the problem that acknowledged inputs are missing.
    static let lossSource = "job/log"

    /// The number of acknowledged inputs that are not in the store.
    ///
    /// - Parameter acknowledged: What was read with `AcknowledgmentRecord.read(in:)` before the store.
    static func missingInputs(
        _ acknowledged: (generation: String, newest: Int64)?, in store: RegionStore
    ) throws(Problem) -> Int {
        guard let acknowledged, try store.generations().current.id == acknowledged.generation else { return 0 }
        return Int(max(0, acknowledged.newest - (try store.newestInput())))
    }

    /// The number of acknowledged inputs that are not in the store, or are known to be missing since an earlier start and were not dismissed.
    ///
    /// - Parameter acknowledged: What was read with `AcknowledgmentRecord.read(in:)` before the store.
    func lostInputs(_ acknowledged: (generation: String, newest: Int64)?) throws(Problem) -> Int {
        let missing = try Self.missingInputs(acknowledged, in: store)
        guard case .inputsLost(_, let count)? = try store.problem(ofSource: Self.lossSource)?.problem else { return missing }
        return missing + count
    }
}
