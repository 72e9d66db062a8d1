/// The option on the command line that sets a field.
package struct FieldOption: Sendable {
    /// Where the option's text comes from.
    package enum Source: Sendable {
        case argument
        /// The argument, or with `@FILE` a file, or with `-` standard input.
        case file
        /// As `file`, but only the first line. Other users can see arguments in the process list, so secrets are better in files.
        case secret
    }

    /// Including the dashes.
    package private(set) var name: String
    /// The placeholder for the value in the help.
    package let value: String
    /// For the command line: what the field is, and further remarks.
    package private(set) var help: String
    /// The value without the option, for the help.
    package let builtIn: String?
    package let source: Source
    /// Whether the option can be given several times. Line breaks separate the texts then.
    package let isRepeatable: Bool
    /// The allowed values, if they are few.
    package private(set) var choices: [String] = []

    /// - Parameters:
    ///   - remark: What the help adds to the field's own: an example, or what removes the value.
    ///   - name: Nil to derive it from the field's name.
    package init(
        _ value: String, _ remark: String = "", name: String? = nil, builtIn: String? = nil, source: Source = .argument,
        isRepeatable: Bool = false
    ) {
        self.value = value
        help = remark
        self.name = name ?? ""
        self.builtIn = builtIn
        self.source = source
        self.isRepeatable = isRepeatable
    }

    /// The option of a field.
    func of(_ field: String, help: String?, choices: [String]) -> FieldOption {
        var option = self
        if name.isEmpty { option.name = "--" + field.words(joinedBy: "-") }
        option.help = (help ?? "") + (self.help.isEmpty ? "" : "; \(self.help)")
        option.choices = choices
        return option
    }
}

extension String {
    /// A name in camel case, such as `keepPositions`, in lower case with a separator between its words.
    func words(joinedBy separator: String) -> String {
        reduce(into: "") { text, letter in text += letter.isUppercase ? separator + letter.lowercased() : String(letter) }
    }
}
