import Client
import Core
import Delivery
import Foundation
import Model
import Notifications
import Service
import ToolSupport

/// The commands `picket sink …`.
enum SinkCommands {
    static let all = [add, list, show, edit, test, pause, resume, rejected, remove]

    /// A line of the help for each kind.
    private static var kinds: String {
        SinkKind.allCases.map { kind in "  " + "\(kind.rawValue) \(kind.place)".padding(22) + " " + kind.about }
            .joined(separator: "\n")
    }

    static let add = Command(
        name: "sink add", summary: "Send events, positions or reports to another service or by mail.", arguments: "KIND PLACE…",
        count: 2...64,
        choices: SinkKind.allCases.map(\.rawValue),
        options: [Option("--id", value: "ID", help: "Id of the sink; default: its kind")] + SinkOptions.all
            + Option.client,
        discussion: """
            Kinds, each with its PLACE:
            \(kinds)
            The sink gets events from now on. The first report is that of the current period, when it has ended. A PLACE that is a secret
            can be read from a file (@FILE) or from standard input (-).
            A running service sends them; without one, they wait for 'picket serve'.
            """,
        examples: [
            "picket sink add ntfy my-family-7f3k",
            "picket sink add telegram 123456789 --sink-token @bot-token.txt --type enter,exit",
            "picket sink add webhook https://example.com/hook --secret @secret.txt --geofence home,school",
            "picket sink add webhook https://example.com/chat --template '{\"msg\":\"{message}\"}'",
            "picket sink add email mia@example.com --smtp smtps://mail.example.com --from picket@example.com --user picket --password @pw",
            "picket sink add report mia@example.com --every month --by device,geofence --smtp smtps://mail.example.com --from p@example.com",
            "picket sink add command -- /usr/local/bin/notify --title {title}",
        ]
    ) { invocation throws(Problem) in
        guard let kind = SinkKind(rawValue: invocation.words[0]) else {
            let kinds = SinkKind.allCases.map(\.rawValue)
            throw .validationFailed(
                field: "KIND", value: invocation.words[0], reason: Phrase("there is no such kind of sink"),
                expected: Suggestions.similar(to: invocation.words[0], among: kinds).first.map {
                    Phrase("'\($0)', or one of \(list: kinds)")
                }
                    ?? .oneOf(kinds))
        }
        var members: [JSONValue.Member] = [.init("kind", .string(kind.rawValue))]
        if let id = invocation.value("--id") { members.append(.init("id", .string(id))) }
        members += try targetMembers(kind, words: Array(invocation.words.dropFirst()))
        let given = try SinkOptions.members(invocation)
        // The default is the time zone of this machine.
        if !given.contains(where: { $0.name == "timeZone" }) { members.append(.init("timeZone", .string(timeZone(invocation)))) }
        let json = JSONValue.null.merged(with: .object(members + given))
        let service = try invocation.editor()
        let sink = try service.makeSink(json)
        let output = invocation.output
        if invocation.isJSON {
            output.print(sink.description)
            return .done
        }
        let id = text(sink, "id")
        invocation.print(Phrase("Added sink \(id): \(kind.rawValue), \(target(of: sink))."))
        invocation.print(Phrase("Try it:  picket sink test \(id)"))
        if !service.isRunning {
            invocation.print(
                kind.contentKind == .reports
                    ? Phrase("Reports are sent while the service runs:  picket serve")
                    : Phrase("Events are sent while the service runs:  picket serve"))
        }
        return .done
    }

    /// The reader's time zone if it is named after a region, else UTC.
    static func timeZone(_ invocation: Invocation) -> String {
        let name = invocation.timeZone.name
        return name.contains("/") && !name.hasPrefix("Etc/") ? name : "UTC"
    }

    /// The target of a sink, from the arguments after its kind.
    private static func targetMembers(_ kind: SinkKind, words: [String]) throws(Problem) -> [JSONValue.Member] {
        if kind.hasSeveralPlaces { return [.init(kind.placeMember, .array(words.map(JSONValue.string)))] }
        if words.count > 1 { throw .usage(reason: .wordTooMany(words[1]), help: "picket sink add --help") }
        let place =
            switch kind.placeMember {
            case "url": kind.url(try FieldOptions.secret(words[0]))
            case "path": URL(filePath: words[0]).path
            default: words[0]
            }
        return [.init(kind.placeMember, .string(place))]
    }

