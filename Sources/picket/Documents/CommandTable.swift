/// The commands, as a shell is led to them word by word.
struct CommandTable {
    let commands: [Command]

    /// What the first word can be, with a few words on each: a command, or the noun that several commands are about.
    var firstWords: [(word: String, summary: String)] {
        var found: [(word: String, summary: String)] = []
        for command in commands {
            guard let space = command.name.firstIndex(of: " ") else {
                found.append((command.name, command.summary))
                continue
            }
            let noun = String(command.name[..<space])
            if found.contains(where: { $0.word == noun }) { continue }
            found.append((noun, actions(of: noun).map(\.word).joined(separator: ", ")))
        }
        return found + [("help", "The help of a command.")]
    }

    /// What can follow a first word; nothing after a command of one word.
    func actions(of noun: String) -> [(word: String, summary: String)] {
        commands.filter { $0.name.hasPrefix(noun + " ") }.map { (String($0.name.dropFirst(noun.count + 1)), $0.summary) }
    }

    /// The nouns that several commands are about.
    var nouns: [String] { firstWords.map(\.word).filter { !actions(of: $0).isEmpty } }

    /// The command that is a noun of others, too, as `problems`; nil when the noun alone is none.
    func command(ofNoun noun: String) -> Command? { commands.first { $0.name == noun } }

    /// Every option, of any command, that is followed by a value.
    var optionsWithValue: [String] {
        Set((commands.flatMap(\.options) + Option.common).filter { $0.value != nil }.map(\.name)).sorted()
    }
}

/// What can stand in a place of the command line, as far as a shell can know.
enum Candidates {
    case choices([String])
    case files
    case directories
    case unknown

    /// - Parameter form: What stands for it in the help.
    init(_ choices: [String], form: String) {
        if !choices.isEmpty {
            self = .choices(choices)
        } else if form.contains("FILE") {
            self = .files
        } else if form.contains("DIR") {
            self = .directories
        } else {
            self = .unknown
        }
    }
}

extension Option {
    /// What its value can be.
    var candidates: Candidates { Candidates(choices, form: value ?? "") }
}

extension Command {
    /// What the words after its name can be.
    var candidates: Candidates { Candidates(choices, form: arguments) }

    /// Its own options, and those of all commands.
    var allOptions: [Option] { options + Option.common }
}

/// The shells that completions are made for.
enum ShellKind: String, CaseIterable {
    case bash, zsh, fish

    /// What the shell has to read.
    func completions(of table: CommandTable) -> String {
        switch self {
        case .bash: BashCompletions(table: table).text
        case .zsh: ZshCompletions(table: table).text
        case .fish: FishCompletions(table: table).text
        }
    }
}
