import Model
import ToolSupport

/// `picket completions` and `picket manual`: print the files that a package installs beside the program.
enum DocumentCommands {
    static let all = [completions, manual]

    static let completions = Command(
        name: "completions", summary: "Print a script that completes commands and options in a shell.",
        arguments: "bash|zsh|fish",
        count: 1...1, choices: ShellKind.allCases.map(\.rawValue),
        discussion: """
            A package installs the script. To install it yourself, write it to ~/.local/share/bash-completion/completions/picket, ~/.config/fish/completions/picket.fish,
            or as _picket to a directory of zsh's $fpath.
            """,
        noServer: .printsText, examples: ["picket completions bash"]
    ) { invocation throws(Problem) in
        guard let shell = ShellKind(rawValue: invocation.words[0]) else {
            throw .validationFailed(
                field: "shell", value: invocation.words[0], reason: Phrase("there are no completions for it"),
                expected: .oneOf(ShellKind.allCases.map(\.rawValue)))
        }
        invocation.output.write(shell.completions(of: CommandTable(commands: Picket.commands)))
        return .done
    }

    static let manual = Command(
        name: "manual", summary: "Print the manual page.", discussion: "To read it with man(1): picket manual | man -l -",
        noServer: .printsText, examples: ["picket manual"]
    ) { invocation throws(Problem) in
        invocation.output.write(Manual(commands: Picket.commands, version: Picket.version).text)
        return .done
    }
}

extension Command.NoServer {
    fileprivate static let printsText = Self.needsNoService(Phrase("it prints a text about the program and needs no data"))
}
