import Model
import Service
import ToolSupport

/// The commands `picket group …`.
enum GroupCommands {
    static let all = [list, show, edit]

    /// `--group`, for commands that list devices or geofences.
    static let option = Option("--group", value: "NAME", help: "Only of this group")

    static let list = Command(
        name: "group list", summary: "List the groups of devices, and the geofences for them.", options: Option.client,
        discussion: """
            A group is there as long as a device belongs to it ('picket device edit --groups'), a geofence is for it ('picket geofence
            edit --groups'), or it has values for its devices ('picket group edit').
            """,
        examples: ["picket group list", "picket device list --group family"]
    ) { invocation throws(Problem) in
        let archive = try invocation.queryBackend()
        let groups = try archive.groups()
        let output = invocation.output
        if invocation.isJSON {
            for group in groups { output.print(group.json.description) }
            return .done
        }
        if groups.isEmpty {
            output.print("No groups in \(archive.location).")
            output.print("Put a device into one:  picket device edit my-phone --groups family")
            return .done
        }
        var table = Table(["GROUP", "DEVICES", "GEOFENCES"], numeric: [1, 2])
        for group in groups {
            table.add([Format.printable(group.name), Format.number(group.devices), Format.number(group.geofences)])
        }
        table.print(to: output)
        return .done
    }

    static let show = Command(
        name: "group show", summary: "Show one group, with the values for its devices.", arguments: "NAME", count: 1...1,
        options: Option.client, examples: ["picket group show family"]
    ) { invocation throws(Problem) in
        let group = try invocation.queryBackend().group(named: invocation.words[0])
        print(group, invocation)
        return .done
    }

    static let edit = Command(
        name: "group edit", summary: "Change the values for the devices of a group.", arguments: "NAME", count: 1...1,
        options: [
            Option("--policy", value: "POLICY", help: "exact, balanced or phone, or JSON; none for the setting's").choosing(
                DecisionPolicy.Name.allCases.map(\.rawValue) + ["none"]),
            Option(
                "--silent-after", value: "DURATION",
                help: "Silent when nothing was heard for so long, as 30m; none for the setting's"),
            Option(
                "--keep-positions", value: "DURATION",
                help: "Delete positions after so long, as 90d; 0, forever, or none for the setting's"),
            Option(
                "--quiet-hours", value: "TIMES",
                help:
                    "When sinks are sent nothing of the devices but emergencies, as 22:00-06:00; never, or none for the setting's"
            ),
            Option("--yes", "Keep positions for less than an hour, and delete what is older"),
        ] + Option.client,
        discussion: """
            They hold for each device of the group that has no value of its own. Of several groups, the shortest --silent-after and the
            shortest --keep-positions hold; the policy and the quiet hours are those of the first group by name that has any. What no
            group says is as the settings of the service say (picket config). What is not named stays.
            """,
        examples: ["picket group edit family --silent-after 2h --policy balanced --keep-positions 90d --quiet-hours 22:00-06:00"]
    ) { invocation throws(Problem) in
        let name = invocation.words[0]
        var values = DeviceDefaults()
        try DefaultOptions.change(&values, invocation)
        let options = [
            ("--policy", "policy"), ("--silent-after", "silentAfter"), ("--keep-positions", "keepPositions"),
            ("--quiet-hours", "quietHours"),
        ].filter { invocation.has($0.0) }
        if options.isEmpty { throw .usage(reason: .nothingNamed, help: "picket group edit --help") }
        if let seconds = values.keepPositions, seconds < PositionDeletion.shortestUnconfirmed, !invocation.has("--yes") {
            throw .validationFailed(
                field: "--keep-positions", value: invocation.value("--keep-positions") ?? "", reason: .outOfRange,
                expected: .hourOrYes)
        }
        let patch = JSONValue.object(options.map { .init($0.1, values.json[$0.1] ?? .null) })
        let edited = try invocation.commandBackend().patchGroup(name, with: patch)
        let output = invocation.output
        if invocation.isJSON {
            output.print(edited.json.description)
            return .done
        }
        print(edited.group, invocation)
        output.print("Another value holds for \(Format.count(edited.changedDevices, one: "device", many: "devices")).")
        for event in edited.events { output.print("  " + Format.line(event, on: output)) }
        return .done
    }

    private static func print(_ group: Queries.Group, _ invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON {
            output.print(group.json.description)
            return
        }
        output.print(
            "\(Color.bold(Format.printable(group.name), on: output)): "
                + "\(Format.count(group.devices, one: "device", many: "devices")), "
                + Format.count(group.geofences, one: "geofence", many: "geofences"))
        for line in DefaultLines(group.defaults).lines { output.print("  " + line) }
    }
}
