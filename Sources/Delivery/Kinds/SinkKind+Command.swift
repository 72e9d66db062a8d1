import Model

extension SinkKind {
    /// A program on the service's machine, started once for each event, without a shell. It receives the event's JSON on standard input.
    /// `command` is the absolute path of the program, then its arguments, as templates. A filled-in template is always one argument.
    package static let command = SinkKind(
        "command", .command, title: Phrase("Command"), place: "PROGRAM ARG…",
        about: "a program, without a shell; arguments may contain fields; the event is on standard input", in: "command",
        needs: [("command", Phrase("a path that starts with /"))],
        flaw: { pathFlaw($0.command.first ?? "", field: "command") },
        content: .events { _, values, templates in
            .run(arguments: templates.arguments.map { $0.render(values) }, input: values.json.description + "\n")
        })
}
