import Client
import Core
import Foundation
import History
import Model
import Places
import Service
import ToolSupport

/// `picket device export`, `picket device positions remove`, `picket device erase` and `picket compact`.
enum DeviceDataCommands {
    static let export = Command(
        name: "device export", summary: "Export all data of a device.", arguments: "ID [FILE]", count: 1...2,
        options: Option.client,
        discussion: """
            Writes one JSON object per line. Each has one member, whose name is the kind: 'device', 'state', 'rule', 'fix' (a position),
            'seen' (time spans of positions that were removed), 'event', 'visit', 'evidence' (other messages), 'refusedInput' (invalid
            data), 'journal', 'repair', 'health', 'phone' or 'token'. The last line is the summary. Without FILE, writes to standard output.
            """,
        examples: ["picket device export anna-phone anna-phone.ndjson"]
    ) { invocation throws(Problem) in
        let service = try invocation.reader()
        let id = invocation.words[0]
        guard invocation.words.count > 1, invocation.words[1] != "-" else {
            try service.writeExport(ofDevice: id) { invocation.output.write($0) }
            return .done
        }
        let path = invocation.words[1]
        let summary = try service.exportDevice(id: id, to: path)
        let parts = ExportedKind.allCases.compactMap { kind in
            summary[kind.rawValue]?.double.map { kind.counted(Int($0)) }
        }
        invocation.print(
            ["summary": ["file": .string(path), "exported": summary]],
            or: Phrase("\(path): \(Phrase.joined(parts, separator: ", "))."))
        return .done
    }

    static let removePositions = Command(
        name: "device positions", summary: "Remove a device's positions since a time.", arguments: "remove ID", count: 2...2,
        choices: ["remove"],
        options: [
            Option("--since", value: "TIME", help: "Remove positions of this time or later"),
            Option("--dry-run", "Change nothing; print how many positions there are"), Option.yes,
        ] + Option.client,
        discussion: """
            Use this if a device's clock was ahead. Until the wrong time has passed, all correct positions count as late. The events that
            the removed positions caused are retracted, and waiting late positions are evaluated. This cannot be undone.
            """,
        examples: [
            "picket device positions remove anna-phone --since 2038-01-19",
            "picket device positions remove anna-phone --since 2038-01-19 --yes",
        ]
    ) { invocation throws(Problem) in
        let (action, id) = (invocation.words[0], invocation.words[1])
        guard action == "remove" else {
            throw .usage(
                reason: .noAction("device positions", action, actions: ["remove"]), help: "picket device positions --help")
        }
        guard let since = try invocation.instant("--since") else {
            throw .usage(
                reason: .commandNeeds("device positions", "remove ID --since TIME"), help: "picket device positions --help")
        }
        let service = try invocation.editor()
        let time = Format.time(since, in: invocation.timeZone)
        let preview = try service.removePositions(ofDevice: id, since: since, isDry: true)
        if invocation.has("--dry-run") {
            let (count, shown) = (preview.positions, Format.printable(id))
            invocation.print(
                preview.json,
                or: Phrase(
                    count, one: "\(count) position of device \(shown) since \(time).",
                    other: "\(count) positions of device \(shown) since \(time)."))
            return .done
        }
        let shown = Format.printable(preview.deviceId)
        try invocation.confirm(
            Phrase(
                preview.positions,
                one: "Remove \(preview.positions) position of device \(shown) since \(time)? This cannot be undone.",
                other: "Remove \(preview.positions) positions of device \(shown) since \(time)? This cannot be undone."))
        let removal = try service.removePositions(ofDevice: id, since: since, isDry: false)
        let (count, retracted, new) = (removal.positions, removal.retracted ?? 0, removal.new ?? 0)
        let events = Phrase(
            retracted, one: "\(retracted) event retracted, \(new) new", other: "\(retracted) events retracted, \(new) new")
        invocation.print(
            removal.json,
            or: Phrase(
                count, one: "Removed \(count) position of device \(shown) since \(time): \(events).",
                other: "Removed \(count) positions of device \(shown) since \(time): \(events)."))
        return .done
    }

    static let erase = Command(
        name: "device erase", summary: "Erase a device and all its data.", arguments: "ID", count: 1...1,
        options: [Option.yes] + Option.client,
        discussion: """
            Removes positions, events, visits, registrations and the simulated phone from the store and its files. This
            cannot be undone. The numbers of the erased events are not used again. Backups are not changed: delete them yourself if they
            must not contain the device.
            """,
        examples: ["picket device erase anna-phone --yes"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        try invocation.confirm(Phrase("Erase device \(Format.printable(id)) and all its data? This cannot be undone."))
        let erased = try invocation.editor().eraseDevice(id)
        let output = invocation.output
        if invocation.isJSON {
            output.print(erased.json.description)
        } else {
            invocation.print(
                Phrase("Erased device \(id) with \(Phrase.positions(erased.fixes)) and \(Phrase.events(erased.events))."))
            if !erased.isGone {
                invocation.print(
                    Phrase(
                        """
                        Another process is reading the store. Run 'picket compact' when it has finished, to remove all traces from the \
                        files.
                        """))
            }
            for copy in erased.copies { invocation.print(Phrase("This copy may still contain the device: \(copy)")) }
        }
        return erased.isGone ? .done : .needsAttention
    }

    static let compact = Command(
        name: "compact", summary: "Rewrite the store, so that it takes as little space as possible.",
        discussion: """
            The space of removed data is reused, but only this command makes the files smaller. While it runs, it needs free space
            of the size of the store.
            """,
        noServer: .worksOnFilesOfService(Phrase("it rewrites the files of the store, which a running service has open")),
        examples: ["picket compact"]
    ) { invocation throws(Problem) in
        let service = try invocation.writingService()
        let before = service.directory.size
        let isDone = try service.rewrite()
        let after = service.directory.size
        if invocation.isJSON {
            invocation.output.print(
                JSONValue.compact([("bytesBefore", JSONValue(before)), ("bytes", JSONValue(after)), ("isDone", .bool(isDone))])
                    .description)
        } else {
            invocation.print(Phrase("\(Format.size(before)) before, \(Format.size(after)) now."))
            if !isDone {
                invocation.print(
                    Phrase("Another process is reading the store. Run 'picket compact' again when it has finished."))
            }
        }
        return isDone ? .done : .needsAttention
    }
}
