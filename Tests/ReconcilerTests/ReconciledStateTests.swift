import Model
import Registry
import Testing

@testable import Reconciler

@Suite struct ReconciledStateTests {
    static let context = DeviceContext(
        device: Device(id: "phone"), fixes: [Fix(time: World.noon, coordinate: World.home)], openVisits: ["in"])

    static let table: [(String, RegistryReport.Content, Double, RegionState?)] = [
        ("picket/out", .entered, 1, .inside), ("picket/in", .exited, 1, .outside), ("picket/in", .entered, 1, nil),
        ("picket/out", .exited, 1, nil), ("picket/out", .entered, -1, nil), ("picket/out", .entered, 0, .inside),
        ("com.other/out", .entered, 1, nil), ("picket/#sentinel", .exited, 1, nil),
        ("picket/out", .failed(RegistryError(.unavailable)), 1, nil),
    ]

    @Test(arguments: table)
    func onlyNewerContradictingReportsGiveAState(
        _ id: String, _ kind: RegistryReport.Content, _ seconds: Double, _ state: RegionState?
    ) {
        let report = RegistryReport(region: RegionID(id), kind: kind, at: World.noon + seconds)
        #expect(Self.context.contradiction(of: report)?.state == state)
    }
}
