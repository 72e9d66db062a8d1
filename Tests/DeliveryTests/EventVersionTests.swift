import Model
import TestSupport
import Testing

@testable import Delivery

@Suite("Versions of an event")
struct EventVersionTests {
    /// Entries by number, from 1: `e` is a version, `r` the retraction of the version before it, `R` one that the next version replaces.
    private func entries(_ story: String) -> [OutboxEvent] {
        var found: [OutboxEvent] = []
        for (index, letter) in story.enumerated() {
            var entry = sample(letter == "e" ? .exit : .retracted, sequence: Int64(index + 1))
            if letter != "e" { entry.original = found.last { $0.event.type == .exit }?.event }
            entry.isReplaced = letter == "R"
            found.append(entry)
        }
        return found
    }

    /// The numbers of the entries that a person is notified of.
    private func news(_ entries: [OutboxEvent], without refused: Set<Int64> = [], rejected: Set<Int64> = []) throws -> [Int64] {
        try entries.map(\.event.sequence).filter { number in
            try EventVersions(of: entries[Int(number) - 1], among: entries).areNews(
                at: number, admits: { !refused.contains($0.event.sequence) }, isRejected: rejected.contains)
        }
    }

    @Test(
        "A person is notified of an event once, and of its retraction only if it is not recorded again",
        arguments: [
            ("e", [1]), ("eRe", [1]), ("eReReRe", [1]), ("er", [1, 2]), ("eRer", [1, 4]), ("ere", [1, 2, 3]),
            ("ereRer", [1, 2, 3, 6]),
        ] as [(String, [Int64])])
    func once(story: String, expected: [Int64]) throws { #expect(try news(entries(story)) == expected) }

    @Test("The next version is sent if the one before it was not, and its retraction is not")
    func unsent() throws {
        #expect(try news(entries("eRe"), without: [1]) == [3])
        #expect(try news(entries("eReRer"), without: [1, 3]) == [5, 6])
        #expect(try news(entries("er"), without: [1]).isEmpty)
        #expect(try news(entries("eRer"), without: [3]) == [1, 4])
        #expect(try news(entries("eRe"), rejected: [1]) == [1, 3])
        #expect(try news(entries("er"), rejected: [1]) == [1])
        // A receiver that was not notified of a retraction still knows about the event.
        #expect(try news(entries("ere"), without: [2]) == [1])
    }

    @Test("Another device, geofence, rule, type or moment is another event")
    func others() throws {
        let rule = MissedRule(id: "r", expectation: .staysAtMost(60), timeZone: "UTC", hasPosition: true)
        let others = [
            sample(.exit, device: "tom", sequence: 1), sample(.exit, geofence: "work", sequence: 1), sample(.enter, sequence: 1),
            sample(.exit, at: "2026-05-01T10:00:01Z", sequence: 1), sample(.missed, sequence: 1, rule: rule),
        ]
        for other in others { #expect(try news([other, sample(.exit, sequence: 2)]) == [1, 2]) }
    }

    @Test("A retraction before the same event says that only details change, and no place is entered or left")
    func words() {
        var retraction = sample(.retracted)
        retraction.original = sample(.exit).event
        #expect(EventValues(retraction, language: .english, zone: .utc, isTest: false).isInsideAfterEvent == true)
        #expect(EventText(retraction, language: .english, zone: .utc).title == "Retracted: Mia did not leave Home then")
        retraction.isReplaced = true
        #expect(EventValues(retraction, language: .english, zone: .utc, isTest: false).isInsideAfterEvent == nil)
        #expect(
            EventText(retraction, language: .english, zone: .utc).title == "Corrected: only the details of an event of Mia")
        #expect(
            EventText(retraction, language: .turkish, zone: .utc).title
                == "Düzeltildi: Mia ile ilgili bir olayın yalnızca ayrıntıları")
    }
}
