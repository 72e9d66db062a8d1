import Client
import Core
import Model
import Service
import ToolSupport

/// `picket alarm list` and `picket alarm ack`.
enum AlarmCommands {
    static let all = [list, acknowledge]

    static let list = Command(
        name: "alarm list", summary: "List alarms that devices raised, the newest first.",
        options: [Option("--open", "Only alarms that are not acknowledged")] + Option.client,
        discussion: """
            A device raises an alarm with 'alarm' in its message, for example {"device":"mia","alarm":"sos",…} or
            /osmand?id=mia&alarm=sos. An alarm that means danger to a person (sos, panic, fallDown, accident and similar ones) is an
            emergency: Picket sends it at once to every sink without '--emergency no', regardless of filters and quiet hours, and
            sends it again until a person acknowledges it. The exit status is 1 if the list has an unacknowledged emergency.
            """,
        examples: ["picket alarm list --open", "picket alarm ack 1208"]
    ) { invocation throws(Problem) in
        var open = 0
        var count = 0
        try invocation.reader().forEachAlarm(onlyOpen: invocation.has("--open")) { event in
            count += 1
            if event.isOpenEmergency { open += 1 }
            if invocation.isJSON {
                invocation.output.print(event.json.description)
            } else {
                print(event, invocation)
            }
        }
        if count == 0, !invocation.isJSON {
            invocation.print(invocation.has("--open") ? Phrase("No open alarms.") : Phrase("No device has raised an alarm."))
        }
        return open == 0 ? .done : .needsAttention
    }

    static let acknowledge = Command(
        name: "alarm ack", summary: "Acknowledge an alarm, so that it is not sent again.", arguments: "NUMBER", count: 1...1,
        options: [Option("--by", value: "NAME", help: "Your name")] + Option.client,
        examples: ["picket alarm ack 1208 --by Anna"]
    ) { invocation throws(Problem) in
        let event = try invocation.editor().acknowledgeAlarm(invocation.words[0], by: invocation.value("--by"))
        if invocation.isJSON {
            invocation.output.print(event.json.description)
        } else {
            print(event, invocation)
        }
        return .done
    }

    private static func print(_ event: Event, _ invocation: Invocation) {
        let output = invocation.output
        guard let alarm = event.alarm else { return }
        let isOpen = event.isOpenEmergency
        let isEmergency = event.urgency == .emergency
        let color: Color = isOpen ? .red : .dim
        let kind = Format.printable(alarm.kind)
        let shown = invocation.text(isEmergency ? Phrase("EMERGENCY \(kind)") : .verbatim(kind))
        output.print(
            "\(event.sequence)  \(Format.time(event.occurredAt, in: invocation.timeZone))  \(event.deviceId)  "
                + color(shown, on: output))
        let inside = alarm.inside.map(\.geofenceName)
        var line =
            alarm.hasPosition
            ? Phrase(
                "at \(Format.place(event.fix.coordinate)) (\(Format.time(event.fix.time, in: invocation.timeZone)))")
            : Phrase("no position is known")
        if !inside.isEmpty { line = Phrase("\(line), in \(list: inside)") }
        if isEmergency { line = Phrase("\(line); emergency number \(alarm.emergencyNumber)") }
        output.print("    " + invocation.text(line))
        if let acknowledgement = alarm.acknowledgement {
            let time = Format.time(acknowledgement.at, in: invocation.timeZone)
            let acknowledged = acknowledgement.by.map { Phrase("acknowledged \(time) by \(Format.printable($0))") }
            output.print("    " + invocation.text(acknowledged ?? Phrase("acknowledged \(time)")))
        } else if isOpen {
            output.print("    " + invocation.text(Phrase("open: picket alarm ack \(plain: event.sequence)")))
        }
    }
}
