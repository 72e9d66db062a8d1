import Model

/// A program to run for each event, without a shell.
package struct CommandTarget: Hashable, Sendable {
    /// The program's path and arguments. Arguments are plain text templates, and each stays one argument.
    package var arguments: [String]

    package init(arguments: [String]) { self.arguments = arguments }
}
