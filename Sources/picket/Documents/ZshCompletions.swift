import ToolSupport

/// Generates completions for zsh (zshcompsys(1): `_arguments` and `_describe`).
struct ZshCompletions {
    let table: CommandTable

    var text: String {
        """
        #compdef picket
        # Completions of picket for zsh, made by 'picket completions zsh'.
        # The ids of a kind, in the store or the service that the options name. _arguments puts options for compadd before the kind.
        _picket_ids() {
            local -a ids store
            local word option
            for word in "${(@)typed[2,-1]}"; do
                if [[ -n $option ]]; then
                    store+=("$option" "${(Q)word}")
                    option=
                    continue
                fi
                case $word in
                    \(CommandTable.storeOptions.joined(separator: "|"))) option=$word ;;
                    \(CommandTable.storeOptions.map { $0 + "=*" }.joined(separator: "|"))) store+=("${(Q)word}") ;;
                esac
            done
            ids=("${(@f)$("${(Q)typed[1]}" ids "${@[-1]}" "${store[@]}" 2>/dev/null)}")
            ids=("${(@)ids:#}")
            compadd "${(@)@[1,-2]}" -a ids
        }
        _picket() {
            local -a typed
            typed=("${(@)words[1,CURRENT-1]}")
            local curcontext=$curcontext state state_descr line
            typeset -A opt_args
            local -a common next
            common=(
        \(specifications(Option.common, indent: 8))    )
            _arguments -C $common '1: :->first' '*:: :->rest' && return 0
            case $state in
                first)
        \(menu(table.firstWords, indent: 12))            ;;
                rest)
                    case $words[1] in
        \(table.nouns.map(noun).joined())\(table.commands.filter { !$0.name.contains(" ") && table.actions(of: $0.name).isEmpty }.map(single).joined())            esac
                    ;;
            esac
        }
        if [[ $funcstack[1] == _picket ]]; then _picket "$@"; else compdef _picket picket; fi

        """
    }

    /// The completion of the commands that begin with a noun.
    private func noun(_ noun: String) -> String {
        let own = (table.command(ofNoun: noun)?.options ?? []).map { " " + Self.specification($0) }.joined()
        var text = """
                            \(noun))
                                _arguments -C $common\(own) '1: :->action' '*:: :->after' && return 0
                                if [[ $state == action ]]; then
            \(menu(table.actions(of: noun), indent: 24))                    return
                                fi
                                case $words[1] in

            """
        for command in table.commands where command.name.hasPrefix(noun + " ") {
            text += "                        \(command.name.dropFirst(noun.count + 1)))\n"
            text += arguments(command, indent: 28)
            text += "                            ;;\n"
        }
        return text + "                    esac\n                    ;;\n"
    }

    private func single(_ command: Command) -> String {
        "                \(command.name))\n" + arguments(command, indent: 20) + "                    ;;\n"
    }

    private func arguments(_ command: Command, indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        let words =
            command.count.upperBound == 0
            ? "" : " " + Self.quoted("*:" + Self.argumentSpecification(command.arguments, candidates: command.candidates))
        return "\(space)_arguments $common \\\n"
            + command.options.map { "\(space)    \(Self.specification($0)) \\\n" }.joined() + "\(space)    '-h[help]'\(words)\n"
    }

    private func menu(_ words: [(word: String, summary: String)], indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        let lines = words.map { "\(space)    \(Self.quoted("\($0.word):\($0.summary)"))\n" }.joined()
        return "\(space)next=(\n\(lines)\(space))\n\(space)_describe command next\n"
    }

    private func specifications(_ options: [Option], indent: Int) -> String {
        options.map { String(repeating: " ", count: indent) + Self.specification($0) + "\n" }.joined()
    }

    /// An option for `_arguments`: `--name[help]`, or `--name=[help]:…` with the candidates for its value.
    private static func specification(_ option: Option) -> String {
        let help = escaped(option.help, "[]:")
        let name = (option.isRepeatable ? "*" : "") + option.name
        guard let value = option.value else { return quoted("\(name)[\(help)]") }
        return quoted("\(name)=[\(help)]:\(argumentSpecification(value, candidates: option.candidates))")
    }

    private static func argumentSpecification(_ form: String, candidates: Candidates) -> String {
        let form = escaped(form, ":")
        return switch candidates {
        case .choices(let choices): "\(form):(\(choices.joined(separator: " ")))"
        case .ids(let kind): "\(form):_picket_ids \(kind.rawValue)"
        case .files: "\(form):_files"
        case .directories: "\(form):_files -/"
        case .unknown: "\(form): "
        }
    }

    private static func escaped(_ text: String, _ special: String) -> String {
        text.map { $0 == "\\" || special.contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}
