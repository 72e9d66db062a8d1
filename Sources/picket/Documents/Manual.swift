import Settings
import ToolSupport

/// Generates the manual page from the tables of commands and settings.
struct Manual {
    let commands: [Command]
    let version: String

    var text: String {
        var page = Roff()
        page.title("PICKET", section: 1, source: "picket \(version)", manual: "Picket")
        page.section("NAME")
        page.paragraph("picket - monitors geofences: accepts positions and records who entered, left and stayed")
        page.section("SYNOPSIS")
        page.literal(["picket [--data DIR] COMMAND [options]", "picket COMMAND --help"])
        page.section("DESCRIPTION")
        page.paragraph(
            """
            Picket keeps geofences and devices, reads positions from files or, as a service, from phones and trackers, and records
            each enter, exit and dwell once. Everything that it reports is on disk. 'picket demo' shows all of this with sample data.
            """)
        page.paragraph("Options of every command:")
        for option in Option.common { page.item(option) }
        page.section("COMMANDS")
        for command in commands { page.add(command) }
        page.section("EXIT STATUS")
        page.item("0", "Done.")
        page.item("1", "Done, but with findings: some input was refused, or something is unhealthy.")
        page.item("2", "Invalid command or value.")
        page.item("3", "Failed because of the store, a file or the network.")
        environment(&page)
        files(&page)
        root(&page)
        return page.text
    }

    private func environment(_ page: inout Roff) {
        page.section("ENVIRONMENT")
        for setting in Setting.all {
            let standard = setting.defaultText.map { "; \($0) when not set" } ?? ""
            let file = setting.isSecret ? ", or \(setting.environmentVariable)_FILE for a file that contains it" : ""
            page.item("\(setting.environmentVariable) (\(setting.placeholder))\(file)", "\(setting.summary)\(standard).")
        }
        page.item("XDG_DATA_HOME", "Parent of the default data directory 'picket'; default: ~/.local/share.")
        page.item("LC_ALL, LC_MESSAGES, LANG", "The language of messages, if PICKET_LANGUAGE is not set.")
        page.item("TZ", "The time zone, if neither PICKET_TIMEZONE nor picket.conf sets it.")
        page.item("NO_COLOR", "Output without colors, if not empty.")
        page.item("NOTIFY_SOCKET, WATCHDOG_USEC", "Set by systemd: the service reports when it is ready, alive and stopping.")
    }

    private func files(_ page: inout Roff) {
        page.section("FILES")
        page.item(
            "/etc/picket/picket.conf",
            "Settings, as 'name = value'; comments start with '#'. 'picket config' shows what is set, and where.")
        page.item("DIR/picket.conf", "The same in the data directory; it overrides the one above.")
        page.item("DIR/picket.sqlite, DIR/os-registry.sqlite", "All data, and the simulated phones.")
        page.item(
            "DIR/service.json",
            "The address of the running service and a token for it, readable only by its owner, for commands on this machine.")
        page.item("/var/lib/picket", "The data directory of the service that systemd runs.")
    }

    private func root(_ page: inout Roff) {
        page.section("THE SERVICE OF SYSTEMD")
        page.paragraph(
            """
            picket.service runs under its own user, which exists only while it runs (DynamicUser). Only root can access its data
            directory:
            """)
        page.literal(["sudo picket --data /var/lib/picket token create anna --role admin"])
        page.paragraph(
            """
            Files that root creates in another user's directory belong to the directory's owner when the command has ended, so that the
            service can use them.
            """)
        page.section("SIGNALS")
        page.item("SIGTERM, SIGINT", "'picket serve' finishes what it has accepted, and stops.")
        page.item("SIGHUP", "'picket serve' reloads tokens, log level, broker and certificate, and reopens the log file.")
        page.section("EXAMPLES")
        page.literal([
            "picket geofence add --name Home --circle 52.5163,13.3777,100", "picket feed walk.gpx --device anna",
            "picket visits --device anna",
        ])
    }
}

extension Roff {
    fileprivate mutating func add(_ command: Command) {
        subsection("picket \(command.name)\(command.arguments.isEmpty ? "" : " " + command.arguments)")
        paragraph(command.summary)
        for text in [command.discussion, command.remarkOnServer] where !text.isEmpty { paragraph(text) }
        for option in command.options { item(option) }
        paragraph(command.examples.count == 1 ? "Example:" : "Examples:")
        literal(command.examples)
    }

    fileprivate mutating func item(_ option: Option) {
        item(
            option.name + (option.value.map { " " + $0 } ?? ""),
            option.help + (option.isRepeatable ? " (can be given again)" : "") + ".")
    }
}
