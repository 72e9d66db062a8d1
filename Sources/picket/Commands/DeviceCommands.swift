import Client
import Core
import Model
import Places
import Presence
import Registrations
import Service
import ToolSupport

/// The commands `picket device …`.
enum DeviceCommands {
    static let all =
        [add, list, show, edit, remove] + EnrollmentCommands.all + [
            DeviceDataCommands.export, DeviceDataCommands.removePositions, DeviceDataCommands.erase,
        ]

    private static let fields =
        FieldOptions.of(Device.fields)
        + FieldOptions.of(DeviceDefaults.fields, otherwise: "for the value of its groups or the settings") + [
            Option(
                "--owntracks-key", value: "FILE",
                help: "File with the key of its encrypted messages; - for standard input, none to remove the key"),
            Option("--yes", "Confirm that positions are kept for less than an hour and older ones are deleted"),
        ]

    static let add = Command(
        name: "device add", summary: "Add a device.", arguments: "ID", count: 1...1,
        options: fields + ProfileOptions.ofDevice + Option.client,
        discussion: "A device is also added automatically with its first position.",
        examples: [
            "picket device add anna-phone --name \"Anna's phone\" --groups family",
            "picket device add anna-phone --platform ios --registry app", "picket device add test-phone --platform ios",
            "picket device add test-phone --platform android --profile custom --region-limit 10",
        ]
    ) { invocation throws(Problem) in
        let service = try invocation.editor()
        let id = invocation.words[0]
        if try service.hasDevice(id: id) {
            throw .conflict(
                kind: .device, id: id, reason: Phrase("already exists. Change it with 'picket device edit \(id)'"))
        }
        var device = Device(id: id)
        try change(&device, invocation)
        try confirmRetention(of: device, service, invocation)
        let key = try ownTracksKey(invocation)
        let profile = try phoneProfile(of: device, invocation)
        let events = try service.put(device, .isNew)
        if let key { try service.setOwnTracksKey(key.text, ofDevice: id) }
        if let profile { try service.usePhoneProfile(profile, ofDevice: id) }
        printChange(
            isNew: true, device: try service.device(id: id), events: events, deletion: nil, key: key, invocation: invocation)
        return .done
    }

    static let edit = Command(
        name: "device edit", summary: "Change one device, or several at once.", arguments: "[ID…]", count: 0...10_000,
        options: fields + ProfileOptions.ofDevice + [
            Option("--group", value: "NAME", help: "Change all devices of this group"), Option("--all", "Change all devices"),
            Option("--dry-run", "Change nothing; print what would change"),
        ] + Option.client,
        discussion: "Other fields stay unchanged. If one of several devices cannot be changed, none is.",
        examples: [
            "picket device edit anna-phone --policy exact", "picket device edit --group family --silent-after 2h --dry-run",
            "picket device edit --all --keep-positions 90d",
        ]
    ) { invocation throws(Problem) in
        let selection = try DeviceBulkEdit.selection(invocation)
        if invocation.words.count != 1 || invocation.has("--dry-run") {
            return try DeviceBulkEdit.run(selection, patch: patch(invocation), invocation)
        }
        let service = try invocation.editor()
        let old = try service.device(id: invocation.words[0])
        var device = old
        try change(&device, invocation)
        let deletion = try deletion(ofDevice: device.id, service, invocation)
        let key = try ownTracksKey(invocation)
        let profile = try phoneProfile(of: device, invocation)
        let events = try service.put(device, .isTagged([old.json.tag]))
        if let key { try service.setOwnTracksKey(key.text, ofDevice: device.id) }
        if let profile { try service.usePhoneProfile(profile, ofDevice: device.id) }
        printChange(
            isNew: false, device: try service.device(id: device.id), events: events, deletion: deletion, key: key,
            invocation: invocation)
        return .done
    }

    /// The merge patch (RFC 7396) that the options mean for each of several devices.
    private static func patch(_ invocation: Invocation) throws(Problem) -> JSONValue {
        let help = "picket device edit --help"
        for option in ["--owntracks-key", "--profile"] where invocation.has(option) {
            throw .usage(reason: Phrase("'\(option)' can be used only with the ID of one device"), help: help)
        }
        if invocation.has("--platform"), !invocation.has("--registry") {
            throw .usage(reason: .goTogether("--platform", "--registry"), help: help)
        }
        let patch = try members(invocation)
        if patch.isEmpty { throw .usage(reason: .nothingNamed, help: help) }
        return .object(patch)
    }

    /// The merge patch that the given options mean.
    private static func members(_ invocation: Invocation) throws(Problem) -> [JSONValue.Member] {
        try FieldOptions.members(changing: Device(id: ""), Device.fields, invocation)
            + FieldOptions.members(changing: DeviceDefaults(), DeviceDefaults.fields, invocation)
    }

