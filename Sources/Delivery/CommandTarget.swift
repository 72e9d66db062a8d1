import Model

/// A program to run for each event. No shell is involved. The program receives the event's JSON on standard input.
package struct CommandTarget: Hashable, Sendable {
    /// The absolute path of the program, then its arguments. Each element is the source of a `BodyTemplate` of the form `plain`.
    /// A filled-in template is always one argument, even if it contains spaces.
    package var argumentTemplates: [String]

    package init(arguments: [String]) { self.argumentTemplates = arguments }
}
