import Core
import Model
import Places
import TestSupport

/// A writer in its own directory, whose clock a test sets.
final class OperationsBench {
    let directory: TemporaryDirectory
    let service: ServiceWriter
    let data: DataDirectory
    let clock = TestClock()

    init() throws {
        directory = try TemporaryDirectory()
        data = DataDirectory(path: directory.path + "/data")
        service = try ServiceWriter(data, purpose: "test", clock: clock)
    }

    /// Creates geofences.
    func add(_ fences: [Geofence]) throws { try service.apply(fences.map { .save($0) }) }
}