    /// Changes the fields whose options are given.
    private static func change(_ device: inout Device, _ invocation: Invocation) throws(Problem) {
        try FieldOptions.change(&device, Device.fields, by: invocation)
        if invocation.has("--platform"), device.registry == .none, !invocation.has("--registry") { device.registry = .simulated }
        try FieldOptions.change(&device.own, DeviceDefaults.fields, by: invocation)
        if let flaw = device.flaw { throw flaw }
    }

    /// What other groups or a new `--keep-positions` will delete, and when; nil if the positions are kept as long as before, or forever.
    ///
    /// - Throws: `Problem.validationFailed` when positions would be kept for less than an hour and `--yes` is missing.
    private static func deletion(
        ofDevice id: String, _ service: ServiceClient, _ invocation: Invocation
    ) throws(Problem) -> (what: PositionDeletion, when: PositionDeletion.Time)? {
        let members = try members(invocation).filter { ["groups", "keepPositions"].contains($0.name) }
        if members.isEmpty { return nil }
        let change = DevicePatch(.devices([id]), patch: .object(members))
        return try DeviceBulkEdit.confirmDeletion(of: change, service, invocation).map { ($0, service.timeOfDeletion) }
    }

    /// Throws `Problem.validationFailed` when a new device's positions would be kept for less than an hour and `--yes` is missing.
    private static func confirmRetention(
        of device: Device, _ service: ServiceClient, _ invocation: Invocation
    ) throws(Problem) {
        guard let text = invocation.value("--keep-positions"), let seconds = device.own.keepPositions, seconds.isFinite else {
            return
        }
        try PositionDeletion(positions: 0, of: 0).confirm(
            seconds, text, field: "--keep-positions", isConfirmed: invocation.has("--yes"), when: service.timeOfDeletion)
    }

    /// The change to a device's key that `--owntracks-key` requests.
    private struct OwnTracksKey {
        /// The key of the device's encrypted messages; nil to delete the stored key.
        var text: String?
    }

    /// Reads the key from the file that `--owntracks-key` names: its first line. The key is not an argument itself, because other
    /// users can see arguments in the process list.
    private static func ownTracksKey(_ invocation: Invocation) throws(Problem) -> OwnTracksKey? {
        guard let path = invocation.value("--owntracks-key") else { return nil }
        if path == "none" { return OwnTracksKey() }
        let text = String(decoding: try GeofenceFile.read(path), as: UTF8.self)
        let key = String(text.prefix { !$0.isNewline })
        try Queries.check(ownTracksKey: key, field: "--owntracks-key")
        return OwnTracksKey(text: key)
    }

    /// The profile that the options choose for the device's simulated phone; nil if they choose none.
    ///
    /// - Throws: `Problem.validationFailed` if the device's phone is not simulated, or its platform has no such profile.
    private static func phoneProfile(of device: Device, _ invocation: Invocation) throws(Problem) -> SimulatedProfile? {
        guard let chosen = try ProfileOptions.chosen(by: invocation, limitOption: "--region-limit") else { return nil }
        try device.checkSimulated()
        _ = try chosen.profile(on: device.platform ?? .ios, names: ProfileOptions.names(limit: "--region-limit"))
        return chosen
    }

    private static func printChange(
        isNew: Bool, device: Device, events: [Event], deletion: (what: PositionDeletion, when: PositionDeletion.Time)?,
        key: OwnTracksKey?, invocation: Invocation
    ) {
        if invocation.isJSON {
            let deletion = deletion.map { [JSONValue.Member("deletion", $0.what.json(in: AnswerLocale()))] } ?? []
            let key = key.map { [JSONValue.Member("hasOwnTracksKey", .bool($0.text != nil))] } ?? []
            invocation.output.print(JSONValue.object((device.json.members ?? []) + key + deletion).description)
        } else {
            let shown = device.name == device.id ? device.id : "\(device.id) (\(device.name))"
            invocation.print(isNew ? Phrase("Added device \(shown).") : Phrase("Changed device \(shown)."))
            if device.registry == .simulated, invocation.value("--platform") != nil {
                invocation.print(
                    Phrase(
                        """
                        Its phone is simulated: nothing on a real phone is read or changed. For a real phone, use --registry app \
                        (your app reports its regions), owntracks, or none.
                        """))
            }
            if let profile = invocation.value("--profile") {
                invocation.print(
                    Phrase("Its phone handles regions according to the profile \(profile); no region is registered on it yet."))
            }
            if device.registry == .owntracks, invocation.value("--registry") != nil {
                let command = "picket fix-registration --device \(device.id)"
                invocation.print(
                    device.platform == .ios
                        ? Phrase(
                            """
                            Allow remote commands in its OwnTracks app (the settings cmd and remoteConfiguration), then: \(command)
                            """)
                        : Phrase("Allow remote commands in its OwnTracks app, then: \(command)"))
            }
            if let key {
                invocation.print(
                    key.text == nil ? Phrase("  Its key was removed.") : Phrase("  Its key was saved, and is not shown again."))
            }
            if let (what, when) = deletion, what.positions > 0 {
                invocation.print(what.announcement(when: when))
            }
            for event in events { invocation.output.print("  " + Format.line(event, for: invocation)) }
        }
    }

