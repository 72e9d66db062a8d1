import Client
import Core
import History
import Model
import Presence
import ToolSupport

/// `picket replay --geofence` and `--all`: evaluates the past with the current geofences.
struct PastReplay {
    private let invocation: Invocation
    private let correction: PastCorrection
    private let isApplied: Bool

    init(_ invocation: Invocation, _ correction: PastCorrection) {
        self.invocation = invocation
        self.correction = correction
        isApplied = invocation.has("--apply")
    }

    func run() throws(Problem) -> ExitStatus {
        let progress = Progress(Phrase("Replaying"), of: invocation)
        defer { progress.clear() }
        let service = try isApplied ? invocation.editor() : invocation.reader()
        let counts = try service.replay(correction, applies: isApplied, progress: { progress.update($0, of: $1) }) {
            print($0, progress)
        }
        progress.clear()
        return ReplayCommand.printSummary(counts, isApplied: isApplied, invocation: invocation)
    }

    private func print(_ finding: PastFinding, _ progress: Progress) {
        if finding.isEmpty { return }
        progress.clear()
        let output = invocation.output
        defer { output.flush() }
        if invocation.isJSON { return output.print(finding.json.description) }
        switch finding.passedOver {
        case .positionsMissing:
            invocation.print(Phrase("\(finding.deviceId): left out, because none of its positions are left."))
        case .recordDiffers:
            let id = finding.deviceId
            invocation.print(
                Phrase(
                    """
                    \(id): left out, because its events at other geofences do not follow from its positions. See 'picket replay \
                    --device \(id)'.
                    """))
        case nil: break
        }
        for change in finding.changes {
            let (count, new) = (change.retracted, change.new)
            let place = Phrase("\(finding.deviceId) at \(change.geofenceName)")
            let line =
                isApplied
                ? Phrase(
                    count, one: "\(place): \(count) event retracted, \(new) new",
                    other: "\(place): \(count) events retracted, \(new) new")
                : Phrase(
                    count, one: "\(place): \(count) event would be retracted, \(new) would be new",
                    other: "\(place): \(count) events would be retracted, \(new) would be new")
            let since = finding.since.map { Phrase("\(line), from \(Format.time($0, in: invocation.timeZone)) on") }
            invocation.print(since ?? line)
            for example in change.examplesByTime {
                let mark = example.isNew ? Color.green("+", on: output) : Color.red("-", on: output)
                output.print("  \(mark) \(Format.line(example.event, for: invocation))")
            }
            let more = change.retracted + change.new - change.examples.count
            if more > 0 { output.print("  " + invocation.text(Phrase("… \(more) more"))) }
        }
    }
}
