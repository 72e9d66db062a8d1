import Model
import ToolSupport

/// `picket bench`: replaces this process with the program `picket-bench` from the same folder.
///
/// Packages of Picket do not include `picket-bench`. If it is missing, the problem says how to build it.
enum BenchCommand {
    static let command = Command.bench { invocation throws(Problem) in
        try SiblingProgram("picket-bench", ifMissing: .benchmarksNotInstalled).replaceProcess(invocation.arguments)
    }
}
