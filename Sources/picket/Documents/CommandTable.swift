import ToolSupport

/// The commands by their words, as shell completions need them.
struct CommandTable {
    let commands: [Command]

    /// The candidates for the first word, each with a short description: a command, or the noun that several commands share.
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

    /// The candidates for the second word; empty after a command of one word.
    func actions(of noun: String) -> [(word: String, summary: String)] {
        commands.filter { $0.name.hasPrefix(noun + " ") }.map { (String($0.name.dropFirst(noun.count + 1)), $0.summary) }
    }

    /// The nouns that several commands share, such as `device`.
    var nouns: [String] { firstWords.map(\.word).filter { !actions(of: $0).isEmpty } }

    /// The command whose whole name is a noun that other commands share, such as `problems`; nil if there is none.
    func command(ofNoun noun: String) -> Command? { commands.first { $0.name == noun } }

    /// The options that say which store or service a command uses.
    static let storeOptions = (Option.common.filter { $0.name == "--data" } + Option.client).map(\.name)

    /// The names of all options that take a value, of any command.
    var optionsWithValue: [String] {
        Set((commands.flatMap(\.options) + Option.common).filter { $0.value != nil }.map(\.name)).sorted()
    }
}

/// The values that a shell can offer for a part of the command line.
enum Candidates {
    case choices([String])
    /// The ids that `picket ids` prints.
    case ids(IdentifierKind)
    case files
    case directories
    case unknown

    /// - Parameters:
    ///   - ids: The kind of ids that the value names; nil if it names none.
    ///   - form: The placeholder in the help. `FILE`, `TRACK` and `DIR` in it stand for paths.
    init(_ choices: [String], ids: IdentifierKind?, form: String) {
        if !choices.isEmpty {
            self = .choices(choices)
        } else if let ids {
            self = .ids(ids)
        } else if form.contains("FILE") || form.contains("TRACK") {
            self = .files
        } else if form.contains("DIR") {
            self = .directories
        } else {
            self = .unknown
        }
    }
}

extension Option {
    /// The values that a shell can offer for the option.
    var candidates: Candidates { Candidates(choices, ids: identifiers, form: value ?? "") }

    private var identifiers: IdentifierKind? {
        switch name {
        case _ where value == "FILE": nil
        case "--device", "--devices": .device
        case "--geofence": .geofence
        case "--group", "--groups": .group
        default: nil
        }
    }
}

extension Command {
    /// The values that a shell can offer for the command's arguments.
    var candidates: Candidates { Candidates(choices, ids: identifiers, form: arguments) }

    /// The kind of ids that the arguments name: that of the command's noun, unless the command makes something new.
    private var identifiers: IdentifierKind? {
        let words = name.split(separator: " ")
        guard words.count == 2, !["add", "create"].contains(words[1]),
            ["ID", "[ID", "NAME"].contains(where: arguments.hasPrefix)
        else { return nil }
        return IdentifierKind(noun: words[0])
    }
}

/// The shells for which completions can be generated.
enum ShellKind: String, CaseIterable {
    case bash, zsh, fish

    /// The script that the shell has to load.
    func completions(of table: CommandTable) -> String {
        switch self {
        case .bash: BashCompletions(table: table).text
        case .zsh: ZshCompletions(table: table).text
        case .fish: FishCompletions(table: table).text
        }
    }
}
