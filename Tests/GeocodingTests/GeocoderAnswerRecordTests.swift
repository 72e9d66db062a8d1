import Core
import Model
import Places
import ServiceTestSupport
import Store
import Testing

@testable import Geocoding

@Suite("Stored answers of the geocoder")
struct GeocoderAnswerRecordTests {
    private let bench: Workbench
    private let now = Instant("2026-05-04T06:00:00Z")!
    private let street = GeocoderQuestion.address(latitude: 525_163, longitude: 133_777)
    private let ocean = GeocoderQuestion.address(latitude: 0, longitude: 0)
    private let search = GeocoderQuestion.places("berlin")

    init() throws { bench = try Workbench() }

    private func save(
        _ answers: [GeocoderQuestion: JSONValue], after seconds: Double = 0, atMost most: Int = 100
    ) throws {
        try bench.service.transaction { (transaction: borrowing Transaction) throws(Problem) in
            try bench.service.store.save(
                answers, language: .english, at: now + seconds, atMost: most, in: transaction)
        }
    }

    private func known(_ questions: GeocoderQuestion..., after seconds: Double = 0, in language: Language = .english) throws
        -> [GeocoderQuestion: JSONValue]
    { try bench.service.store.geocoderAnswers(to: questions, in: language, at: now + seconds) }

    @Test("Answers are kept for 90 days, those that found nothing for a day, in one language")
    func lifetimes() throws {
        try save([street: "A Street", ocean: .null, search: []])
        #expect(try known(street, ocean, search) == [street: "A Street", ocean: .null, search: []])
        #expect(try known(street, in: .turkish) == [:])
        #expect(try known(street, ocean, search, after: 86_400) == [street: "A Street"])
        #expect(try known(street, after: 90 * 86_400 - 1) == [street: "A Street"] && known(street, after: 90 * 86_400) == [:])
        // A clock that was set back does not make an answer valid for longer.
        #expect(try known(street, after: -1) == [:])
        try save([ocean: "An Island"], after: 100 * 86_400)
        #expect(try bench.service.store.count("SELECT count(*) FROM geocoder_answer") == 1)
    }

    @Test("Answers that are too old are also removed when none are saved, the oldest first")
    func expired() throws {
        try save([street: "A Street"])
        try save([ocean: .null], after: 1)
        try save([search: []], after: 10)
        func left(after seconds: Double, limit: Int) throws -> Int {
            try bench.service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try bench.service.store.removeExpiredGeocoderAnswers(at: now + seconds, limit: limit, in: transaction)
            }
            return try bench.service.store.count("SELECT count(*) FROM geocoder_answer")
        }
        #expect(try left(after: 90 * 86_400, limit: 10) == 3)
        #expect(try left(after: 90 * 86_400 + 5, limit: 1) == 2)
        #expect(try known(street) == [:])
        #expect(try left(after: 90 * 86_400 + 5, limit: 10) == 1)
    }

    @Test("The oldest of too many answers are removed")
    func most() throws {
        for number in 0..<10 {
            try save([.address(latitude: number, longitude: 0): .string("A \(number)")], after: Double(number), atMost: 4)
        }
        let questions = (0..<10).map { GeocoderQuestion.address(latitude: $0, longitude: 0) }
        let kept = try bench.service.store.geocoderAnswers(to: questions, in: .english, at: now + 60)
        #expect(Set(kept.keys) == Set(questions.suffix(4)))
    }

    @Test("The erasure of a device removes all answers, because they may be of its places")
    func erasure() throws {
        _ = try bench.service.save(Device(id: "van"))
        try save([street: "A Street"])
        _ = try bench.service.eraseDevice(id: "van")
        #expect(try known(street) == [:])
    }
}
