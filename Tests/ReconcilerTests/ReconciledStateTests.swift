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

    private static func report(
        _ id: String, _ kind: RegistryReport.Content, _ seconds: Double, fixAt: Double? = nil
    ) -> RegistryReport {
        RegistryReport(
            region: RegionID(geofence: id), kind: kind, at: World.noon + seconds,
            fix: fixAt.map { Fix(time: World.noon + $0, coordinate: World.home) })
    }

    @Test func reportsContradictVisitsInOrderOfTime() {
        let found = Self.context.contradictions(of: [
            Self.report("out", .exited, 3), Self.report("out", .entered, 2), Self.report("in", .exited, 4),
            Self.report("in", .exited, 5),
        ])
        #expect(
            found.map { "\($0.geofenceID) \($0.state) \(Int($0.at - World.noon))" } == [
                "out inside 2", "out outside 3", "in outside 4",
            ])
    }

    @Test func reportsThatRestOnKnownOrOlderPositionsContradictNothing() {
        #expect(Self.context.contradictions(of: [Self.report("in", .exited, 0)]).isEmpty)
        for basis in [-1.0, 0] {
            #expect(Self.context.contradictions(of: [Self.report("in", .exited, 60, fixAt: basis)]).isEmpty)
        }
        #expect(Self.context.contradictions(of: [Self.report("in", .exited, 60, fixAt: 30)]).count == 1)
    }

    @Test func reportOfAnAddedRegionMayRestOnTheLastPosition() {
        let added: Set = [RegionID(geofence: "in")]
        #expect(Self.context.contradictions(of: [Self.report("in", .exited, 60, fixAt: 0)], added: added).count == 1)
        #expect(Self.context.contradictions(of: [Self.report("in", .exited, 60, fixAt: -1)], added: added).isEmpty)
        #expect(Self.context.contradictions(of: [Self.report("in", .exited, 0, fixAt: 0)], added: added).isEmpty)
    }
}
