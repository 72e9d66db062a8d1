import Foundation
import Model
import Service
import ToolSupport

/// `picket check`: verifies the store or a backup.
enum CheckCommand {
    static let command = Command(
        name: "check", summary: "Check the store, or a backup.", arguments: "[FILE]", count: 0...1, options: Option.client,
        discussion: """
            Checks the file itself with the checksums of its pages, the numbering of events and the order of enters and exits, and
            evaluates all stored positions again with the geofences of their time: the result must equal the stored events and states.
            Devices for which this cannot be proved, because positions were removed, are counted separately. The command only reads;
            the service can continue to run. The exit status is 0 if the store is valid. A backup is restored into a temporary
            directory and checked there, always on this machine. With --server, the service checks its own store and answers when it
            is done.
            """,
        examples: ["picket check", "picket check picket-2026-05-01.backup --json"]
    ) { invocation throws(Problem) in
        let check = try checkStore(invocation)
        show(check, invocation)
        return check.isSound ? .done : .notWell
    }

    private static func checkStore(_ invocation: Invocation) throws(Problem) -> StoreCheck {
        do {
            let progress = Progress("Checking", environment: invocation.environment)
            defer { progress.clear() }
            func look(_ service: any QueryBackend) throws(Problem) -> StoreCheck {
                try service.checkStore { stage, done, total in progress.update(done, of: total, note: stageText(stage)) }
            }
            guard let file = invocation.words.first else { return try look(invocation.queryBackend()) }
            let folder = NSTemporaryDirectory() + "picket-check-\(getpid())"
            // An error is ignored here: the system removes leftover temporary folders.
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let directory = DataDirectory(path: folder)
            _ = try Restoration.restore(file, into: directory) { progress.update($1, of: $2, note: "unpacking the backup") }
            return try look(ServiceReader(directory))
        } catch {
            guard let check = Queries.failedCheck(error) else { throw error }
            return check
        }
    }

    private static func stageText(_ stage: StoreCheck.Stage) -> String {
        switch stage {
        case .pages: "the file"
        case .events: "the numbering of events"
        case .visits: "the order of enters and exits"
        case .order: "the order of positions"
        case .replay: "evaluating positions again"
        case .phones: "the simulated phones"
        }
    }

    static func show(_ check: StoreCheck, _ invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON { return output.print(check.json.description) }
        output.print(
            "\(Format.contents(check.totals)), \(Format.count(check.openVisits, one: "open visit", many: "open visits")).")
        let replay = check.replay
        output.print(
            "Evaluated again: \(Format.count(replay.fixes, one: "position", many: "positions")) through "
                + "\(Format.count(Int(replay.revisions), one: "change", many: "changes")) of the geofences; "
                + "\(Format.count(replay.devices, one: "device", many: "devices")) and "
                + "\(Format.count(replay.decisions, one: "event", many: "events")) came out as stored.")
        if replay.lateFixes > 0 {
            output.print(
                "\(Format.count(replay.lateFixes, one: "late position is", many: "late positions are")) not evaluated yet. A running service does that "
                    + "automatically, and 'picket replay --apply' now.")
        }
        if replay.unprovenDevices > 0 {
            output.print("Cannot be proved for \(Format.count(replay.unprovenDevices, one: "device", many: "devices")):")
            for (reason, devices) in replay.unproven {
                output.print("  \(Format.number(devices).leading(6))  \(reasonText(reason))")
            }
        }
        if check.pagesWithoutChecksum > 0 {
            let pages = Format.count(check.pagesWithoutChecksum, one: "page has", many: "pages have")
            output.print("\(pages) no checksum, so damage to them may not be noticed. 'picket compact' adds checksums.")
        }
        for flaw in check.flaws.first {
            output.print("\(Color.red(words(flaw.kind), on: output)): \(Format.printable(flaw.details, atMost: 500)).")
        }
        if check.flaws.count > check.flaws.first.count {
            output.print("… and \(Format.number(check.flaws.count - check.flaws.first.count)) more.")
        }
        if check.flaws.first.contains(where: { $0.kind == .checksum }) {
            // Flaws of the structure come after wrong checksums, and may be among those that are not listed.
            let isValid = check.flaws.count == check.flaws.first.count && !check.flaws.first.contains { $0.kind == .damaged }
            output.print(
                "A checksum is wrong when the disk has changed a page, or when another program, such as sqlite3, has written into the file."
                    + (isValid ? " The structure of the file is valid." : ""))
        }
        output.print(
            check.isSound
                ? Color.green("Sound.", on: output)
                : Color.red("Damaged: \(Format.count(check.flaws.count, one: "flaw", many: "flaws")).", on: output)
                    + " 'picket restore FILE' replaces it with a backup.")
    }

    private static func reasonText(_ reason: String) -> String {
        switch reason {
        case "positionsRemoved": "older positions were removed, or are not kept"
        default: reason
        }
    }

    private static func words(_ kind: StoreCheck.Flaw.Kind) -> String {
        switch kind {
        case .damaged: "Damaged"
        case .checksum: "Checksum"
        case .dangling: "Dangling"
        case .gap: "Gap"
        case .alternation: "Unbalanced"
        case .presence: "Presence"
        case .order: "Order"
        case .replay: "Evaluated again"
        case .phone: "Phone"
        }
    }
}
