import Client
import Core
import Foundation
import History
import Model
import Places
import Presence
import ToolSupport

/// `picket replay`: evaluates stored positions again.
enum ReplayCommand {
    static let command = Command(
        name: "replay", summary: "Evaluate stored positions again, with late ones in order of time.",
        options: [
            Option("--device", value: "ID", help: "Only this device"),
            Option(
                "--since", value: "TIME",
                help: "Start shortly before this time, for example 7d, 2026-10-05 or RFC 3339; default: the first position"),
            Option(
                "--geofence", value: "ID", isRepeatable: true,
                help: "Evaluate the past as if this geofence had always existed as it is now"),
            Option("--all", "The same for all active geofences"),
            Option("--deleted", "With --geofence or --all: also retract the events of removed and inactive geofences"),
            Option(
                "--policy", value: "POLICY",
                help: "What if all devices used this decision policy: exact, balanced, phone or JSON with individual fields"
            )
            .choosing(DecisionPolicy.Name.self),
            Option("--geofences", value: "FILE", help: "What if the geofences of this file had always existed"),
            Option("--apply", "Write the differences; default: only print them"),
        ] + Option.client,
        discussion: """
            Late positions are evaluated in order automatically. This command evaluates all positions again, for example after an update.
            Without --apply nothing is written: '-' marks events that would be retracted, '+' events that would be added. With --apply, an
            entry of type retracted names each wrong event, and the right events are added with the cause corrected. A device is left out if
            positions that the replay needs have been removed.

            With --geofence or --all, positions are evaluated with the current geofences. So an archive that was fed before its geofences
            were created gets its visits, and the events of a geofence that was moved are corrected. Here --since is exact: events before it
            stay. Where positions were removed, the evaluation starts with the first position that is left.
            """,
        examples: [
            "picket replay --device anna-phone", "picket replay --since 2026-05-01 --apply", "picket replay --policy exact",
            "picket replay --device anna-phone --policy '{\"confirmFixes\":1}'",
            "picket replay --geofences planned.geojson --json", "picket replay --geofence depot --apply",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        let since = try invocation.instant("--since")
        let policy = try invocation.policy("--policy")
        let device = invocation.value("--device")
        if let correction = try pastCorrection(invocation, device: device, since: since) {
            return try PastReplay(invocation, correction).run()
        }
        if invocation.has("--apply") {
            if policy != nil, let text = invocation.value("--policy") {
                throw .usage(
                    reason: Phrase(
                        """
                        --policy only tries a policy. To use it for a device from now on: picket device edit \
                        \(device ?? "ID") --policy \(text.hasPrefix("{") ? text.shellQuoted : text)
                        """),
                    help: "picket replay --help")
            }
            if let file = invocation.value("--geofences") {
                throw .usage(
                    reason:
                        Phrase(
                            "--geofences only tries these geofences. To use them from now on: picket geofence import \(file)"),
                    help: "picket replay --help")
            }
            return try apply(invocation, device, since)
        }
        if let server = try invocation.settings().server {
            throw .usage(
                reason:
                    Phrase(
                        """
                        Only a command on the data directory can preview a replay; \(server) cannot. Run it on that machine, \
                        without the setting 'server', or add --apply to run the replay
                        """), help: "picket replay --help")
        }
        return try replayWithoutApplying(invocation, device: device, since: since, policy: policy)
    }

    /// The request of `--geofence` or `--all`; nil without them.
    private static func pastCorrection(
        _ invocation: Invocation, device: String?, since: Instant?
    ) throws(Problem) -> PastCorrection? {
        let geofences = invocation.all("--geofence")
        func refusal(_ reason: Phrase) -> Problem { .usage(reason: reason, help: "picket replay --help") }
        guard !geofences.isEmpty || invocation.has("--all") else {
            if invocation.has("--deleted") {
                throw refusal(Phrase("--deleted needs geofences: name some with --geofence, or add --all"))
            }
            return nil
        }
        if !geofences.isEmpty, invocation.has("--all") { throw refusal(.geofencesAndAll) }
        for option in ["--policy", "--geofences"] where invocation.has(option) {
            throw refusal(
                Phrase(
                    """
                    \(option) cannot be combined with --geofence or --all, which use the current policies and geofences: leave out \
                    one of the two
                    """))
        }
        return PastCorrection(
            geofences: geofences, includesRemoved: invocation.has("--deleted"), device: device, since: since)
    }

    private static func apply(_ invocation: Invocation, _ device: String?, _ since: Instant?) throws(Problem) -> ExitStatus {
        let service = try invocation.editor()
        let progress = Progress(Phrase("Replaying"), of: invocation)
        defer { progress.clear() }
        let output = invocation.output
        let counts = try service.replay(
            device: device, since: since, progress: { progress.update($0, of: $1) },
            report: { events, omitted in
                progress.clear()
                for event in events {
                    output.print(invocation.isJSON ? event.json.description : Format.line(event, for: invocation))
                }
                if omitted > 0 {
                    invocation.print(
                        ["omittedEvents": JSONValue(omitted)],
                        or: Phrase(omitted, one: "… \(omitted) more event", other: "… \(omitted) more events"))
                }
                output.flush()
            })
        progress.clear()
        return printSummary(counts, isApplied: true, invocation: invocation)
    }

    private static func replayWithoutApplying(
        _ invocation: Invocation, device: String?, since: Instant?, policy: PolicyOverride?
    ) throws(Problem) -> ExitStatus {
        var status = ExitStatus.done
        let fences = try invocation.value("--geofences").map { path throws(Problem) -> [Geofence] in
            let file = try InputFile.geofences(path, invocation)
            if file.hasRefusals { status = .needsAttention }
            return file.geofences
        }
        let progress = Progress(Phrase("Replaying"), of: invocation)
        defer { progress.clear() }
        let service = try invocation.readingService()
        try orderFixes(service, invocation: invocation)
        let counts = try service.simulateReplay(
            device: device, since: since, policy: policy, fences: fences,
            progress: { progress.update($0, of: $1) },
            report: { finding in
                progress.clear()
                printFinding(finding, invocation: invocation)
            })
        progress.clear()
        let ended = printSummary(counts, isApplied: false, invocation: invocation)
        return status == .done ? ended : status
    }

    /// Orders stored positions by device, unless another process is writing. Without the order, the replay has to search for each device's
    /// positions.
    static func orderFixes(_ service: Queries, invocation: Invocation) throws(Problem) {
        guard service.hasStore, try !service.canReadTracks() else { return }
        do throws(Problem) {
            let writer = try ServiceWriter(invocation.directory, purpose: invocation.command.name, patience: 0)
            try writer.sortFixes()
        } catch {
            guard case .storeBusy = error else { throw error }
        }
    }

    private static func printFinding(_ finding: ReplayFinding, invocation: Invocation) {
        let output = invocation.output
        if invocation.isJSON {
            for line in finding.lines { output.print(line.description) }
            return
        }
        if finding.counts.skipped > 0 {
            invocation.print(
                Phrase(
                    """
                    \(finding.deviceId): left out, because positions that the replay needs were removed. Start later with --since.
                    """))
        }
        let changes =
            finding.wrong.map { (event: $0, mark: Color.red("-", on: output)) }
            + finding.right.map { (event: $0, mark: Color.green("+", on: output)) }
        for (_, change) in changes.enumerated().sorted(by: {
            ($0.element.event.occurredAt, $0.offset) < ($1.element.event.occurredAt, $1.offset)
        }) {
            output.print("\(change.mark) \(Format.line(change.event, for: invocation))")
        }
    }

    static func printSummary(_ counts: ReplayCounts, isApplied: Bool, invocation: Invocation) -> ExitStatus {
        let (confirmed, retracted, new, skipped) = (counts.unchanged, counts.retracted, counts.new, counts.skipped)
        let result: Phrase =
            if retracted + new > 0 {
                isApplied
                    ? Phrase("\(confirmed) as before, \(retracted) retracted, \(new) new.")
                    : Phrase("\(confirmed) as before, \(retracted) would be retracted, \(new) would be new.")
            } else if confirmed > 0 {
                Phrase(
                    confirmed, one: "\(confirmed) event stays the same.", other: "\(confirmed) events stay the same.")
            } else {
                Phrase("no events.")
            }
        let summary = Phrase(
            "\(Phrase.positions(counts.fixes)) of \(Phrase.devices(counts.devices)) evaluated again: \(result)")
        invocation.print(
            ["summary": counts.json(with: [.init("applied", .bool(isApplied))])],
            or: skipped == 0
                ? summary
                : Phrase(
                    skipped, one: "\(summary) \(skipped) device left out.", other: "\(summary) \(skipped) devices left out."))
        return counts.skipped > 0 ? .needsAttention : .done
    }
}
