import Geodesy
import Model
import Registry

@testable import SimulatedOS

/// A simulated phone at noon in Berlin, and places so many metres east of it.
struct Phone {
    static let noon = Instant(milliseconds: 1_777_629_600_000)
    static let home = Coordinate(latitude: 52.52, longitude: 13.405)

    var os: SimulatedOS

    init(_ profile: PlatformProfile, seed: UInt64 = 1) { os = SimulatedOS(profile, seed: seed, at: Self.noon) }

    /// A place `east` metres east of home, to a millimetre for some kilometres.
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

    static func region(_ name: String = "home", radius: Double = 200, east: Double = 0) -> Region {
        Region(id: RegionID(geofence: name), circle: Circle(center: place(east), radius: radius))
    }

    /// Seconds after noon.
    static func at(_ seconds: Double) -> Instant { noon + seconds }

    /// The device is seen; what the system tells by then.
    mutating func seen(_ east: Double, at seconds: Double) -> [String] {
        os.observe(Fix(time: Self.at(seconds), coordinate: Self.place(east), accuracy: 5))
        return told()
    }

    /// Time passes; what the system tells by then.
    mutating func wait(until seconds: Double) -> [String] {
        os.advance(to: Self.at(seconds))
        return told()
    }

    /// What was told: `entered home@20`, `failed home 5`.
    mutating func told() -> [String] {
        os.takeReports().map { report in
            switch report.kind {
            case .entered: "entered \(report.region)@\(Int(report.at - Self.noon))"
            case .exited: "exited \(report.region)@\(Int(report.at - Self.noon))"
            case .failed(let error): "failed \(report.region) \(error.code.number ?? -1)"
            }
        }
    }

    /// What comes of a call: the number of the code that it throws, or nil.
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
