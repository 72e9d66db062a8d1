import DatabaseProblems
import Foundation
import Model
import SQLite

/// A complete file without a name. Its content is deleted when the last reference to this object is released, or when the process
/// ends.
///
/// `@unchecked Sendable` is safe: nothing writes to the file anymore, and `pread` uses no position that threads share.
package final class TemporaryFile: @unchecked Sendable {
    private let file: PartialFile

    /// - Parameter file: A file that is complete and is not moved to its target.
    package init(_ file: PartialFile) {
        file.removeName()
        self.file = file
    }

    /// The next bytes from a place on; empty at the end.
    package func read(from offset: Int, atMost count: Int) throws(Problem) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let step = pread(
                    file.descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
                if step < 0, errno == EINTR { continue }
                if step < 0 { failure = errno }
                if step <= 0 { break }
                filled += step
            }
        }
        if failure != 0 { throw .fileFailed(path: file.path, reason: .verbatim(String(cString: strerror(failure)))) }
        return bytes
    }
}

extension PartialFile {
    /// Creates a partial file; see `init(for:)`.
    package static func create(for target: String) throws(Problem) -> PartialFile {
        do {
            return try PartialFile(for: target)
        } catch {
            throw Problem(error, at: target)
        }
    }

    /// Appends bytes, and empties the buffer.
    ///
    /// - Parameter target: The path of the complete file, for problems.
    package func append(_ buffer: inout [UInt8], of target: String) throws(Problem) {
        var start = 0
        while start < buffer.count {
            let written = buffer.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw errno == ENOSPC
                    ? .storeFull(path: target) : .fileFailed(path: target, reason: .verbatim(String(cString: strerror(errno))))
            }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Moves the complete file to its target; see `moveToTarget()`.
    ///
    /// - Parameter target: The path of the complete file, for problems.
    package func finish(_ target: String) throws(Problem) {
        do {
            try moveToTarget()
        } catch {
            throw Problem(error, at: target)
        }
    }
}
