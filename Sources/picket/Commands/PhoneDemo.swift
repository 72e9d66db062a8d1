import Core
import Coverage
import Geodesy
import Model
import Places
import Reconciler
import Registrations
import Registry
import Service
import SimulatedOS
import ToolSupport

/// The second half of the demo: breaks the registrations of a simulated phone and repairs them.
struct PhoneDemo {
    let directory: DataDirectory
    let sample: SampleData
    let invocation: Invocation

    private var output: Output { invocation.output }

    private static let phone = "anna-phone"

    func run() throws(Problem) {
        heading(Phrase("6. The phone's side: what Anna's iPhone itself watches"))
        printText(
            Phrase(
                """
                A phone's system wakes an app for its registered regions: on iOS at most 20, shared with every SDK in
                the app. It can lose regions silently, and keep old ones. (This iPhone is simulated.)
                """))
        try health()

        heading(Phrase("7. picket fix-registration"))
        try fix()
        printText(
            Phrase(
                """
                310 geofences, 20 slots: those around Anna are registered. One region is the sentinel around her: when she leaves it,
                Picket chooses again, before she can reach a geofence that was left out.
                """))

        heading(Phrase("8. The system loses two regions and keeps an old one; another SDK takes a slot"))
        try updatePhone { os in
            _ = os.dropRandomRegions(2)
            os.add(Self.region(RegionID(geofence: "old-flat")))
        }
        try updatePhone { os in os.add(Self.region(RegionID("com.ads.sdk/7"))) }
        try health()
        try fix()

        heading(Phrase("9. Anna revokes the permission"))
        try updatePhone { $0.authorize(.whenInUse) }
        try health()
        printText(Phrase("Only she can grant it again; Picket reports this and waits. She grants it."))
        try updatePhone { $0.authorize(.always) }
        try health()

        heading(Phrase("10. The iPhone restarts, and loses its regions"))
        try updatePhone { os in
            os.policies.reboot = .drop
            os.reboot()
        }
        try health()
        try fix()
        printText(Phrase("Once more, to see that a repair changes nothing if nothing is wrong:"))
        try fix()

        heading(Phrase("11. What the phone would have reported of Anna's day"))
        try coverage()
    }

    // MARK: - Steps

    private func health() throws(Problem) {
        let service = try ServiceWriter(directory, purpose: "demo")
        let language = invocation.language
        let (status, _) = try service.health(of: service.device(id: Self.phone))
        try service.record(status)
        printText("")
        printText("  \(status.device.id): \(Color.bold(status.summary.sentence(in: language), on: output))")
        for finding in status.unhealthyFindings.prefix(4) {
            let kind = finding.kind.phrase.text(in: language)
            printText("    \(kind.padding(9)) \(finding.name.map { $0 + ": " } ?? "")\(finding.words(.ios, in: language))")
        }
        let more = status.unhealthyFindings.count - 4
        if more > 0 { printText("    " + invocation.text(Phrase("and \(more) more"))) }
    }

    private func fix() throws(Problem) {
        let directory = directory
        let report = try blocking { () async throws -> RepairOutcome in
            let writer = Writer(ofCommand: "demo", directory)
            defer { writer.stop() }
            let device = try await writer.ask { service throws(Problem) in try service.device(id: Self.phone) }
            return try await RepairCoordinator(writer).repair(device)
        }
        func count(_ verb: String) -> Int { report.steps.count { $0.operation.verb == verb } }
        printText("")
        let calls = report.callCount
        let operations = Phrase(calls, one: "\(calls) operation", other: "\(calls) operations")
        let summary = Color.bold(report.after.summary.sentence(in: invocation.language), on: output)
        let line = Phrase(
            """
            \(operations): \(count("start")) registered, \(count("stop")) removed, \(count("requestState")) asked for their state. Then: \
            \(summary)
            """)
        printText("  " + invocation.text(line))
    }

    private func updatePhone(_ body: (inout SimulatedOS) -> Void) throws(Problem) {
        let service = try ServiceWriter(directory, purpose: "demo")
        try service.changeSimulatedOS(of: service.device(id: Self.phone), body)
    }

    private static func region(_ id: RegionID) -> Region {
        Region(id: id, circle: Circle(center: Coordinate(latitude: 52.53, longitude: 13.4), radius: 150))
    }

    /// Counts the enters and exits that the phone would have reported on the sample day, for two ways to select regions.
    private func coverage() throws(Problem) {
        let service = try ServiceReader(directory)
        let device = try service.device(id: Self.phone)
        var fences: [Geofence] = []
        try service.forEachGeofence { fences.append($0) }
        var study = CoverageStudy(fences, profile: .ios, strategies: [.firstStored, .picket])
        study.add(try day(), of: device)
        printText("")
        for coverage in study.report.strategies {
            let summary = invocation.text(coverage.strategy.phrase(limit: study.report.limit)) + ":"
            let share = Phrase(
                """
                \(String(coverage.reported).leading(3)) of \(plain: study.report.transitionCount) enters and exits \
                (\(decimal: coverage.shareText))
                """)
            printText("  \(summary.padding(58)) \(invocation.text(share))")
        }
        printText("  " + invocation.text(Phrase("picket coverage does this for your own tracks and geofences.")))
    }

    /// The fixes of the demo's phone on the sample day, by time.
    private func day() throws(Problem) -> [Fix] {
        let batch = try sample.positions(ofTrack: SampleData.familyDay)
        return batch.rows.filter { $0.device >= 0 && batch.deviceNames[Int($0.device)] == Self.phone }.map(\.fix)
    }

    private func printText(_ text: String) { output.print(text) }
    private func printText(_ phrase: Phrase) { invocation.print(phrase) }

    private func heading(_ title: Phrase) {
        printText("")
        printText(Color.bold(invocation.text(title), on: output))
    }
}
