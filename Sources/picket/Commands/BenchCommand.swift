import Model
import ToolSupport

/// `picket bench`: runs the program `picket-bench`, which is not installed with `picket`.
enum BenchCommand {
    static let command = Command.bench { invocation throws(Problem) in
        let bench = try SiblingProgram(
            "picket-bench",
            orElse: "the program that runs the benchmarks is missing; packages do not include it. "
                + "Build it from Picket's source with 'swift build -c release --product picket-bench', and put it there")
        try bench.replaceProcess(invocation.arguments)
    }
}
