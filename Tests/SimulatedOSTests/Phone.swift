import Geodesy
import Model
import Registry

@testable import SimulatedOS

/// A simulated phone at noon in Berlin, with helpers for places at a distance in meters to the east.
struct Phone {
    static let noon = Instant(milliseconds: 1_777_629_600_000)
    static let home = Coordinate(latitude: 52.52, longitude: 13.405)

    var os: SimulatedOS

    init(_ profile: PlatformProfile, seed: UInt64 = 1) { os = SimulatedOS(profile, seed: seed, at: Self.noon) }

    /// The point `east` meters east of `home`, accurate to a millimeter for distances of some kilometers.
    static func place(_ east: Double) -> Coordinate {
        let home = EarthVector(Self.home)
        var low = 0.0
        var high = 2.0
        for _ in 0..<60 {
            let middle = (low + high) / 2
            let place = EarthVector(Coordinate(latitude: Self.home.latitude, longitude: Self.home.longitude + middle))
            if EarthVector.longestGeodesic(chord: place.chordSquared(to: home).squareRoot()) < abs(east) {
                low = middle
            } else {
                high = middle
            }
        }
        return Coordinate(latitude: Self.home.latitude, longitude: Self.home.longitude + (east < 0 ? -low : low))
    }

    /// A region with its center `east` meters east of `home`. The radius is in meters.
    static func region(_ name: String = "home", radius: Double = 200, east: Double = 0) -> Region {
        Region(id: RegionID(geofence: name), circle: Circle(center: place(east), radius: radius))
    }

    /// The time that many seconds after noon.
    static func at(_ seconds: Double) -> Instant { noon + seconds }

    /// Gives the operating system a fix, and returns its reports until then as text.
    mutating func observe(_ east: Double, at seconds: Double) -> [String] {
        os.observe(Fix(time: Self.at(seconds), coordinate: Self.place(east), accuracy: 5))
        return takeReportTexts()
    }

    /// Advances the clock to a time in seconds after noon, and returns the reports of the operating system until then as text.
    mutating func wait(until seconds: Double) -> [String] {
        os.advance(to: Self.at(seconds))
        return takeReportTexts()
    }

    /// The reports of the operating system as text, for example `entered home@20` or `failed home 5`.
    mutating func takeReportTexts() -> [String] {
        os.takeReports().map { report in
            switch report.kind {
            case .entered: "entered \(report.region)@\(Int(report.at - Self.noon))"
            case .exited: "exited \(report.region)@\(Int(report.at - Self.noon))"
            case .failed(let error): "failed \(report.region) \(error.code.number ?? -1)"
            }
        }
    }

    /// Starts monitoring a region. Returns the number of the thrown error code, or nil if the call succeeded.
    mutating func start(_ region: Region) -> Int? {
        do {
            try os.startMonitoring(region)
            return nil
        } catch {
            return error.code.number ?? -1
        }
    }

    var names: [String] { os.regions.map(\.id.shortText) }
}
