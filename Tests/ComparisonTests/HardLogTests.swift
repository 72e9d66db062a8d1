import Geodesy
import Model
import Registry
import Testing

@testable import Comparison

@Suite("Hard logs and tracks")
struct HardLogTests {
    private static let start = Instant("2026-05-01T06:00:00Z")!
    private static let place = Coordinate(latitude: 52.5, longitude: 13.4)

    private static func fixes(_ meters: [Double], every seconds: Double = 10) -> [Fix] {
        meters.enumerated().map { number, north in
            Fix(
                time: start + Double(number) * seconds,
                coordinate: Coordinate(
                    latitude: place.latitude + north / WGS84.shortestDegreeOfLatitude, longitude: place.longitude))
        }
    }

    private static func fence(_ id: String, radius: Double = 200, dwell: Double? = nil) -> Geofence {
        Geofence(id: id, name: id, shape: .circle(Circle(center: place, radius: radius)), dwell: dwell)
    }

    private static let pass = fixes(stride(from: -2000, through: 2000, by: 50).map { $0 })
    private static let device = Device(id: "d")

    private static func report(
        _ log: [AppObservation], _ fixes: [Fix] = pass, _ geofences: [Geofence] = [fence("home")],
        _ options: AppLogComparison.Options = .init(.ios)
    ) -> ComparisonReport {
        AppLogComparison.report(of: AppLog(log), along: fixes, of: device, geofences: geofences, options: options)
    }

    private static func reported(_ kind: TransitionKind, _ id: String = "picket/home", at seconds: Double) -> AppObservation {
        AppObservation(at: start + seconds, .transition(kind, RegionID(id)))
    }

    @Test("A track of one position, of none, and a log of nothing are compared without a fault that is not there")
    func little() {
        let one = Self.report([Self.reported(.enter, at: 0)], Self.fixes([0]))
        #expect(one.isClean && one.transitions.isEmpty && one.remarks.initial == 1)
        let none = Self.report([Self.reported(.enter, at: 0)], [])
        #expect(none.isClean && none.span == nil && none.remarks.outsideTrack == 1)
        let silent = Self.report([])
        #expect(silent.tally.missed == 2 && silent.faults.allSatisfy { $0.reason == .logGap })
        for report in [one, none, silent] {
            for language in Language.allCases {
                let words = ComparisonWords(report, in: language) { $0.description }
                #expect(!words.scope(report).isEmpty && !words.result(report).isEmpty)
                let last = ["en": "False", "de": "Falsch", "tr": "Yanlış"][language.rawValue]
                #expect(words.columns.count == 7 && words.columns.last == last)
            }
        }
    }

    @Test("After Android said that it watches no region, missed transitions are those of geofences that are not registered")
    func losses() {
        let region = Region(
            id: RegionID("picket/home"), circle: Circle(center: Self.place, radius: 200), notifyOnEntry: true, notifyOnExit: true)
        func line(_ seconds: Double, _ content: AppObservation.Content) -> AppObservation {
            AppObservation(at: Self.start + seconds, content)
        }
        let list = line(10, .regions([region]))
        let later = (0..<8).map { line(100 + Double($0) * 100, .authorization(.always, isPrecise: true)) }
        for loss in [
            [line(60, .error(.geofenceNotAvailable, nil))], [line(60, .error(.geofenceNotAvailable, region.id))],
            [
                line(20, .locationServices(isEnabled: true)), line(50, .locationServices(isEnabled: false)),
                line(60, .locationServices(isEnabled: true)),
            ],
        ] {
            func faults(_ platform: Device.Platform, _ more: [AppObservation] = []) -> [ComparedTransition.Reason?] {
                let log = ([list] + loss + more + later).sorted { $0.at < $1.at }
                return Self.report(log, Self.pass, [Self.fence("home")], .init(PlatformProfile(platform))).faults.map(\.reason)
            }
            #expect(faults(.android) == [.notRegistered, .notRegistered])
            #expect(!faults(.ios).contains(.notRegistered), "iOS keeps its regions")
            for second in [60.0, 70] {
                #expect(!faults(.android, [line(second, .regions([region]))]).contains(.notRegistered), "registered again")
            }
        }
    }

