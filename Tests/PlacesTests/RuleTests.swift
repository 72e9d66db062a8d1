import Foundation
import Geodesy
import Model
import Store
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence

@Suite("Rules in a service")
struct RuleTests {
    @Test("A device that has not come is reported once, after the deadline and its grace, even when it never sent anything")
    func deadline() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00", ["days": "mon-fri"])
        #expect(try bench.service.nextDeadline() == Instant("2026-05-04T06:17:00Z"))
        #expect(try bench.tick("2026-05-04T06:17:00Z") == [])
        #expect(try bench.tick("2026-05-04T06:17:01Z") == ["mia missed entersBy 05-04T06:15"])
        #expect(try bench.tick("2026-05-04T20:00:00Z") == [])
        let event = try #require(try bench.events().last)
        #expect(event.cause == .rule && event.geofenceName == "School" && event.urgency == .warning && !event.hasPosition)
        #expect(event.json["fix"] == nil && event.json["rule"]?["by"] == "08:15" && event.json["urgency"] == "warning")
        #expect(event.rule?.id == "mia-school-enters-by" && event.confirmedAt == Instant("2026-05-04T06:17:00Z"))
        try bench.acceptInTime("mia 2026-05-05T05:00:00Z out")
        #expect(try bench.tick("2026-05-06T00:00:00Z") == ["mia missed entersBy 05-05T06:15"])
        #expect(try bench.events().last?.fix.time == Instant("2026-05-05T05:00:00Z"))
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A device that came in time gives no event, also by a position sent at the last moment")
    func inTime() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00")
        #expect(try bench.acceptInTime("mia 2026-05-04T05:00:00Z out") == [])
        try bench.tick("2026-05-04T06:16:30Z")
        #expect(try bench.accept("mia 2026-05-04T06:15:00Z in") == ["mia enter 05-04T06:15"])
        #expect(try bench.tick("2026-05-04T12:00:00Z") == [])
    }

    @Test("A late position that shows a timely arrival retracts the missed event")
    func late() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00")
        try bench.acceptInTime("mia 2026-05-04T05:00:00Z out", "mia 2026-05-04T06:16:00Z out")
        #expect(try bench.tick("2026-05-04T06:18:00Z") == ["mia missed entersBy 05-04T06:15"])
        let missed = try #require(try bench.events().last)
        // The position is late, because a newer one is stored.
        #expect(try bench.accept("mia 2026-05-04T06:10:00Z in") == [])
        var corrected: [Event] = []
        let counts = try bench.service.replayLate(all: true) { corrected += $0 }
        #expect(
            bench.summaries(corrected) == [
                "mia enter 05-04T06:10", "mia exit 05-04T06:16", "mia retracted entersBy 05-04T06:15",
            ])
        #expect(counts.retracted == 1 && counts.new == 2)
        #expect(corrected.last?.retracts == missed.id && corrected.last?.cause == .corrected)
        #expect(try bench.standing() == [])
        #expect(try bench.tick("2026-05-04T20:00:00Z") == [])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("Positions that a phone sends after an outage retract missed events, and unconfirmed changes are awaited")
    func delayed() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00")
        try bench.acceptInTime("mia 2026-05-04T05:00:00Z out")
        #expect(try bench.tick("2026-05-04T06:30:00Z") == ["mia missed entersBy 05-04T06:15"])
        #expect(
            try bench.accept("mia 2026-05-04T06:10:00Z in", "mia 2026-05-04T06:29:00Z in")
                == ["mia enter 05-04T06:10", "mia retracted entersBy 05-04T06:15"])
        #expect(try bench.events().last?.cause == .rule)
        #expect(try bench.standing() == [] && bench.service.checkStore().isSound)
        try bench.acceptInTime("mia 2026-05-05T05:00:00Z out")
        try bench.acceptInTime("mia 2026-05-05T06:14:50Z in", policy: .balanced)
        #expect(try bench.tick("2026-05-05T07:00:00Z") == ["mia enter 05-05T06:14"], "sure by its own deadline, which is before")
    }

    @Test("A visit that is seen for less than the minimum does not satisfy a rule, however long the next position takes")
    func minimum() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00", ["minDuration": .number("300")])
        // A bus passes the school: one position inside, the next ten minutes later.
        try bench.acceptInTime("mia 2026-05-04T05:50:00Z out", "mia 2026-05-04T06:00:00Z in", "mia 2026-05-04T06:10:00Z out")
        #expect(try bench.tick("2026-05-04T06:18:00Z") == ["mia missed entersBy 05-04T06:15"])
        try bench.acceptInTime("mia 2026-05-05T06:00:00Z in", "mia 2026-05-05T06:05:00Z in", "mia 2026-05-05T06:10:00Z out")
        #expect(try bench.tick("2026-05-05T06:18:00Z") == [])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A visit that continues at the deadline counts until it ends too soon")
    func minimumLater() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00", ["minDuration": .number("600")])
        try bench.acceptInTime("mia 2026-05-04T06:00:00Z out", "mia 2026-05-04T06:14:00Z in", "mia 2026-05-04T06:16:00Z in")
        #expect(try bench.tick("2026-05-04T06:18:00Z") == [])
        #expect(
            try bench.acceptInTime("mia 2026-05-04T06:20:00Z out")
                == ["mia exit 05-04T06:20", "mia missed entersBy 05-04T06:15"])
        // Late positions make the visit longer: the first not long enough.
        #expect(try bench.accept("mia 2026-05-04T06:19:30Z in") == [])
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.standing() == ["mia missed entersBy 05-04T06:15"])
        try bench.accept("mia 2026-05-04T06:09:00Z in")
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.standing() == [])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test(
        "A late position within a visit can make it long enough, although its enter and exit stay the same", arguments: [nil, 0])
    func minimumLate(keeping: Double?) throws {
        let bench = try RuleBench(devices: [Device(id: "mia", silentAfter: 400, keepPositions: keeping)])
        try bench.rule("entersBy 08:15 06:00", ["minDuration": .number("600")])
        try bench.acceptInTime(
            "mia 2026-05-04T05:50:00Z out", "mia 2026-05-04T06:00:00Z in", "mia 2026-05-04T06:10:00Z in",
            "mia 2026-05-04T06:12:00Z out")
        // Ten minutes without a position are a silence.
        #expect(try bench.tick("2026-05-04T06:18:00Z") == ["mia missed entersBy 05-04T06:15"])
        if keeping != nil { return }
        try bench.accept("mia 2026-05-04T06:05:00Z in")
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.standing() == [])
    }

    @Test("Who passes by in the window has not left before its end")
    func minimumStay() throws {
        let bench = try RuleBench()
        try bench.rule("staysUntil 13:00 08:00", ["minDuration": .number("300")])
        try bench.acceptInTime("mia 2026-05-04T06:30:00Z in", "mia 2026-05-04T06:40:00Z out")
        #expect(try bench.standing() == [])
        let events = try bench.acceptInTime(
            "mia 2026-05-04T07:00:00Z in", "mia 2026-05-04T08:00:00Z in", "mia 2026-05-04T08:10:00Z out")
        #expect(events.last == "mia missed staysUntil 05-04T08:10", "\(events)")
    }

    @Test("A deadline that passed while the service was down is evaluated once, at the next start")
    func down() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00")
        try bench.restart()
        #expect(
            try bench.tick("2026-05-05T12:00:00Z") == ["mia missed entersBy 05-04T06:15", "mia missed entersBy 05-05T06:15"])
        try bench.restart()
        #expect(try bench.tick("2026-05-05T23:00:00Z") == [])
        #expect(try bench.events().map(\.urgency) == [.normal, .warning], "what is more than a day old is history")
        // A clock that is set back and forth emits nothing twice.
        for now in ["2026-05-01T00:00:00Z", "2026-05-05T23:30:00Z", "2026-05-04T06:00:00Z", "2026-05-05T23:59:00Z"] {
            #expect(try bench.tick(now) == [])
        }
    }

    @Test("A missed event in a transaction that is undone is given again")
    func undone() throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15 06:00")
        let service = try #require(bench.service)
        #expect(throws: Problem.cancelled) {
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                let fired = try service.fireDeadlines(upTo: Instant("2026-05-04T12:00:00Z")!, limit: 10, in: transaction)
                #expect(fired.count == 1)
                throw .cancelled
            }
        }
        #expect(try bench.events().isEmpty)
        #expect(try bench.tick("2026-05-04T12:00:00Z") == ["mia missed entersBy 05-04T06:15"])
    }

    @Test("A device that stays too long is reported once, while it is still there, and retracted when it had left before")
    func stay() throws {
        let bench = try RuleBench()
        try bench.rule("staysAtMost 7200")
        try bench.acceptInTime("mia 2026-05-04T05:00:00Z out", "mia 2026-05-04T06:00:00Z in")
        #expect(try bench.service.nextDeadline() == Instant("2026-05-04T08:00:00Z"))
        try bench.restart()
        #expect(try bench.service.nextDeadline() == Instant("2026-05-04T08:00:00Z"))
        #expect(try bench.tick("2026-05-04T08:00:01Z") == ["mia missed staysAtMost 05-04T08:00"])
        let missed = try #require(try bench.events().last)
        #expect(missed.enteredAt == Instant("2026-05-04T06:00:00Z") && missed.duration == 7200)
        #expect(
            try bench.acceptInTime("mia 2026-05-04T09:00:00Z in", "mia 2026-05-04T10:00:00Z out") == ["mia exit 05-04T10:00"])
        #expect(try bench.accept("mia 2026-05-04T07:30:00Z out") == [])
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.standing() == [])
        #expect(try bench.service.checkStore().isSound)
        var visits: [Visit] = []
        try bench.service.forEachVisit(.init()) { visits.append($0) }
        #expect(visits.count == 2)
    }

    @Test("A device that leaves too early is reported with its exit, once a day")
    func leaving() throws {
        let bench = try RuleBench()
        try bench.rule("staysUntil 13:00 08:15")
        #expect(
            try bench.acceptInTime(
                "mia 2026-05-04T05:00:00Z out", "mia 2026-05-04T06:10:00Z in", "mia 2026-05-04T09:00:00Z out",
                "mia 2026-05-04T09:30:00Z in", "mia 2026-05-04T10:00:00Z out", "mia 2026-05-05T06:00:00Z in",
                "mia 2026-05-05T11:30:00Z out")
                == [
                    "mia enter 05-04T06:10", "mia exit 05-04T09:00", "mia missed staysUntil 05-04T09:00", "mia enter 05-04T09:30",
                    "mia exit 05-04T10:00", "mia enter 05-05T06:00", "mia exit 05-05T11:30",
                ])
        // An edit that leaves a device outside is not an exit of the device.
        try bench.acceptInTime("mia 2026-05-06T06:00:00Z in")
        bench.clock.set(Instant("2026-05-06T07:00:00Z")!)
        var moved = bench.school
        moved.shape = .circle(Circle(center: Coordinate(latitude: 53, longitude: 13), radius: 100))
        #expect(bench.summaries(try bench.service.apply([.save(moved)])) == ["mia exit 05-06T06:00"])
        #expect(try bench.standing() == ["mia missed staysUntil 05-04T09:00"])
    }

    @Test("A rule for a group applies to each of its devices while the device belongs to it")
    func group() throws {
        let bench = try RuleBench(devices: [
            Device(id: "mia", groups: ["kids"]), Device(id: "tom", groups: ["kids"]), Device(id: "ben"),
        ])
        try bench.rule("entersBy 08:15 06:00", group: "kids")
        try bench.acceptInTime("mia 2026-05-04T05:00:00Z in")
        #expect(try bench.tick("2026-05-04T12:00:00Z") == ["tom missed entersBy 05-04T06:15"])
        try bench.service.save(Device(id: "ben", groups: ["kids"]))
        try bench.service.save(Device(id: "tom"))
        // Mia is still inside, because no exit was seen.
        #expect(try bench.tick("2026-05-05T12:00:00Z") == ["ben missed entersBy 05-05T06:15"])
        #expect(try bench.service.presenceRule(id: "kids-school-enters-by").inactivityReason == nil)
        for id in ["mia", "ben"] { try bench.service.save(Device(id: id)) }
        #expect(try bench.service.presenceRule(id: "kids-school-enters-by").inactivityReason == .noDevice)
        #expect(
            try bench.tick("2026-05-06T12:00:00Z") == []
                && bench.service.nextDeadline().map { $0 > Instant("2027-01-01T00:00:00Z")! } != true)
    }

    @Test("A rule for a label applies to each active geofence with it, while it has the label")
    func label() throws {
        let bench = try RuleBench()
        func site(_ id: String, at meters: Double, labels: [String] = ["site"]) -> Geofence {
            let center = Coordinate(latitude: bench.place.latitude + meters / 111_000, longitude: bench.place.longitude)
            return Geofence(id: id, name: id, shape: .circle(Circle(center: center, radius: 100)), labels: labels)
        }
        try bench.service.apply([.remove(id: "school"), .save(site("here", at: 0)), .save(site("there", at: 500))])
        try bench.rule("staysAtMost 7200", ["geofenceId": .null, "label": "site"])
        #expect(try bench.service.presenceRule(id: "mia-site-stays-at-most").inactivityReason == nil)
        // "in" is here, "out" is there.
        try bench.acceptInTime("mia 2026-05-04T06:00:00Z in")
        try bench.restart()
        #expect(try bench.tick("2026-05-04T08:00:01Z") == ["mia missed staysAtMost 05-04T08:00"])
        #expect(try bench.events().last?.geofenceId == "here")
        try bench.acceptInTime("mia 2026-05-04T09:00:00Z out")
        #expect(try bench.tick("2026-05-04T11:00:01Z") == ["mia missed staysAtMost 05-04T11:00"])
        #expect(try bench.events().last?.geofenceId == "there")
        // Late positions retract only what they concern.
        try bench.accept("mia 2026-05-04T07:00:00Z out")
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try bench.standing() == ["mia missed staysAtMost 05-04T09:00"])
        // A geofence that loses the label, and one that gets it while the device is inside.
        try bench.acceptInTime("mia 2026-05-05T06:00:00Z in")
        try bench.service.apply([.save(site("here", at: 0, labels: ["other"]))])
        #expect(try bench.tick("2026-05-05T12:00:00Z") == [])
        try bench.service.apply([.save(site("here", at: 0, labels: ["other", "site"]))])
        #expect(try bench.tick("2026-05-05T13:00:00Z") == [], "the rule applies from now on")
        try bench.acceptInTime("mia 2026-05-06T06:00:00Z out", "mia 2026-05-06T07:00:00Z in")
        #expect(try bench.tick("2026-05-06T12:00:00Z") == ["mia missed staysAtMost 05-06T09:00"])
        for id in ["here", "there"] {
            var site = site(id, at: id == "here" ? 0 : 500)
            site.isActive = false
            try bench.service.apply([.save(site)])
        }
        #expect(try bench.service.presenceRule(id: "mia-site-stays-at-most").inactivityReason == .noGeofence)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A rule for a label leaves out the geofences that are for other devices")
    func labelOfOthers() throws {
        let bench = try RuleBench(devices: [
            Device(id: "mia", groups: ["kids", "team-a"]), Device(id: "tom", groups: ["kids", "team-b"]),
        ])
        func site(_ id: String, groups: [String]) -> Geofence {
            Geofence(id: id, name: id, shape: bench.school.shape, groups: groups, labels: ["site"])
        }
        try bench.service.apply([.save(site("a", groups: ["team-a"])), .save(site("b", groups: ["team-b"]))])
        try bench.rule("entersBy 08:15 06:00", group: "kids", ["geofenceId": .null, "label": "site"])
        func missed(_ time: String) throws -> [String] {
            let known = try bench.events().count
            try bench.tick(time)
            return try bench.events().dropFirst(known).map { "\($0.deviceId) \($0.geofenceId ?? "")" }.sorted()
        }
        #expect(try missed("2026-05-04T12:00:00Z") == ["mia a", "tom b"])
        // A geofence for other devices, and a device in another group.
        try bench.service.apply([.save(site("b", groups: ["team-a"]))])
        try bench.service.save(Device(id: "tom", groups: ["kids", "team-a"]))
        #expect(try missed("2026-05-05T12:00:00Z") == ["mia a", "mia b", "tom a", "tom b"])
        try bench.service.save(Device(id: "tom", groups: ["kids"]))
        #expect(try missed("2026-05-06T12:00:00Z") == ["mia a", "mia b"])
    }

    @Test("A rule cannot be made for too many pairs of a device and a geofence, and edits that leave fewer are possible")
    func tooManyTargets() throws {
        let fences = 500
        let devices = Queries.maximumTargets / fences
        let bench = try RuleBench(devices: (0..<devices).map { Device(id: "d\($0)", groups: ["vans"]) })
        let label = { (number: Int) in
            Geofence(id: "f\(number)", name: "f", shape: bench.school.shape, labels: ["site"])
        }
        try bench.service.apply((0..<fences).map { .save(label($0)) })
        try bench.rule("staysAtMost 7200", group: "vans", ["geofenceId": .null, "label": "site"])
        func isRefused(_ error: any Error) -> Bool {
            guard case .validationFailed("label", "site", _, _) = error as? Problem else { return false }
            return true
        }
        #expect { try bench.service.apply([.save(label(fences))]) } throws: { isRefused($0) }
        #expect(try bench.service.geofence(id: "f0").id == "f0")
        // Another device, with which there are too many.
        try bench.service.save(Device(id: "another", groups: ["vans"]))
        #expect { try bench.rule("staysAtMost 600", group: "vans", ["geofenceId": .null, "label": "site"]) } throws: {
            isRefused($0)
        }
        try bench.service.apply([.remove(id: "f0")])
        #expect(try bench.service.presenceRules().count == 1)
    }

    @Test("A rule is suspended while its geofence or device is missing or inactive, and applies again afterward")
    func gone() throws {
        let bench = try RuleBench()
        let id = try bench.rule("entersBy 08:15 06:00").id
        var school = bench.school
        school.isActive = false
        try bench.service.apply([.save(school)])
        #expect(try bench.service.presenceRule(id: id).inactivityReason == .noGeofence)
        #expect(try bench.tick("2026-05-04T12:00:00Z") == [])
        try bench.service.apply([.save(bench.school)])
        #expect(try bench.service.presenceRule(id: id).inactivityReason == nil)
        #expect(try bench.tick("2026-05-04T13:00:00Z") == [], "what was in between is nobody's fault")
        #expect(try bench.tick("2026-05-05T12:00:00Z") == ["mia missed entersBy 05-05T06:15"])
        try bench.service.apply([.remove(id: "school")])
        #expect(try bench.tick("2026-05-06T12:00:00Z") == [])
        try bench.service.apply([.save(bench.school)])
        try bench.acceptInTime("mia 2026-05-07T06:00:00Z in")
        bench.clock.set(Instant("2026-05-07T06:05:00Z")!)
        #expect(bench.summaries(try bench.service.removeDevice(id: "mia")) == ["mia exit 05-07T06:00"])
        let waiting = try bench.service.presenceRule(id: id).json
        #expect(waiting["waitsFor"] == "noDevice")
        // A rule that waits for its device can be changed, but its device cannot be replaced by another missing one.
        #expect(try bench.service.saveRule(waiting.merged(with: ["grace": .number("60")]), id: id).inactivityReason == .noDevice)
        #expect { try bench.service.saveRule(waiting.merged(with: ["deviceId": "ben", "since": .null]), id: id) } throws: {
            ($0 as? Problem)?.code == "notFound"
        }
        #expect(try bench.tick("2026-05-08T12:00:00Z") == [])
        // The device returns with its next position.
        try bench.acceptInTime("mia 2026-05-08T13:00:00Z out")
        #expect(try bench.tick("2026-05-09T12:00:00Z") == ["mia missed entersBy 05-09T06:15"])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A changed or removed rule leaves its earlier events alone, and the change applies from then on")
    func edited() throws {
        let bench = try RuleBench()
        let rule = try bench.rule("entersBy 08:15 06:00")
        #expect(try bench.tick("2026-05-04T07:00:00Z") == ["mia missed entersBy 05-04T06:15"])
        var json = try bench.service.presenceRule(id: rule.id).json
        #expect(try bench.service.saveRule(json, id: rule.id).rule.since == rule.since, "nothing is other")
        json = json.merged(with: ["by": "10:00", "except": ["2026-05-05..2026-05-06"]])
        #expect(try bench.service.saveRule(json, id: rule.id).rule.since == Instant("2026-05-04T07:00:00Z"))
        #expect(
            try bench.accept("mia 2026-05-04T06:00:00Z in", "mia 2026-05-04T06:30:00Z out").suffix(1) == ["mia exit 05-04T06:30"])
        // The previous version of the rule was satisfied, which is not evaluated again, and the new version is satisfied as well.
        #expect(try bench.standing() == ["mia missed entersBy 05-04T06:15"])
        #expect(try bench.tick("2026-05-07T09:00:00Z") == ["mia missed entersBy 05-07T08:00"])
        try bench.service.removePresenceRule(id: rule.id)
        #expect(try bench.tick("2026-05-09T09:00:00Z") == [])
        #expect(try bench.events().last { $0.type == .missed }?.rule?.id == rule.id)
        // A new rule with the same id is independent of the removed one.
        try bench.rule("entersBy 08:15 06:00", ["since": "2026-05-01T00:00:00Z"])
        #expect(
            try bench.tick("2026-05-09T10:00:00Z").count == 5, "each day since its first position but the one on which it came")
        #expect(try bench.events(standing: true).filter { $0.type == .missed }.count == 7)
    }

    private static let refusals: [(JSONValue, String)] = [
        (["deviceId": "mai"], "notFound"), (["geofenceId": "shcool"], "notFound"), (["timeZone": "Berlin"], "validationFailed"),
        (["timeZone": "Europe/Berlni"], "validationFailed"), (["since": "2026-05-04T00:00:00Z"], "validationFailed"),
        (["since": "1980-01-01T00:00:00Z"], "validationFailed"), (["id": "taken"], "conflict"),
    ]

    @Test("A rule with an unknown device, geofence or time zone, a bad start or a taken ID is refused", arguments: refusals)
    func refused(change: JSONValue, code: String) throws {
        let bench = try RuleBench()
        try bench.rule("entersBy 08:15", ["id": "taken"])
        #expect { try bench.rule("entersBy 08:15", change) } throws: { ($0 as? Problem)?.code == code }
        #expect(try bench.service.presenceRules().count == 1)
        #expect(throws: Problem.self) {
            try bench.service.saveRule(
                bench.service.presenceRule(id: "taken").json.merged(with: ["since": "2026-05-01T00:00:00Z"]), id: "taken")
        }
        #expect(try bench.rule("entersBy 08:15").id == "mia-school-enters-by")
        #expect(try bench.rule("entersBy 08:15").id == "mia-school-enters-by-2")
    }

    @Test("A recorded track gives the same missed events before and after the rules are made, whole or position by position")
    func recording() throws {
        let track = [
            "mia 2024-05-06T05:00:00Z out", "mia 2024-05-06T06:05:00Z in", "mia 2024-05-06T11:30:00Z out",
            "mia 2024-05-07T07:00:00Z in", "mia 2024-05-07T08:00:00Z out", "mia 2024-05-09T18:00:00Z out",
        ]
        let expected = [
            "mia missed entersBy 05-07T06:15", "mia missed entersBy 05-08T06:15", "mia missed entersBy 05-09T06:15",
            "mia missed staysAtMost 05-06T08:05", "mia missed staysUntil 05-07T08:00",
        ]
        func makeRules(_ bench: RuleBench, isInterrupted: Bool = false) throws {
            for text in ["entersBy 08:15 06:00", "staysAtMost 7200", "staysUntil 13:00 08:15"] {
                try bench.rule(text, ["since": "2024-05-01T00:00:00Z"], isInterrupted: isInterrupted)
            }
        }
        let before = try RuleBench()
        try makeRules(before)
        for line in track { try before.accept(line) }
        #expect(try before.standing() == expected)
        let whole = try RuleBench()
        try makeRules(whole)
        try whole.accept(track[0], track[1], track[2], track[3], track[4], track[5])
        #expect(try whole.standing() == expected)
        let after = try RuleBench()
        for line in track { try after.accept(line) }
        try makeRules(after)
        #expect(try after.standing() == expected)
        // What a service has not evaluated before it was stopped is evaluated by the clock.
        let interrupted = try RuleBench()
        for line in track { try interrupted.accept(line) }
        try makeRules(interrupted, isInterrupted: true)
        try interrupted.restart()
        try interrupted.tick("2026-05-03T12:00:01Z")
        #expect(try interrupted.standing() == expected)
        // The device's time continues from the end of the track, not with the years that have passed since.
        #expect(try after.tick("2026-05-03T13:00:00Z") == [])
        #expect(try after.tick("2026-05-04T00:00:00Z") == [])
        #expect(try after.tick("2026-05-04T01:00:00Z") == ["mia missed entersBy 05-10T06:15"])
    }

    @Test("A new rule evaluates nothing of the past, and of today what is still to come")
    func past() throws {
        let bench = try RuleBench(at: "2026-05-04T06:10:00Z")
        try bench.rule("entersBy 08:15 06:00")
        try bench.rule("entersBy 08:05 06:00")
        #expect(try bench.accept("mia 2026-05-03T12:00:00Z out") == [])
        #expect(try bench.tick("2026-05-04T07:00:00Z") == ["mia missed entersBy 05-04T06:15"])
    }

    @Test("Erasing a device deletes its own rules and their events, and keeps group rules for the others")
    func erased() throws {
        let bench = try RuleBench(devices: [Device(id: "mia", groups: ["kids"]), Device(id: "tom", groups: ["kids"])])
        try bench.rule("entersBy 08:15 06:00", ["id": "secret-rule"])
        try bench.rule("entersBy 08:15 06:00", group: "kids", ["id": "of-all"])
        #expect(try bench.tick("2026-05-04T12:00:00Z").count == 3)
        var exported: [JSONValue] = []
        try bench.service.exportDevice(id: "mia") { line throws(Problem) in exported.append(line) }
        #expect(exported.compactMap { $0["rule"]?["id"]?.string } == ["secret-rule"])
        #expect(exported.count { $0["event"]?["type"] == "missed" } == 2)
        let erasure = try bench.service.eraseDevice(id: "mia")
        #expect(erasure.events == 2 && erasure.isGone)
        #expect(try bench.service.presenceRules().map(\.rule.id) == ["of-all"])
        #expect(try bench.events().map(\.deviceId) == ["tom"])
        for suffix in ["", "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: bench.data.storePath + suffix))
            #expect(bytes.range(of: Data("secret-rule".utf8)) == nil)
        }
        #expect(try bench.tick("2026-05-05T12:00:00Z") == ["tom missed entersBy 05-05T06:15"])
        #expect(try bench.service.checkStore().isSound)
    }
}
