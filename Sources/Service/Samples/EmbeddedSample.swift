import CSampleData
import Foundation
import Model
import Settings

/// The sample data within the program, for a program that was copied without the folder `data`.
package enum EmbeddedSample {
    struct File: Hashable, Sendable {
        /// The path in the folder `data`.
        var path: String
        var content: Data
    }

    static var files: [File] {
        var files: [File] = []
        while let file = picket_sample_file_at(files.count)?.pointee {
            files.append(File(path: String(cString: file.path), content: Data(bytes: file.bytes, count: file.count)))
        }
        return files
    }

    /// Writes the files into a folder, and creates it if it does not exist.
    ///
    /// - Throws: `Problem.fileFailed` if a file cannot be written.
    package static func write(to folder: String) throws(Problem) {
        for file in files {
            let url = URL(filePath: folder).appending(path: file.path)
            do {
                try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try file.content.write(to: url)
            } catch {
                throw .fileFailed(path: url.path, reason: error.systemReason)
            }
        }
    }
}
