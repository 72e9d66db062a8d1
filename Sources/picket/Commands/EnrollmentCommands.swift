import Client
import Core
import Model
import Places
import QRCode
import Service
import ToolSupport

/// `picket device enroll`, `waiting`, `refuse` and `readmit`: give phones a token, and list and hide devices that report without one.
enum EnrollmentCommands {
    static let all = [enroll, waiting, refuse, readmit]

    /// A phone app that sends positions.
    enum App: String, CaseIterable { case owntracks, traccar }

    static let enroll = Command(
        name: "device enroll", summary: "Create a token for a phone, and show how to set up its app.", arguments: "ID",
        count: 1...1,
        options: [
            Option("--app", value: "APP", help: "Show only the settings of this app: owntracks or traccar").choosing(App.self),
            Option("--name", value: "NAME", help: "Name; default: the id"),
            Option("--platform", value: "PLATFORM", help: "ios or android, for a new device").choosing(
                Device.Platform.self),
            Option("--qr", "Draw the QR code even if standard output is not a terminal"),
        ] + Option.client,
        discussion: """
            Adds the device if it does not exist, and creates a token that can only report positions of this device. Scan the QR code
            with the phone's camera or with the app. It contains the secret, which is shown only once and is not stored.
            After the first token, the service refuses requests without one. Therefore a token with the role admin is created with it,
            for yourself.
            """,
        examples: [
            "picket device enroll anna-phone --name \"Anna's phone\" --app owntracks", "picket device enroll van-7 --app traccar",
        ]
    ) { invocation throws(Problem) in
        let app = try invocation.oneOf("--app", App.self)
        let request = EnrollmentRequest(
            deviceId: invocation.words[0], name: invocation.value("--name"),
            platform: try invocation.oneOf("--platform", Device.Platform.self))
        let json = try invocation.editor().enroll(request)
        if invocation.isJSON {
            invocation.output.print(json.description)
            return .done
        }
        try print(Answer(json, source: .service), app, invocation)
        return .done
    }

    private static func print(_ enrollment: Answer, _ app: App?, _ invocation: Invocation) throws(Problem) {
        let output = invocation.output
        let device = try enrollment.object("device")
        let (id, name) = (try device.text("id"), try device.text("name"))
        let named = Format.printable(id) + (name == id ? "" : " (\(Format.printable(name)))")
        invocation.print(
            try enrollment.flag("isNew") ? Phrase("Added device \(named).") : Phrase("Enrolled device \(named)."))
        for warning in try enrollment.list("warnings") {
            output.print("\(Color.yellow(try warning.text("title"), on: output)): \(try warning.text("message"))")
        }
        if app != .traccar {
            let settings = try enrollment.object("ownTracks")
            heading("OwnTracks", output)
            for (label, value) in [("Mode", "HTTP")] + (try texts(settings)) { output.print("  \(label.padding(10)) \(value)") }
            let advice = Phrase("Its settings must allow external configuration before it accepts the QR code or the link:")
            output.print("  " + invocation.text(advice))
            try draw(settings, invocation)
        }
        if app != .owntracks {
            let settings = try enrollment.object("traccar")
            heading("Traccar Client", output)
            output.print("  \("Server URL".padding(10)) \(try settings.text("serverUrl"))")
            output.print("  \("Identifier".padding(10)) \(try settings.text("deviceId"))")
            try draw(settings, invocation)
        }
        if app == nil {
            heading(invocation.text(Phrase("By hand")), output)
            output.print("  \(try enrollment.object("curl").text("command"))")
        }
        output.print()
        invocation.print(
            Phrase("Save this now: the secret is not shown again. 'picket status' shows the phone after its first position."))
        for other in try enrollment.list("otherTokens") {
            let id = try other.text("id")
            invocation.print(
                Phrase("An earlier token of this device is still valid. To revoke it: picket token revoke \(id)"))
        }
        if enrollment.json["administrator"] != nil {
            let own = try enrollment.object("administrator")
            output.print()
            invocation.print(
                Phrase("This was the first token: from now on, every request needs one. Your token, with the role admin:"))
            output.print()
            output.print("  \(try own.text("secret"))")
        }
    }