    static let list = Command(
        name: "sink list", summary: "List the sinks, with their states.", options: Option.client,
        examples: ["picket sink list", "picket sink list --json"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let language = invocation.language
        invocation.printList(
            try service.sinkDocuments(), json: \.self,
            ifEmpty: .emptyList(
                Phrase("No sinks in \(service.location)."), hint: Phrase("Send events to a phone:"),
                command: "picket sink add ntfy TOPIC"),
            headings: Phrase("ID|KIND|TO|STATE|WAITING|REJECTED|TOO OLD|DELIVERED|LAST"), numeric: [4, 5, 6, 7]
        ) { sink in
            [
                text(sink, "id"), text(sink, "kind"), target(of: sink).text(in: language), state(sink).text(in: language),
                number(sink, "waiting", in: language), number(sink, "parked", in: language), number(sink, "tooOld", in: language),
                number(sink, "delivered", in: language),
                sink["lastDeliveredAt"]?.string.flatMap { Instant($0) }.map { Format.time($0, in: invocation.timeZone) }
                    ?? Table.noValue,
            ]
        }
        return .done
    }

    static let show = Command(
        name: "sink show", summary: "Show a sink, with its state.", arguments: "ID", count: 1...1, options: Option.client,
        examples: ["picket sink show phone", "picket sink show phone --json"]
    ) { invocation throws(Problem) in
        let sink = try invocation.reader().sinkDocument(id: invocation.words[0])
        print(sink, invocation)
        return .done
    }

    static let edit = Command(
        name: "sink edit", summary: "Change a sink. Events that wait for it are kept.",
        arguments: "ID", count: 1...1,
        options: [Option("--url", value: "URL", help: "Address to send to" + FieldOptions.secretForm)] + SinkOptions.all
            + Option.client,
        discussion:
            "Other fields stay unchanged. A filter applies from the next event on. A sink that is paused because of a problem is tried again.",
        examples: ["picket sink edit phone --quiet 22:00-07:00", "picket sink edit hook --sink-token @token.txt"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        var changes = try SinkOptions.members(invocation)
        if let url = invocation.value("--url") { changes.append(.init("url", .string(try FieldOptions.secret(url)))) }
        if changes.isEmpty {
            throw .usage(reason: .nothingNamed, help: "picket sink edit --help")
        }
        let service = try invocation.editor()
        let changed = try service.putSink(service.sinkDocument(id: id).merged(with: .object(changes)), id: id)
        print(changed, invocation)
        return .done
    }

    static let test = Command(
        name: "sink test", summary: "Send a test event to a sink, and print the outcome.", arguments: "ID", count: 1...1,
        options: Option.client,
        discussion:
            """
            The test ignores the filter, and is sent even if the sink is paused. A sink of reports sends the report of the current period
            so far. The exit status is 0 if it arrived, otherwise 1.
            """,
        examples: ["picket sink test phone"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        let result = try invocation.editor().trySink(id: id)
        let output = invocation.output
        let isDelivered = result["delivered"]?.bool == true
        if invocation.isJSON {
            output.print(result.description)
        } else if isDelivered {
            invocation.print(Phrase("Sink \(id) accepted the test message after \(result["seconds"]?.description ?? "") s."))
        } else {
            invocation.print(Phrase("Sink \(id) did not accept the test message."))
            printProblem(result["problem"], on: output)
        }
        return isDelivered ? .done : .needsAttention
    }

    static let pause = Command(
        name: "sink pause", summary: "Pause a sink. Its events wait.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket sink pause phone"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        let sink = try invocation.editor().holdSink(id: id)
        invocation.print(sink, or: Phrase("Paused sink \(id). Its events wait:  picket sink resume \(id)"))
        return .done
    }

    static let resume = Command(
        name: "sink resume", summary: "Resume a paused sink where it stopped.", arguments: "ID", count: 1...1,
        options: [Option("--skip", "Skip waiting events, and continue with the next one")] + Option.client,
        examples: ["picket sink resume phone", "picket sink resume phone --skip"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        let sink = try invocation.editor().releaseSink(id: id, skipping: invocation.has("--skip"))
        invocation.print(
            sink,
            or: invocation.has("--skip")
                ? Phrase("Sink \(id) starts with the next event.") : Phrase("Sink \(id) continues where it stopped."))
        return .done
    }

    static let rejected = Command(
        name: "sink parked", summary: "List events that a sink rejected; send them again, or discard them.",
        arguments: "ID", count: 1...1,
        options: [
            Option("--resend", "Send the events again"), Option("--discard", "Discard the events"),
            Option("--sequence", value: "N", help: "Only the event with this number"),
        ] + Option.client,
        examples: [
            "picket sink parked hook", "picket sink parked hook --resend", "picket sink parked hook --discard --sequence 412",
        ]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        let output = invocation.output
        let sequence = try invocation.integer("--sequence", in: 1...Int.max).map { Int64($0) }
        if invocation.has("--resend"), invocation.has("--discard") {
            throw .usage(reason: .exclude("--resend", "--discard"), help: "picket sink parked --help")
        }
        if invocation.has("--resend") || invocation.has("--discard") {
            let isResent = invocation.has("--resend")
            let service = try invocation.editor()
            let count =
                isResent
                ? try service.resendRejected(ofSink: id, sequence: sequence)
                : try service.discardRejected(ofSink: id, sequence: sequence)
            invocation.print(
                ["count": JSONValue(count)],
                or: isResent
                    ? Phrase(count, one: "\(count) event is sent again.", other: "\(count) events are sent again.")
                    : Phrase(count, one: "\(count) event is discarded.", other: "\(count) events are discarded."))
            return .done
        }
        var count = 0
        try invocation.reader().forEachRejected(ofSink: id) { rejected throws(Problem) in
            count += 1
            if invocation.isJSON { return output.print(rejected.description) }
            let event = rejected["event"]
            let what = event.map { "\(text($0, "deviceId")) \(text($0, "type")) \($0["geofenceName"]?.string ?? "")" }
            output.print("\(text(rejected, "sequence"))  \(Format.printable(what ?? invocation.text(Phrase("erased"))))")
            printProblem(rejected["problem"], on: output)
        }
        if count == 0, !invocation.isJSON { invocation.print(Phrase("Sink \(id) has rejected no events.")) }
        return .done
    }

    static let remove = Command(
        name: "sink remove", summary: "Remove a sink, with the events that wait for it.", arguments: "ID", count: 1...1,
        options: Option.client, examples: ["picket sink remove phone"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        try invocation.editor().removeSink(id: id)
        invocation.print(["removed": .string(id)], or: Phrase("Removed sink \(id)."))
        return .done
    }

    // MARK: - Words

    private static func text(_ json: JSONValue, _ name: String) -> String {
        Format.printable(json[name]?.string ?? json[name]?.description ?? "")
    }

    private static func number(_ json: JSONValue, _ name: String, in language: Language) -> String {
        json[name]?.double.flatMap { Int(exactly: $0) }.map { language.number($0) } ?? Table.noValue
    }

    /// The target of a sink as text.
    private static func target(of sink: JSONValue) -> Phrase {
        if let chat = sink["chat"]?.string { return Phrase("chat \(Format.printable(chat))") }
        // A newer service can have kinds that this program does not know.
        let member = SinkKind(rawValue: text(sink, "kind"))?.placeMember ?? "url"
        guard let place = sink[member] else { return .verbatim(Table.noValue) }
        let words = (place.array ?? [place]).compactMap(\.string)
        return .verbatim(Format.printable(words.joined(separator: " "), atMost: 120))
    }

    /// The state of a sink as text.
    private static func state(_ sink: JSONValue) -> Phrase {
        guard let connection = sink["connection"] else {
            return sink["isPaused"]?.bool == true ? Phrase("paused") : Phrase("not running")
        }
        return Format.state(ofConnection: connection)
    }

    private static func print(_ sink: JSONValue, _ invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON { return output.print(sink.description) }
        let language = invocation.language
        func line(_ label: Phrase, _ value: String) { output.print("  \(label.text(in: language).padding(10)) \(value)") }
        invocation.print(Phrase("\(text(sink, "id")): \(text(sink, "kind")), \(target(of: sink))"))
        line(Phrase("State"), state(sink).text(in: language))
        printProblem(sink["connection"]?["problem"], on: output)
        if let moved = sink["movedTo"]?.string {
            let advice = Phrase(
                "\(Format.printable(moved)); to use it, run 'picket sink edit \(text(sink, "id")) --url URL'")
            line(Phrase("Moved to"), advice.text(in: language))
        }
        line(Phrase("Waiting"), number(sink, "waiting", in: language))
        line(Phrase("Rejected"), number(sink, "parked", in: language))
        line(Phrase("Too old"), number(sink, "tooOld", in: language))
        line(Phrase("Delivered"), number(sink, "delivered", in: language))
        if let age = sink["maxAge"] { line(Phrase("Max age"), age.double.map(TimeSpan.text) ?? text(sink, "maxAge")) }
        let known = [
            "id", "kind", "url", "isPaused", "connection", "waiting", "parked", "tooOld", "delivered", "lastDeliveredAt",
            "movedTo", "maxAge",
        ]
        for member in sink.members ?? [] where !known.contains(member.name) {
            output.print(
                "  \(member.name.padding(10)) \(Format.printable(member.value.string ?? member.value.description, atMost: 400))")
        }
    }

    private static func printProblem(_ problem: JSONValue?, on output: Output) {
        guard let problem, problem.members != nil else { return }
        output.print(
            "  \(Color.red(text(problem, "title"), on: output)): \(Format.printable(problem["message"]?.string ?? "", atMost: 500))"
        )
        if let details = problem["details"]?.string {
            output.print(Color.dim("    \(Format.printable(details, atMost: 400))", on: output))
        }
    }
}
