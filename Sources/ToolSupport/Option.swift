import Model

/// An option of a command.
package struct Option {
    /// Including the dashes.
    package var name: String
    /// The placeholder for its value in the help; nil for an option without a value.
    package var value: String?
    package var help: String
    package var isRepeatable = false
    /// The allowed values, if they are few.
    package var choices: [String] = []
    /// The member in JSON that the option sets, which problems name; nil if it sets none.
    package var member: String?

    /// An option with a value.
    package init(_ name: String, value: String, isRepeatable: Bool = false, help: String) {
        self.name = name
        self.value = value
        self.help = help
        self.isRepeatable = isRepeatable
    }

    /// An option without a value.
    package init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    /// A copy of the option that sets a member in JSON.
    package func setting(_ member: String) -> Option {
        var option = self
        option.member = member
        return option
    }

    /// A copy of the option with these allowed values.
    package func choosing(_ choices: [String]) -> Option {
        var option = self
        option.choices = choices
        return option
    }

    /// A copy of the option with the raw values of a type as allowed values.
    package func choosing<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> Option where Value.RawValue == String {
        choosing(Value.allCases.map(\.rawValue))
    }

    /// The options of every command.
    package static let common = [
        Option(
            "--data", value: "DIR",
            help: "Data directory; default: $PICKET_DATA, then ~/.local/share/picket, then that of an installed service"),
        Option(
            "--language", value: "TAG",
            help: "Language of messages: \(Language.tags); default: $PICKET_LANGUAGE, $LC_ALL, $LC_MESSAGES or $LANG"
        )
        .choosing(Language.self),
        Option(
            "--timezone", value: "ZONE",
            help: "Time zone of times, for example Europe/Berlin; default: $PICKET_TIMEZONE, picket.conf, $TZ, the machine's"),
        Option("--json", "Print one JSON document, or one object per line"),
        Option("--help", "Show this help"),
    ]
}
