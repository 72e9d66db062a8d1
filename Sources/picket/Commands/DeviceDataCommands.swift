import Foundation
import Model
import Service
import ToolSupport

/// `picket device export`, `picket device erase` and `picket compact`.
enum DeviceDataCommands {
    static let export = Command(
        name: "device export", summary: "Write all that is known of a device.", arguments: "ID [FILE]", count: 1...2,
        options: Option.client,
        discussion: """
            One JSON object a line, each with one member that says what it is: device, state, fix, seen (when it sent positions that
            were removed since), event, visit, evidence, refusedInput (what it sent that could not be used), journal, repair, health,
            phone, token; the last line is the summary. To standard output without a FILE.
            """,
        examples: ["picket device export anna-phone anna-phone.ndjson"]
    ) { invocation throws(Problem) in
        let service = try invocation.queryBackend()
        let id = invocation.words[0]
        guard invocation.words.count > 1, invocation.words[1] != "-" else {
            try service.writeExport(ofDevice: id) { invocation.output.write($0) }
            return .done
        }
        let path = invocation.words[1]
        let summary = try service.exportDevice(id: id, to: path)
        if invocation.isJSON {
            invocation.output.print(
                JSONValue.object([.init("summary", ["file": .string(path), "exported": summary])]).description)
        } else {
            let parts = (summary.members ?? []).map { "\(Format.number(Int($0.value.double ?? 0))) \($0.name)" }
            invocation.output.print("\(path): \(parts.joined(separator: ", ")).")
        }
        return .done
    }

    static let erase = Command(
        name: "device erase", summary: "Erase a device and all that is known of it.", arguments: "ID", count: 1...1,
        options: [Option.yes] + Option.client,
        discussion: """
            Positions, events, visits, registrations and its simulated phone: gone, also from the files, which are written anew. It
            cannot be undone. In the numbering of events its numbers stay empty. Backups still hold it: they are yours to deal with.
            """,
        examples: ["picket device erase anna-phone --yes"]
    ) { invocation throws(Problem) in
        let id = invocation.words[0]
        try invocation.confirm(invocation.language.terminal.eraseQuestion(Format.printable(id)))
        let erased = try invocation.commandBackend().eraseDevice(id)
        let output = invocation.output
        if invocation.isJSON {
            output.print(erased.json.description)
        } else {
            output.print(
                "Erased device \(id) with \(Format.count(erased.fixes, one: "fix", many: "fixes")) and "
                    + "\(Format.count(erased.events, one: "event", many: "events")).")
            if !erased.isGone {
                output.print(
                    "Somebody reads the store: its traces are gone from the files after 'picket compact' when nobody does.")
            }
            for copy in erased.copies { output.print("This copy may still hold it: \(copy)") }
        }
        return erased.isGone ? .done : .notWell
    }

    static let compact = Command(
        name: "compact", summary: "Write the store anew, as small as it can be.",
        discussion: """
            Room of what was removed is used again, but files become smaller only by this. It takes as much room again meanwhile.
            """,
        noServer: .rewritesStore, examples: ["picket compact"]
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
            invocation.output.print("\(Format.size(before)) before, \(Format.size(after)) now.")
            if !isDone { invocation.output.print("Somebody reads the store: a part becomes smaller when nobody does.") }
        }
        return isDone ? .done : .notWell
    }
}
