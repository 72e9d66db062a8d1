import Model
import ToolSupport

/// `picket bench`: replaces this process with the program `picket-bench` from the same folder.
///
/// Packages of Picket do not include `picket-bench`. If it is missing, the problem says how to build it.
enum BenchCommand {
    static let command = Command.bench { invocation throws(Problem) in
        try SiblingProgram(
            "picket-bench",
            ifMissing: Phrase(
                """
                the program that runs the benchmarks is missing; packages do not include it. Build it from Picket's source with \
                'swift build -c release --product picket-bench', and put it there
                """)
        ).replaceProcess(invocation.arguments)
    }
}
