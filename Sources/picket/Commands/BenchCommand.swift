import Model
import ToolSupport

/// `picket bench`: runs the program `picket-bench`, which is not installed with `picket`.
enum BenchCommand {
    static let command = Command.bench { invocation throws(Problem) in
        try SiblingProgram("picket-bench", orElse: .benchmarksNotInstalled).replaceProcess(invocation.arguments)
    }
}
