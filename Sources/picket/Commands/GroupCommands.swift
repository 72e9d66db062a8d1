import Client
import Core
import Model
import Places
import Service
import ToolSupport

/// The commands `picket group …`.
enum GroupCommands {
    static let all = [list, show, edit]

    /// `--group`, for commands that list devices or geofences.
    static let option = Option("--group", value: "NAME", help: "Only this group")

    static let list = Command(
        name: "group list", summary: "List the groups, with their numbers of devices and geofences.", options: Option.client,
        discussion: """
            A group exists as long as a device belongs to it ('picket device edit --groups'), a geofence is for it ('picket geofence edit
            --groups'), or it has values for its devices ('picket group edit').
            """,
        examples: ["picket group list", "picket device list --group family"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let language = invocation.language
        invocation.printList(
            try service.groups(), json: \.json,
            ifEmpty: .emptyList(
                Phrase("No groups in \(service.location)."), hint: Phrase("Add a device to one:"),
                command: "picket device edit my-phone --groups family"),
            headings: Phrase("GROUP|DEVICES|GEOFENCES"), numeric: [1, 2]
        ) { group in
            [Format.printable(group.name), language.number(group.devices), language.number(group.geofences)]
        }
        return .done
    }

    static let show = Command(
        name: "group show", summary: "Show one group, with the values for its devices.", arguments: "NAME", count: 1...1,
        options: Option.client, examples: ["picket group show family"]
    ) { invocation throws(Problem) in
        let group = try invocation.reader().group(named: invocation.words[0])
        print(group, invocation)
        return .done
    }

    static let edit = Command(
        name: "group edit", summary: "Change the values for the devices of a group.", arguments: "NAME", count: 1...1,
        options: FieldOptions.of(DeviceDefaults.fields, otherwise: "for that of the settings") + [
            Option("--yes", "Confirm that positions are kept for less than an hour and older ones are deleted"),
            Option("--dry-run", "Change nothing; print what would change"),
        ] + Option.client,
        discussion: """
            The values apply to each device of the group without its own value. Of several groups, the shortest --silent-after and the
            shortest --keep-positions apply; the policy and the quiet hours are those of the first group by name that has them. If no group
            has a value, that of the service's settings applies (picket config). Other values stay unchanged.
            """,
        examples: [
            "picket group edit family --silent-after 2h --policy balanced --keep-positions 90d --quiet-hours 22:00-06:00",
            "picket group edit family --keep-positions 30d --dry-run",
        ]
    ) { invocation throws(Problem) in
        let name = invocation.words[0]
        let changes = try FieldOptions.members(changing: DeviceDefaults(), DeviceDefaults.fields, invocation)
        if changes.isEmpty { throw .usage(reason: .nothingNamed, help: "picket group edit --help") }
        let patch = JSONValue.object(changes)
        let service = try invocation.editor()
        let isDry = invocation.has("--dry-run")
        if !isDry, let text = invocation.value("--keep-positions"), let seconds = patch["keepPositions"]?.double,
            seconds < PositionDeletion.shortestUnconfirmed, !invocation.has("--yes")
        {
            let preview = try service.patchGroup(name, with: patch, isDry: true)
            let deletion = preview.deletion ?? PositionDeletion(positions: 0, of: 0)
            try deletion.confirm(seconds, text, field: "--keep-positions", isConfirmed: false, when: service.timeOfDeletion)
        }
        let edit = try service.patchGroup(name, with: patch, isDry: isDry)
        if invocation.isJSON {
            invocation.output.print(edit.json.description)
        } else {
            print(edit, when: service.timeOfDeletion, invocation)
        }
        return .done
    }

    private static func print(_ edit: GroupEdit, when time: PositionDeletion.Time, _ invocation: Invocation) {
        let output = invocation.output
        print(edit.group, invocation)
        let devices = Phrase.devices(edit.changedDevices)
        invocation.print(edit.isApplied ? Phrase("Changed \(devices).") : Phrase("Would change \(devices)."))
        if let deletion = edit.deletion, deletion.positions > 0 {
            invocation.print(deletion.line(isApplied: edit.isApplied, when: time))
        }
        for event in edit.events { output.print("  " + Format.line(event, for: invocation)) }
    }

    private static func print(_ group: Queries.Group, _ invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON {
            output.print(group.json.description)
            return
        }
        let name = Color.bold(Format.printable(group.name), on: output)
        invocation.print(Phrase("\(name): \(Phrase.devices(group.devices)), \(Phrase.geofences(group.geofences))"))
        for line in group.defaults.lines { output.print("  " + invocation.text(line)) }
    }
}
