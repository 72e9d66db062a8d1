import Core
import Model
import Places
import TestSupport

/// A writer in its own directory.
final class HistoryBench {
    private let directory: TemporaryDirectory
    let service: ServiceWriter
    let data: DataDirectory

    init() throws {
        directory = try TemporaryDirectory()
        data = DataDirectory(path: directory.path + "/data")
        service = try ServiceWriter(data, purpose: "test", clock: TestClock())
    }

    /// Creates geofences.
    func add(_ fences: [Geofence]) throws { try service.apply(fences.map { .save($0) }) }
}
