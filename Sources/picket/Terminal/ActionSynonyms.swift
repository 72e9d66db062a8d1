import Model

/// Words that other programs use for the actions of Picket's commands.
enum ActionSynonyms {
    /// Words for the same action. Picket's own words come first, in the order in which they are suggested.
    private static let groups = [
        ["remove", "revoke", "dismiss", "erase", "rm", "delete", "del", "drop", "destroy", "unset"],
        ["list", "ls", "all", "index"],
        ["show", "get", "view", "info", "describe", "cat", "status"],
        ["add", "create", "enroll", "new", "make", "insert"],
        ["edit", "update", "change", "set", "modify", "rename"],
        ["pause", "disable", "stop", "off"],
        ["resume", "enable", "start", "on"],
        ["import", "load"],
        ["export", "dump", "save"],
    ]

    /// The command that a noun with an unknown action means, without `picket`, as `geofence remove`; nil if none is similar.
    ///
    /// - Parameters:
    ///   - actions: The actions of the noun.
    ///   - isCommand: Whether the noun alone is a command. Such a command lists something.
    static func command(_ noun: String, _ word: String, actions: [String], isCommand: Bool) -> String? {
        if let group = groups.first(where: { $0.contains(word.lowercased()) }) {
            if let action = group.first(where: actions.contains) { return "\(noun) \(action)" }
            if isCommand, group[0] == "list" { return noun }
        }
        return Suggestions.similar(to: word, among: actions).first.map { "\(noun) \($0)" }
    }
}
