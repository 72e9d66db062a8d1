import Foundation
import Model

/// Another program in the folder of this program.
package struct SiblingProgram {
    package let path: String

    /// - Parameters:
    ///   - name: The name of the program's file.
    ///   - reason: What the problem says if the program is missing: what it is for, and how to build it.
    /// - Throws: `Problem.fileFailed` if the folder has no program of that name.
    package init(_ name: String, ifMissing reason: Phrase) throws(Problem) {
        let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        path = folder.appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else { throw .fileFailed(path: path, reason: reason) }
    }

    /// Replaces this program with the other one in the same process, which therefore receives all signals and gives the exit
    /// status.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Throws: `Problem.fileFailed` if the system cannot run it.
    package func replaceProcess(_ arguments: [String]) throws(Problem) -> Never {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        execv(path, words)
        throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
    }
}
