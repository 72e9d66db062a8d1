import Model
import Service
import ToolSupport

/// The commands `picket group …`.
enum GroupCommands {
    static let all = [list]

    /// `--group`, for commands that list devices or geofences.
    static let option = Option("--group", value: "NAME", help: "Only this group")

    static let list = Command(
        name: "group list", summary: "List the groups, with their numbers of devices and geofences.", options: Option.client,
        discussion: """
            A group exists as long as a device belongs to it ('picket device edit --groups') or a geofence is for it ('picket geofence
            edit --groups').
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
}
