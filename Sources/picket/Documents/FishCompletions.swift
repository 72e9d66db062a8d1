import ToolSupport

/// Generates completions for fish (fish manual, "Writing your own completions").
struct FishCompletions {
    let table: CommandTable

    var text: String {
        """
        # Completions of picket for fish, made by 'picket completions fish'.
        # What was typed, without options and their values.
        function __picket_words
            set -l tokens (commandline -opc)
            set -l skip 0
            for token in $tokens[2..-1]
                if test $skip = 1
                    set skip 0
                    continue
                end
                switch $token
                    case \(table.optionsWithValue.joined(separator: " "))
                        set skip 1
                    case '-*'
                    case '*'
                        echo $token
                end
            end
        end
        # The ids of a kind, in the store or the service that the options name.
        function __picket_ids
            set -l tokens (commandline -opc)
            set -l store
            set -l option ''
            for token in $tokens[2..-1]
                if test -n "$option"
                    set -a store $option $token
                    set option ''
                    continue
                end
                switch $token
                    case \(CommandTable.storeOptions.joined(separator: " "))
                        set option $token
                    case \(CommandTable.storeOptions.map { "'\($0)=*'" }.joined(separator: " "))
                        set -a store $token
                end
            end
            $tokens[1] ids $argv[1] $store 2>/dev/null
        end
        # Whether these words, and no more, were typed.
        function __picket_typed
            test "$(__picket_words | string join ' ')" = "$argv"
        end
        # Whether the command is of these words.
        function __picket_is
            set -l words (__picket_words)
            set -l first $words[1..(count $argv)]
            test "$first" = "$argv"
        end
        complete -c picket -f

        """ + Option.common.map { option($0, condition: nil) }.joined()
            + table.firstWords.map { word($0, after: "") }.joined()
            + table.nouns.flatMap { noun in table.actions(of: noun).map { word($0, after: " " + noun) } }.joined()
            + table.commands.map(command).joined()
    }

    private func word(_ word: (word: String, summary: String), after typed: String) -> String {
        "complete -c picket -n '__picket_typed\(typed)' -a \(word.word) -d \(Self.quoted(word.summary))\n"
    }

    private func command(_ command: Command) -> String {
        let condition = "__picket_is \(command.name)"
        var text = command.options.map { option($0, condition: condition) }.joined()
        switch command.candidates {
        case .choices(let choices): text += "complete -c picket -n '\(condition)' -a '\(choices.joined(separator: " "))'\n"
        case .ids(let kind): text += "complete -c picket -n '\(condition)' -a '(__picket_ids \(kind.rawValue))'\n"
        case .files: text += "complete -c picket -n '\(condition)' -F\n"
        case .directories: text += "complete -c picket -n '\(condition)' -a '(__fish_complete_directories)'\n"
        case .unknown: break
        }
        return text
    }

    private func option(_ option: Option, condition: String?) -> String {
        let when = condition.map { " -n '\($0)'" } ?? ""
        let value =
            switch option.candidates {
            case _ where option.value == nil: ""
            case .choices(let choices): " -x -a '\(choices.joined(separator: " "))'"
            case .ids(let kind): " -x -a '(__picket_ids \(kind.rawValue))'"
            case .files: " -r -F"
            case .directories: " -x -a '(__fish_complete_directories)'"
            case .unknown: " -x"
            }
        return "complete -c picket\(when) -l \(option.name.dropFirst(2))\(value) -d \(Self.quoted(option.help))\n"
    }

    /// Within single quotes, fish gives only the backslash and the single quote a meaning.
    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}
