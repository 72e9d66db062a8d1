import Client
import Core
import Foundation
import Model
import Operations
import Presence
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
        return check.isSound ? .done : .needsAttention
    }

    private static func checkStore(_ invocation: Invocation) throws(Problem) -> StoreCheck {
        do {
            let progress = Progress(Phrase("Checking"), of: invocation)
            defer { progress.clear() }
            func check(_ service: Queries) throws(Problem) -> StoreCheck {
                try service.checkStore { stage, done, total in progress.update(done, of: total, note: stageText(stage)) }
            }
            guard let file = invocation.words.first else {
                // A service says nothing until it is done.
                if let service = try invocation.namedService() { return try service.checkStore() }
                return try check(invocation.readingService())
            }
            let folder = NSTemporaryDirectory() + "picket-check-\(getpid())"
            // An error is ignored here: the system removes leftover temporary folders.
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let directory = DataDirectory(path: folder)
            _ = try Restoration.restore(file, into: directory) {
                progress.update($1, of: $2, note: Phrase("reading the backup"))
            }
            return try check(ServiceReader(directory))
        } catch {
            guard let check = Queries.failedCheck(error) else { throw error }
            return check
        }
    }

    private static func stageText(_ stage: StoreCheck.Stage) -> Phrase {
        switch stage {
        case .pages: Phrase("the file")
        case .events: Phrase("the numbering of events")
        case .visits: Phrase("the order of enters and exits")
        case .order: Phrase("the order of positions")
        case .replay: Phrase("evaluating positions again")
        case .phones: Phrase("the simulated phones")
        }
    }

    static func show(_ check: StoreCheck, _ invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON { return output.print(check.json.description) }
        let visits = check.openVisits
        let openVisits = Phrase(visits, one: "\(visits) open visit", other: "\(visits) open visits")
        invocation.print(Phrase("\(Format.contents(check.totals)), \(openVisits)."))
        let replay = check.replay
        let revisions = Int(replay.revisions)
        let changes = Phrase(
            revisions, one: "\(revisions) change of the geofences", other: "\(revisions) changes of the geofences")
        invocation.print(
            Phrase(
                """
                Evaluated again: \(Phrase.positions(replay.fixes)) through \(changes); \(Phrase.devices(replay.devices)) and \
                \(Phrase.events(replay.decisions)) match what is stored.
                """))
        if replay.lateFixes > 0 {
            invocation.print(
                Phrase(
                    replay.lateFixes,
                    one: """
                        \(replay.lateFixes) late position is not evaluated yet. A running service evaluates it \
                        automatically; 'picket replay --apply' evaluates it now.
                        """,
                    other: """
                        \(replay.lateFixes) late positions are not evaluated yet. A running service evaluates them \
                        automatically; 'picket replay --apply' evaluates them now.
                        """))
        }
        if replay.unprovenDevices > 0 {
            invocation.print(Phrase("This cannot be proved for \(Phrase.devices(replay.unprovenDevices)):"))
            for (reason, devices) in replay.unproven {
                output.print("  \(invocation.language.number(devices).leading(6))  \(invocation.text(reasonText(reason)))")
            }
        }
        let unchecked = check.pagesWithoutChecksum
        if unchecked > 0 {
            invocation.print(
                Phrase(
                    unchecked,
                    one: """
                        \(unchecked) page has no checksum, so damage to it may not be noticed. 'picket compact' adds checksums.
                        """,
                    other: """
                        \(unchecked) pages have no checksum, so damage to them may not be noticed. 'picket compact' adds checksums.
                        """))
        }
        for flaw in check.flaws.first {
            let kind = Color.red(invocation.text(words(flaw.kind)), on: output)
            output.print("\(kind): \(Format.printable(flaw.details, atMost: 500)).")
        }
        if check.flaws.count > check.flaws.first.count {
            invocation.print(Phrase("… and \(check.flaws.count - check.flaws.first.count) more."))
        }
        if check.flaws.first.contains(where: { $0.kind == .checksum }) {
            // Flaws of the structure come after wrong checksums, and may be among those that are not listed.
            let isValid = check.flaws.count == check.flaws.first.count && !check.flaws.first.contains { $0.kind == .damaged }
            let valid = isValid ? Phrase(" The structure of the file is valid.") : Phrase("")
            invocation.print(
                Phrase(
                    """
                    A checksum is wrong when the disk has changed a page, or when another program, such as sqlite3, has written into \
                    the file.\(valid)
                    """))
        }
        if check.isSound { return output.print(Color.green(invocation.text(Phrase("No flaws found.")), on: output)) }
        let count = check.flaws.count
        let damage = Phrase(count, one: "Damaged: \(count) flaw.", other: "Damaged: \(count) flaws.")
        output.print(
            Color.red(invocation.text(damage), on: output) + " "
                + invocation.text(Phrase("'picket restore FILE' replaces it with a backup.")))
    }

    private static func reasonText(_ reason: String) -> Phrase {
        switch reason {
        case "positionsRemoved": Phrase("older positions were removed, or are not kept")
        default: .verbatim(reason)
        }
    }

    private static func words(_ kind: StoreCheck.Flaw.Kind) -> Phrase {
        switch kind {
        case .damaged: Phrase("Damaged")
        case .checksum: Phrase("Checksum")
        case .dangling: Phrase("Dangling")
        case .gap: Phrase("Gap")
        case .alternation: Phrase("Unbalanced")
        case .presence: Phrase("Presence")
        case .order: Phrase("Order")
        case .replay: Phrase("Evaluated again")
        case .phone: Phrase("Phone")
        }
    }
}