    @Test("A clock that is an hour ahead is found from three reports, although other transitions would fit as well")
    func oneHour() throws {
        func transitions(_ kind: TransitionKind, _ seconds: [Double]) -> [TrueTransition] {
            seconds.map { TrueTransition(kind: kind, at: Self.start + $0, earliest: Self.start + $0) }
        }
        // Three visits, each 1,586 s after the one before.
        let visits = transitions(.enter, [0, 1586, 3172]) + transitions(.exit, [112, 1716, 3290])
        let reports = [(TransitionKind.enter, 3600.0), (.exit, 3712), (.enter, 5186)].map {
            ReportedTransition(kind: $0, at: Self.start + $1)
        }
        let skew = try #require(ClockSkew.estimate([(visits.sorted { $0.at < $1.at }, reports)]))
        #expect(skew.seconds == 3600 && skew.reports == 3)
    }

    @Test("100,000 geofences on one spot are compared within seconds")
    func onOneSpot() {
        let count = 100_000
        let geofences = (0..<count).map { Self.fence("g\($0)", radius: 150 + Double($0 % 300)) }
        let regions = (0..<count / 2).map { number in
            Region(
                id: RegionID("picket/g\(number)"),
                circle: Circle(center: Self.place, radius: 150 + Double(number % 300)))
        }
        let log = [AppObservation(at: Self.start, .regions(regions))]
        let clock = ContinuousClock()
        var report: ComparisonReport?
        let taken = clock.measure { report = Self.report(log, Self.pass, geofences) }
        #expect(report?.tally.missed == 2 * count && report?.tally.falseCount == 0)
        let reasons = Dictionary(grouping: report?.faults ?? [], by: \.reason)
        #expect(reasons.values.map(\.count) == [count, count])
        #expect(taken < .seconds(120), "\(taken)")
    }

    @Test("A log of another app has identifiers that no geofence has, and they are named")
    func otherApp() {
        let report = Self.report([Self.reported(.enter, "com.other/1", at: 300), Self.reported(.exit, "com.other/1", at: 500)])
        #expect(report.remarks.namesNoGeofence && report.remarks.unknownIdentifierCount == 1)
        #expect(report.remarks.unknownIdentifiers == [.init(identifier: "com.other/1", count: 2, isOurs: false)])
        #expect(report.tally.missed == 2 && report.tally.falseCount == 0)
    }

    @Test("The dwell of a stay is compared on Android, if the geofence names a time")
    func dwell() {
        let stay = Self.fixes(
            Array(stride(from: -2000.0, through: 0, by: 100)) + Array(repeating: 0, count: 60) + [500, 1000, 2000])
        let log = [Self.reported(.enter, at: 190), Self.reported(.exit, at: 820)]
        let fences = [Self.fence("home", dwell: 300)]
        let android = Self.report(log, stay, fences, .init(.android))
        #expect(android.faults.map(\.kind) == [.dwell] && android.faults.map(\.outcome) == [.missed])
        let full = Self.report(log + [Self.reported(.dwell, at: 485)], stay, fences, .init(.android))
        #expect(full.isClean && full.tally.reported == 3)
        let ios = Self.report(
            [Self.reported(.enter, at: 205), Self.reported(.exit, at: 840), Self.reported(.dwell, at: 485)], stay, fences)
        #expect(ios.isClean && ios.tally.reported == 2 && ios.remarks.dwellsNotCompared == 1)
    }

    @Test("A phone may report a transition as early as the track's positions allow, and late up to the limit")
    func delays() {
        // A position every 5 minutes: inside at 10 min, outside again at 15 min.
        let sparse = Self.fixes([-5000, -3000, 0, 3000, 5000], every: 300)
        func outcome(_ enter: Double) -> ComparedTransition.Outcome? {
            let log = [Self.reported(.enter, at: enter), Self.reported(.exit, at: 930)]
            return Self.report(log, sparse).transitions.first { $0.kind == .enter && $0.at == Self.start + 620 }?.outcome
        }
        #expect(outcome(310) == .reported && outcome(620) == .reported && outcome(1500) == .reported)
        #expect(outcome(200) == .missed && outcome(1600) == .missed)
        let late = Self.report([Self.reported(.enter, at: 1600), Self.reported(.exit, at: 930)], sparse)
        #expect(late.faults.map(\.reason) == [.throttled] && late.faults.first?.delay == 980)
    }

    @Test("The document of a report is read as it is written")
    func document() throws {
        let planted = PlantedLog(seed: 7, .android)
        let report = AppLogComparison.report(
            of: AppLog(planted.log + planted.log.prefix(3)), along: planted.fixes, of: Self.device, geofences: planted.geofences,
            options: .init(planted.profile, skew: .automatic))
        #expect(try ComparisonReport.shape.decode(report.json) == report)
        for language in Language.allCases {
            let words = ComparisonWords(report, in: language) { $0.description }
            for fault in report.faults { #expect(words.explanation(fault).count > 5, "\(fault)") }
        }
    }
}
