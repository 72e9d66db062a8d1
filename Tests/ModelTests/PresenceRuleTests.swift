import Foundation
import Model
import Testing

@Suite("Presence rules as JSON")
struct PresenceRuleTests {
    private let now = Instant("2026-11-22T12:00:00Z")!

    private func rule(_ json: JSONValue, id: String? = nil) throws -> PresenceRule {
        try PresenceRule(json: json, id: id, now: now)
    }

    @Test(
        "A rule is unchanged after it is written and read",
        arguments: [
            PresenceRule.Expectation.entersBy(TimeOfDay("08:15")!, from: TimeOfDay("06:00")!, grace: 90), .staysAtMost(7200),
            .staysUntil(TimeOfDay("24:00")!, from: .midnight),
        ])
    func roundTrip(expectation: PresenceRule.Expectation) throws {
        let rule = PresenceRule(
            id: "r", subject: .group("kids"), geofences: expectation.kind == .entersBy ? .geofence("school") : .label("Site"),
            expectation: expectation,
            minDuration: expectation.kind == .staysAtMost ? nil : 600, days: Weekdays("mon,wed-fri")!,
            exceptions: [DateSpan("2026-12-24..2027-01-06")!, DateSpan("2027-02-15")!], timeZone: "Europe/Berlin",
            isActive: false,
            since: now)
        #expect(try self.rule(rule.json) == rule)
        let missed = MissedRule(id: "r", expectation: expectation, timeZone: "Europe/Berlin", hasPosition: false)
        #expect(try MissedRule(json: missed.json, hasPosition: false) == missed)
    }

    @Test("By default, a rule gets an ID from its content, applies every day from now on, and has two minutes of grace")
    func defaults() throws {
        let rule = try rule(["deviceId": "Mia’s watch", "geofenceId": "school", "kind": "entersBy", "by": "08:15"])
        #expect(rule.id == "mia-s-watch-school-enters-by" && rule.days == .all && rule.since == now && rule.timeZone == "UTC")
        #expect(TimeOfDay("8:15") == TimeOfDay("08:15") && TimeOfDay("124:00") == nil && TimeOfDay(":15") == nil)
        #expect(rule.expectation == .entersBy(TimeOfDay("08:15")!, from: .midnight, grace: 120))
    }

    @Test(
        "An invalid rule names its wrong field",
        arguments: [
            ("deviceId", #"{"geofenceId":"g","kind":"entersBy","by":"08:15"}"#),
            ("group", #"{"deviceId":"d","group":"k","geofenceId":"g","kind":"entersBy","by":"08:15"}"#),
            ("geofenceId", #"{"deviceId":"d","kind":"entersBy","by":"08:15"}"#),
            ("label", #"{"deviceId":"d","geofenceId":"g","label":"l","kind":"entersBy","by":"08:15"}"#),
            ("geofenceId", #"{"deviceId":"d","label":"","kind":"entersBy","by":"08:15"}"#),
            ("kind", #"{"deviceId":"d","geofenceId":"g"}"#), ("kind", #"{"deviceId":"d","geofenceId":"g","kind":"leaves"}"#),
            ("by", #"{"deviceId":"d","geofenceId":"g","kind":"entersBy"}"#),
            ("by", #"{"deviceId":"d","geofenceId":"g","kind":"entersBy","by":"8:5"}"#),
            ("by", #"{"deviceId":"d","geofenceId":"g","kind":"entersBy","by":"24:01"}"#),
            ("from", #"{"deviceId":"d","geofenceId":"g","kind":"entersBy","by":"08:15","from":"24:00"}"#),
            ("grace", #"{"deviceId":"d","geofenceId":"g","kind":"entersBy","by":"08:15","grace":-1}"#),
            ("minDuration", #"{"deviceId":"d","geofenceId":"g","kind":"entersBy","by":"08:15","minDuration":-1}"#),
            ("minDuration", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"minDuration":60}"#),
            ("duration", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost"}"#),
            ("duration", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":10}"#),
            ("until", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"until":"13:00"}"#),
            ("until", #"{"deviceId":"d","geofenceId":"g","kind":"staysUntil","until":"noon"}"#),
            ("days", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"days":"weekend"}"#),
            ("except", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"except":["2026-02-30"]}"#),
            (
                "except",
                #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"except":["2026-02-03..2026-02-02"]}"#
            ),
            ("since", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"since":"today"}"#),
            ("id", #"{"id":"a b","deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600}"#),
            ("colour", #"{"deviceId":"d","geofenceId":"g","kind":"staysAtMost","duration":600,"colour":"red"}"#),
        ])
    func flaws(field: String, text: String) throws {
        let json = try JSONParser.parse(text)
        #expect {
            try rule(json)
        } throws: { error in
            guard case .validationFailed(let named, _, let reason, let expected) = error as? Problem else { return false }
            return named == field && !reason.description.isEmpty && !expected.description.isEmpty
        }
    }

    @Test("Weekdays are parsed in any spelling, and written in the shortest form")
    func weekdays() {
        for (text, written) in [
            ("mon-fri", "mon-fri"), ("FRI-mon", "mon,fri-sun"), ("sat,sun", "sat,sun"), ("tue", "tue"),
            ("mon,tue,wed", "mon-wed"),
            ("thu-wed", "mon-sun"),
        ] {
            #expect(Weekdays(text)?.description == written)
        }
        for text in ["", "mon-", "mon,,tue", "monday", "mon-wed-fri"] { #expect(Weekdays(text) == nil, "\(text)") }
        #expect(LocalDate("2026-11-22")?.weekday == 6 && LocalDate("1969-12-28")?.weekday == 6)
    }

    @Test("A local time has the right moments, in zones with every kind of clock change")
    func moments() {
        func zone(_ name: String) -> LocalTimeZone {
            let zone = TimeZone(identifier: name)!
            return LocalTimeZone(name: name) { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0.seconds)) }
        }
        func moments(_ name: String, _ date: String, _ time: String) -> [String] {
            let found = zone(name).moments(at: TimeOfDay(time)!.minutes, on: LocalDate(date)!)
            return [found.first, found.last].map { String($0.description.prefix(16)) }
        }
        #expect(moments("Europe/Berlin", "2026-03-29", "02:30") == ["2026-03-29T01:00", "2026-03-29T01:00"])
        #expect(moments("Europe/Berlin", "2026-10-25", "02:30") == ["2026-10-25T00:30", "2026-10-25T01:30"])
        #expect(moments("Europe/Berlin", "2026-10-25", "03:00") == ["2026-10-25T02:00", "2026-10-25T02:00"])
        // A change at midnight; a change of half an hour; a day that did not exist.
        #expect(moments("America/Havana", "2026-03-08", "00:30") == ["2026-03-08T05:00", "2026-03-08T05:00"])
        #expect(moments("Australia/Lord_Howe", "2026-04-05", "01:45") == ["2026-04-04T14:45", "2026-04-04T15:15"])
        #expect(moments("Pacific/Apia", "2011-12-30", "08:15") == ["2011-12-30T10:00", "2011-12-30T10:00"])
        #expect(moments("Pacific/Kiritimati", "2026-05-01", "00:00") == ["2026-04-30T10:00", "2026-04-30T10:00"])
    }
}