    private static func heading(_ text: String, _ output: Output) {
        output.print()
        output.print(Color.bold(text, on: output))
    }

    private static func texts(_ settings: Answer) throws(Problem) -> [(String, String)] {
        [
            ("URL", try settings.text("url")), ("Username", try settings.text("username")),
            ("Password", try settings.text("password")), ("Device ID", try settings.text("deviceId")),
        ]
    }

    /// Prints a link, and draws its QR code when standard output is a terminal or with `--qr`.
    private static func draw(_ settings: Answer, _ invocation: Invocation) throws(Problem) {
        let output = invocation.output
        let link = try settings.text("link")
        if output.isTerminal || invocation.has("--qr") {
            output.print()
            for line in try QRSymbol(link).halfBlocks(isColored: output.isColored) { output.print("  " + line) }
        }
        output.print()
        output.print("  \(link)")
    }

    static let waiting = Command(
        name: "device waiting", summary: "List the devices that report without a valid token.", options: Option.client,
        discussion: """
            Once tokens exist, positions of a device without a token are refused. A running service remembers the devices that it has
            refused since it started. Accept a device with 'picket device enroll ID', or hide it with 'picket device refuse ID'.
            """,
        examples: ["picket device waiting", "picket device waiting --json"]
    ) { invocation throws(Problem) in
        let output = invocation.output
        let service = try invocation.reader()
        let list = try service.waitingDevices()
        if invocation.isJSON {
            for device in list.waiting { output.print(JSONValue.object([.init("waiting", device.json)]).description) }
            for device in list.refused { output.print(JSONValue.object([.init("refused", device.json)]).description) }
            return .done
        }
        if !service.isRunning {
            invocation.print(Phrase("No service runs on \(invocation.directory.path), so no devices are waiting."))
        } else if list.waiting.isEmpty {
            invocation.print(Phrase("No devices are waiting."))
        } else {
            let language = invocation.language
            var table = Table(Phrase("ID|KNOWN|BY|TOKEN|FROM|REQUESTS|LAST"), numeric: [5], in: language)
            for device in list.waiting {
                table.add([
                    Format.printable(device.deviceId), (device.isKnown ? Phrase("yes") : Phrase("no")).text(in: language),
                    device.protocols.map(\.rawValue).joined(separator: ", "),
                    (device.hasToken ? Phrase("invalid") : Phrase("none")).text(in: language), device.address,
                    language.number(device.count), Format.time(device.lastAt, in: invocation.timeZone),
                ])
            }
            table.print(to: output)
            invocation.print(Phrase("Accept one:  picket device enroll ID      Hide one:  picket device refuse ID"))
        }
        printRefused(list.refused.map(\.deviceId), invocation)
        return .done
    }

    private static func printRefused(_ ids: [String], _ invocation: Invocation) {
        if ids.isEmpty { return }
        invocation.print(Phrase("Refused and hidden: \(list: ids.map { Format.printable($0) })."))
    }

    static let refuse = Command(
        name: "device refuse", summary: "Hide a device that reports without a valid token.", arguments: "ID", count: 1...1,
        options: Option.client,
        discussion:
            "Its positions are refused in any case. A token that may report for any device can still report for this one.",
        examples: ["picket device refuse jane/phone"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        try invocation.editor().refuseDevice(id)
        invocation.print(
            ["refused": .string(id)],
            or: Phrase("Refused device \(Format.printable(id)). To see it again: picket device readmit \(Format.printable(id))"))
        return .done
    }

    static let readmit = Command(
        name: "device readmit", summary: "Show a hidden device again when it reports.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket device readmit jane/phone"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        try invocation.editor().acceptDevice(id)
        invocation.print(["readmitted": .string(id)], or: Phrase("Device \(Format.printable(id)) is no longer refused."))
        return .done
    }
}
