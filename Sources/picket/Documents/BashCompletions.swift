import ToolSupport

/// Generates completions for bash (bash manual, "Programmable Completion"), without the bash-completion package.
struct BashCompletions {
    let table: CommandTable

    var text: String {
        """
        # Completions of picket for bash, made by 'picket completions bash'.
        _picket() {
            local IFS=$' \\t\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
            # --option=value comes as three words.
            if [[ $current == "=" ]]; then
                current=
            elif [[ $previous == "=" ]]; then
                previous=${COMP_WORDS[COMP_CWORD-2]}
            fi
            # What was typed, without options and their values.
            local words=() store=() index word option= skip=
            for ((index = 1; index < COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if [[ $word == "=" ]]; then continue; fi
                if [[ -n $skip ]]; then
                    skip=
                    case $option in \(CommandTable.storeOptions.joined(separator: " | "))) store+=("$option" "$word") ;; esac
                    continue
                fi
                case $word in
                    \(table.optionsWithValue.joined(separator: "|"))) skip=1 option=$word ;;
                    -*) ;;
                    *) words+=("$word") ;;
                esac
            done
            local command= next= choices= options=\(Self.quoted(Option.common.map(\.name))) kind=
            case "${words[*]:0:2}" in
                "") next=\(Self.quoted(table.firstWords.map(\.word))) ;;

        """ + table.nouns.filter { table.command(ofNoun: $0) == nil }.map(menu).joined()
            + (table.commands.filter { $0.name.contains(" ") } + table.commands.filter { !$0.name.contains(" ") }).map(command)
            .joined() + """
                    esac
                    case "$command $previous" in

                """
            + table.commands.flatMap { command in command.options.map { value(of: $0, after: "\"\(command.name) \($0.name)\"") } }
            .joined() + Option.common.map { value(of: $0, after: "*\" \($0.name)\"") }.joined() + """
                        *)
                            if [[ $current == -* ]]; then
                                kind=choices choices=$options
                            elif [[ -n $next ]]; then
                                kind=choices choices=$next
                            fi
                            ;;
                    esac
                    COMPREPLY=()
                    case $kind in
                        choices) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current") ;;
                        ids)
                            # Ids come from devices, so they are compared and quoted here: compgen -W would evaluate them.
                            while IFS= read -r word; do
                                if [[ $word == "$current"* ]]; then COMPREPLY+=("$(printf %q "$word")"); fi
                            done < <("${COMP_WORDS[0]}" ids "$choices" "${store[@]}" 2>/dev/null)
                            ;;
                        files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
                        directories) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
                    esac
                    # Outside of a completion there is nothing to set.
                    case $kind in files | directories) compopt -o filenames 2>/dev/null ;; esac
                    return 0
                }
                complete -F _picket picket

                """
    }

    private func menu(_ noun: String) -> String {
        "        \(noun)) next=\(Self.quoted(table.actions(of: noun).map(\.word))) ;;\n"
    }

    private func command(_ command: Command) -> String {
        // A command of one word can be followed by its own argument.
        let pattern = command.name.contains(" ") ? "\"\(command.name)\"" : "\(command.name) | \"\(command.name) \"*"
        var text = "        \(pattern))\n"
        text += "            command=\"\(command.name)\" options=\(Self.quoted(command.allOptions.map(\.name)))\n"
        let actions = table.actions(of: command.name).map(\.word)
        switch command.candidates {
        case _ where !actions.isEmpty: text += "            next=\(Self.quoted(actions))\n"
        case .choices(let choices): text += "            next=\(Self.quoted(choices))\n"
        case .ids(let kind): text += "            kind=ids choices=\(kind.rawValue)\n"
        case .files: text += "            kind=files\n"
        case .directories: text += "            kind=directories\n"
        case .unknown: break
        }
        return text + "            ;;\n"
    }

    private func value(of option: Option, after pattern: String) -> String {
        guard option.value != nil else { return "" }
        return switch option.candidates {
        case .choices(let choices): "        \(pattern)) kind=choices choices=\(Self.quoted(choices)) ;;\n"
        case .ids(let kind): "        \(pattern)) kind=ids choices=\(kind.rawValue) ;;\n"
        case .files: "        \(pattern)) kind=files ;;\n"
        case .directories: "        \(pattern)) kind=directories ;;\n"
        case .unknown: "        \(pattern)) kind= ;;\n"
        }
    }

    private static func quoted(_ words: [String]) -> String { "\"\(words.joined(separator: " "))\"" }
}