    static let list = Command(
        name: "device list", summary: "List the devices.", options: [GroupCommands.option] + Option.client,
        examples: ["picket device list --group family"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let devices: [Device]
        if let group = invocation.value("--group") {
            devices = try service.devices(inGroup: group)
        } else {
            devices = try service.devices()
        }
        let output = invocation.output
        if invocation.isJSON {
            for device in devices { output.print(device.json.description) }
            return .done
        }
        if devices.isEmpty, let filter = invocation.filter("--group") {
            invocation.print(Phrase("No device in \(service.location) matches \(filter)."))
            return .done
        }
        if devices.isEmpty {
            invocation.print(Phrase("No devices in \(service.location)."))
            invocation.print(
                Phrase("A device is created by its first position, from a phone's app (docs/phones.md) or from a file:"))
            output.print("  picket feed track.gpx --device my-phone")
            return .done
        }
        var table = Table(Phrase("ID|NAME|GROUPS|POLICY|PLATFORM|REGISTRY"), in: invocation.language)
        for device in devices {
            table.add([
                device.id, device.name, device.groups.joined(separator: ","), device.policy.nameOrJSON,
                device.platform?.rawValue ?? Table.noValue,
                device.registry == .none
                    ? invocation.text(Phrase("not managed"))
                    : device.registry == .simulated ? invocation.text(Phrase("(simulated)")) : device.registry.rawValue,
            ])
        }
        table.print(to: output)
        return .done
    }

    static let show = Command(
        name: "device show", summary: "Show a device, with its position.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket device show anna-phone"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let device = try service.device(id: invocation.words[0])
        let output = invocation.output
        let concerns = try service.concerns(ofDevice: device.id)
        if invocation.isJSON {
            output.print(ShownDevice(device, concerns).json(in: AnswerLocale()).description)
            return .done
        }
        output.print("\(Color.bold(Format.name(device.name), on: output)) (\(device.id))")
        for line in Device.fields.compactMap({ $0.line(device) }) { output.print("  " + Format.name(invocation.text(line))) }
        for line in device.defaultLines { output.print("  " + invocation.text(line)) }
        if concerns.hasOwnTracksKey {
            output.print("  " + invocation.text(Phrase("encrypted messages can be read: its key is saved")))
        }
        for whereabouts in try service.deviceStatuses(deviceId: device.id, geofenceId: nil, counting: false) {
            output.print("  " + invocation.text(QueryCommands.location(of: whereabouts, in: invocation.timeZone)))
        }
        for problem in concerns.problems {
            output.print("  " + invocation.text(Phrase("problem: \(problem["problem"]?["message"]?.string ?? "")")))
        }
        for refused in concerns.refusedInput {
            let reason = Phrase(json: refused).map { $0.text(in: invocation.language) } ?? ""
            let count = refused["count"]?.double.flatMap { Int(exactly: $0) } ?? 0
            let field = refused["field"]?.string ?? ""
            let line = Phrase(
                count, one: "refused: \(count) input, \(field): \(reason)",
                other: "refused: \(count) inputs, \(field): \(reason)")
            let last = refused["lastAt"]?.string.flatMap(Instant.init).map { Format.time($0, in: invocation.timeZone) }
            output.print("  " + invocation.text(last.map { Phrase("\(line) (last \($0))") } ?? line))
        }
        return .done
    }

    static let remove = Command(
        name: "device remove", summary: "Remove a device and its positions.", arguments: "ID", count: 1...1,
        options: [Option.yes] + Option.client,
        discussion: """
            Deletes its positions, its registrations and its simulated phone, which cannot be undone. Open visits end (cause
            deviceRemoved). Its events and visits are kept; 'picket device erase' deletes these too.
            """,
        examples: ["picket device remove anna-phone", "picket device remove anna-phone --yes"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        let contents = try invocation.reader().contents(ofDevice: id)
        let (shown, positions) = (Format.printable(id), contents.positions)
        let (events, visits) = (contents.events, contents.visits)
        let keptEvents = Phrase(events, one: "Its \(events) event and", other: "Its \(events) events and")
        let keptVisits = Phrase(visits, one: "\(visits) visit are kept.", other: "\(visits) visits are kept.")
        let rest = Phrase("\(keptEvents) \(keptVisits)")
        try invocation.confirm(
            Phrase(
                positions,
                one: "Remove device \(shown) with \(positions) position and its registrations? This cannot be undone. \(rest)",
                other: "Remove device \(shown) with \(positions) positions and its registrations? This cannot be undone. \(rest)")
        )
        let exits = try invocation.editor().removeDevice(id: id)
        if invocation.isJSON {
            invocation.output.print(JSONValue.object([.init("removed", .string(id))] + contents.members).description)
        } else {
            invocation.print(
                Phrase(
                    positions, one: "Removed device \(shown) with \(positions) position. \(rest)",
                    other: "Removed device \(shown) with \(positions) positions. \(rest)"))
            for event in exits { invocation.output.print("  " + Format.line(event, for: invocation)) }
        }
        return .done
    }
}
