import Model
import Observability
import Service
import Synchronization

/// The service file that could not be written at the start, because the disk was full. Can be used from any thread.
final class UnwrittenServiceFile: Sendable {
    private let file = Mutex<ServiceFile?>(nil)

    /// Keeps a file to be written later.
    func keep(_ unwritten: ServiceFile) { file.withLock { $0 = unwritten } }

    /// Writes the file, if there is one. A failure is logged, and the next call tries again.
    func write(to directory: DataDirectory, log: Log) {
        file.withLock { file in
            guard let unwritten = file else { return }
            do throws(Problem) {
                try unwritten.write(to: directory)
                file = nil
            } catch {
                log.logProblem(error, "service file")
            }
        }
    }
}
