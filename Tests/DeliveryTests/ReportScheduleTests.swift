import Foundation
import Model
import TestSupport
import Testing

@testable import Delivery

@Suite("The schedule of reports")
struct ReportScheduleTests {
    private func zone(_ name: String) throws -> (zone: LocalTimeZone, calendar: Calendar) {
        let zone = try #require(TimeZone(identifier: name))
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        return (LocalTimeZone(name: name) { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0.seconds)) }, calendar)
    }

    @Test(
        "The newest report that is due agrees with a calendar, also where clocks change",
        arguments: ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"],
        ReportPeriodLength.allCases)
    func calendar(name: String, every: ReportPeriodLength) throws {
        let (zone, calendar) = try zone(name)
        let component: Calendar.Component = [.month: .month, .week: .weekOfYear, .day: .day][every] ?? .day
        for time in ["00:00", "06:00", "23:30"] {
            let at = try #require(TimeOfDay(time))
            let schedule = ReportSchedule(every: every, at: at, in: zone)
            var moment = Instant("2026-01-01T00:00:00Z")!
            while moment < Instant("2027-01-02T00:00:00Z")! {
                // The latest beginning of a period at which the clock has shown the time of day.
                let now = Date(timeIntervalSince1970: moment.seconds)
                var start = try #require(calendar.dateInterval(of: component, for: now)).start
                let due = calendar.date(bySettingHour: at.minutes / 60, minute: at.minutes % 60, second: 0, of: start)
                if try #require(due) > now {
                    start = try #require(calendar.dateInterval(of: component, for: start.addingTimeInterval(-1))).start
                }
                let day = calendar.dateComponents([.year, .month, .day], from: start)
                let expected = String(format: "%04d-%02d-%02d", day.year ?? 0, day.month ?? 0, day.day ?? 0)
                #expect(schedule.newestDue(at: moment).description == expected, "\(moment) \(time)")
                moment = moment + 3000
            }
        }
    }

    @Test("A time that the clock skips is the moment of the change, and the end of the first day is the next midnight")
    func boundaries() throws {
        let (berlin, _) = try zone("Europe/Berlin")
        func due(_ every: ReportPeriodLength, _ at: String, _ now: String) throws -> String {
            ReportSchedule(every: every, at: try #require(TimeOfDay(at)), in: berlin).newestDue(at: Instant(now)!).description
        }
        #expect(try due(.day, "02:30", "2026-03-29T00:59:59Z") == "2026-03-28")
        #expect(try due(.day, "02:30", "2026-03-29T01:00:00Z") == "2026-03-29")
        #expect(try due(.month, "24:00", "2026-10-01T21:59:59Z") == "2026-09-01")
        #expect(try due(.month, "24:00", "2026-10-01T22:00:00Z") == "2026-10-01")
        #expect(try due(.week, "06:00", "2026-10-26T04:59:59Z") == "2026-10-19", "Monday after the clocks were set back")
        #expect(try due(.week, "06:00", "2026-10-26T05:00:00Z") == "2026-10-26")
    }
}
