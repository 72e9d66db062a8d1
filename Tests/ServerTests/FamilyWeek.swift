import Foundation
import Model
import TestSupport

/// Four people from Monday to Sunday, with phones in OwnTracks' mode for significant changes.
struct FamilyWeek {
    static let start = Instant("2026-11-23T00:00:00Z")!
    var people = [
        Person(name: "mia", ping: nil, lag: 1), Person(name: "ben", ping: 1800, lag: 0), Person(name: "anna", ping: 1800, lag: 3),
        Person(name: "tom", ping: nil, lag: 2),
    ]
    private var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for index in people.indices {
            var person = people[index]
            add((.home, 0), to: &person)
            for day in 0..<7 {
                for visit in visits(of: person.name, day) { add((visit.0, visit.1 + Double(day) * 86_400), to: &person) }
            }
            stayAtLast(&person)
            addOutlier(to: &person)
            person.fixes.sort { $0.time < $1.time }
            people[index] = person
        }
    }

    /// The places to which a person goes on a day, with the times of arrival.
    private mutating func visits(of name: String, _ day: Int) -> [(Place, Double)] {
        func at(_ hour: Double, within minutes: Double = 20) -> Double {
            (hour * 3600 + .random(in: 0..<minutes * 60, using: &random)).rounded()
        }
        if day == 5 { return name == "anna" ? [] : [(.club, at(10)), (.home, at(12.5))] }
        if day == 6 { return [(.grandmother, at(11.5)), (.home, at(16.5))] }
        switch name {
        case "mia":
            let later: [[(Place, Double)]] = [
                [], [(.grandmother, at(15)), (.home, at(18))], [(.club, at(15.5)), (.home, at(17.5))],
            ]
            return [(.school, 8 * 3600 + 60), (.home, at(13.25))] + later[day % 3]
        case "ben": return [(.school, at(7.75))] + (day % 2 == 1 ? [(.club, at(15)), (.home, at(17))] : [(.home, at(14.5))])
        case "anna":
            return [(.office, at(8.5, within: 30))] + (day == 4 ? [(.grandmother, at(17))] : []) + [(.home, at(18, within: 60))]
        default:
            return [(.office, at(7.25)), (.home, at(17.25, within: 50))] + (day == 0 ? [(.club, at(19)), (.home, at(21))] : [])
        }
    }

    /// Adds the way to a place with its positions, and the position on arrival.
    private mutating func add(_ visit: (place: Place, arrival: Double), to person: inout Person) {
        let point = visit.place.center + random.offset(of: .random(in: 0...20, using: &random))
        if let from = person.stays.last {
            let length = (point - from.point).length
            let speed = length < 3000 ? 3.5 : 11
            let departure = visit.arrival - (length / speed).rounded()
            person.stays[person.stays.count - 1].departure = departure
            stayAtLast(&person)
            for second in stride(from: departure, to: visit.arrival, by: 1) {
                let place = from.point + (point - from.point) * ((second - departure) * speed / length)
                let last = person.fixes[person.fixes.count - 1]
                if second - last.time >= 300, (place - last.point).length >= 500 {
                    send(from: place, at: second, &person, coarseBefore: 0.1)
                }
            }
        }
        let delay = person.name == "mia" && visit.place == .school ? 60 : Double.random(in: 20...90, using: &random).rounded()
        let fix = send(from: point, at: visit.arrival + delay, &person, coarseBefore: 0.2)
        person.stays.append(.init(place: visit.place, point: point, arrival: visit.arrival, arrivalFix: fix))
    }

    /// Adds the positions during the last stay.
    private mutating func stayAtLast(_ person: inout Person) {
        guard let stay = person.stays.last, let ping = person.ping else { return }
        for time in stride(from: stay.arrivalFix.time + ping, to: stay.departure, by: ping) {
            send(from: stay.point, at: time, &person)
        }
    }

    /// Adds a position far from the place of a stay, and from all geofences.
    private mutating func addOutlier(to person: inout Person) {
        let stay = person.stays.filter { $0.departure - $0.arrival > 7200 }.randomElement(using: &random)!
        var point = stay.point
        while Place.allCases.contains(where: { ($0.center - point).length < 600 }) {
            point = stay.point + random.offset(of: .random(in: 1000...3000, using: &random))
        }
        let time = Double.random(in: stay.arrival + 1800...stay.departure - 1200, using: &random).rounded()
        person.fixes.append(SentFix(time: time, point: point, accuracy: .random(in: 6...25, using: &random).rounded()))
    }

    /// Sends a position with noise, and before it, with a probability, one from the cells of the telephone network.
    @discardableResult
    private mutating func send(
        from place: Point, at time: Double, _ person: inout Person, coarseBefore: Double = 0
    ) -> SentFix {
        if Double.random(in: 0..<1, using: &random) < coarseBefore {
            let seconds = Double(Int.random(in: 3...9, using: &random))
            person.fixes.append(.init(time: time - seconds, point: place + random.noise(1400), accuracy: 1400))
        }
        let accuracy = Double.random(in: 6...25, using: &random).rounded()
        let fix = SentFix(time: time, point: place + random.noise(accuracy), accuracy: accuracy)
        person.fixes.append(fix)
        return fix
    }
}

extension FamilyWeek {
    /// The places of the family; each is a geofence.
    enum Place: String, CaseIterable {
        case home, school, office, club, grandmother

        var center: Point {
            let centers = [Point(0, 0), Point(300, 1300), Point(9000, 1500), Point(-2400, 900), Point(1500, -6000)]
            return centers[Self.allCases.firstIndex(of: self)!]
        }
    }

    /// Meters east and north of home.
    typealias Point = SIMD2<Double>

    /// A position that a phone sends, `time` seconds after the start of the week.
    struct SentFix {
        var time: Double
        var point: Point
        var accuracy: Double

        func json(of name: String) -> String {
            let tst = Int((start + time).milliseconds / 1000)
            return
                ##"{"_type":"location","lat":\##(point.latitude),"lon":\##(point.longitude),"acc":\##(accuracy),"tst":\##(tst),"##
                + ##""tid":"\##(name.prefix(2))","topic":"owntracks/family/\##(name)"}"##
        }
    }

    /// The true stays of a person, and what the phone sends.
    struct Person {
        let name: String
        /// Seconds between two positions during a stay; nil for none.
        let ping: Double?
        /// Seconds until a position arrives at the service.
        let lag: Double
        var stays: [Stay] = []
        var fixes: [SentFix] = []

        struct Stay {
            var place: Place
            var point: Point
            var arrival: Double
            var departure = 7.0 * 86_400
            /// Certainly inside the geofence.
            var arrivalFix: SentFix
        }
    }
}

extension FamilyWeek.Point {
    fileprivate var length: Double { (self * self).sum().squareRoot() }
    var latitude: Double { 52.5 + y / 111_270 }
    var longitude: Double { 13.4 + x / 67_900 }
}

extension SeededRandom {
    /// A vector of a length in any direction.
    fileprivate mutating func offset(of length: Double) -> FamilyWeek.Point {
        let angle = Double.random(in: 0..<2 * .pi, using: &self)
        return FamilyWeek.Point(cos(angle), sin(angle)) * length
    }

    /// An error of which 68 % are shorter than the accuracy.
    fileprivate mutating func noise(_ accuracy: Double) -> FamilyWeek.Point {
        FamilyWeek.Point(normal(), normal()) * (accuracy / 1.51)
    }
}
