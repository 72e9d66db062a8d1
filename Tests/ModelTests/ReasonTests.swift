import Foundation
import TestSupport
import Testing

@testable import Model

@Suite("Why something is refused, and what is expected")
struct ReasonTests {
    @Test("Every case of Picket's own has a sample", arguments: ["JSONFlaw", "Reason", "Expectation"])
    func samples(_ type: String) throws {
        let source = try String(contentsOf: SharedData.checkout.appending(path: "Sources/Model/\(type).swift"), encoding: .utf8)
        let cases = source.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("    case ") else { return nil }
            return String(line.dropFirst(9).prefix { $0.isLetter || $0.isNumber })
        }
        let text = try String(
            contentsOf: SharedData.checkout.appending(path: "Sources/Model/ReasonSamples.swift"), encoding: .utf8)
        let list = try #require(text.components(separatedBy: "samples: [\(type)] = [\n").dropFirst().first)
        let names = try #require(list.components(separatedBy: "\n        ]").first).split(separator: "\n").map { line in
            String(line.drop { $0 == " " || $0 == "." }.prefix { $0.isLetter || $0.isNumber })
        }
        // Words of the system or of other services have no translations.
        #expect(Set(cases).subtracting(["verbatim", "recorded"]) == Set(names))
        #expect(names.count == Set(names).count)
    }

    @Test("Has words of its own in every language")
    func words() {
        let (english, turkish) = (Language.english.catalog, Language.turkish.catalog)
        for reason in Reason.samples { check(english.words(reason), turkish.words(reason)) }
        for expectation in Model.Expectation.samples { check(english.words(expectation), turkish.words(expectation)) }
        for flaw in JSONFlaw.samples { check(english.words(flaw), turkish.words(flaw)) }
    }

    private func check(_ english: String, _ turkish: String) {
        #expect(!english.isEmpty && !turkish.isEmpty && english != turkish, "\(english) / \(turkish)")
    }

    @Test("One thing has one wording")
    func wordings() {
        let words = Language.english.catalog
        let reasons = Reason.samples.map { words.words($0) }
        #expect(Set(reasons).count == reasons.count)
        let expectations = Model.Expectation.samples.map { words.words($0) }
        #expect(Set(expectations).count == expectations.count)
    }

    @Test("Is the same in every language on the other side")
    func record() throws {
        for reason in Reason.samples {
            let json = try JSONParser.parse(JSONValue.compact(reason.members()).description)
            let read = try #require(Reason(json))
            for language in Language.allCases { #expect(language.catalog.words(read) == language.catalog.words(reason)) }
        }
        for expectation in Model.Expectation.samples {
            let json = try JSONParser.parse(JSONValue.compact(expectation.members(named: "expected")).description)
            guard let read = Model.Expectation(json, named: "expected") else {
                Issue.record("\(json) is not read")
                continue
            }
            for language in Language.allCases { #expect(language.catalog.words(read) == language.catalog.words(expectation)) }
        }
    }

    @Test("Foreign words are told as they are, and an earlier record has English alone")
    func foreign() throws {
        let reason = Reason.verbatim("Permission denied")
        #expect(JSONValue.compact(reason.members()) == ["reason": "Permission denied"])
        #expect(Reason(["reason": "it is too long"]) == .verbatim("it is too long"))
        #expect(Reason([:]) == nil)
        for language in Language.allCases { #expect(language.catalog.words(reason) == "Permission denied") }
    }

    @Test("Only foreign words are verbatim")
    func verbatim() throws {
        let sources = SharedData.checkout.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" && file.lastPathComponent != "ProblemSamples.swift"
        {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(".verbatim(\""), "\(file.lastPathComponent) calls words of its own verbatim")
        }
    }

    @Test("Counts agree with their nouns, and large numbers have separators")
    func numbers() {
        let (english, turkish) = (Language.english.catalog, Language.turkish.catalog)
        #expect(english.words(.fields(1)) == "it has 1 field")
        #expect(english.words(.fields(2)) == "it has 2 fields")
        #expect(english.words(.void(1)).hasPrefix("1 sentence from here on is void"))
        #expect(english.words(.noTrackPoints(1, 2)) == "there is none, only 1 waypoint and 2 points of routes")
        #expect(english.words(.metersIn(1, 1_000_000)) == "meters from 1 to 1,000,000")
        #expect(turkish.words(.metersIn(1, 1_000_000)) == "1 ile 1.000.000 arasında metre")
        #expect(english.words(.oneOf(["enter", "exit", "dwell"])) == "enter, exit or dwell")
        #expect(turkish.words(.oneOf(["ios", "android"])) == "ios ya da android")
        #expect((-1_234_567).grouped(by: ",") == "-1,234,567")
        #expect(
            english.message(.registrationIncomplete(missing: 1, orphaned: 2)).contains(
                "1 geofence is missing and 2 regions are left over"))
    }

    @Test("A byte of a broken text is shown where it can be printed")
    func bytes() {
        #expect(Language.english.catalog.words(JSONFlaw.noStartOfValue(0x7B)) == "'{' is not the start of a value")
        #expect(Language.turkish.catalog.words(JSONFlaw.noStartOfValue(0x01)) == "0x1 baytı bir değerin başı değil")
    }

    @Test("A refusal is told in Turkish without a word of English")
    func turkish() {
        let problem = Problem.validationFailed(field: "radius", value: "-5", reason: .negative, expected: .metersIn(1, 1_000_000))
        #expect(
            Language.turkish.catalog.message(problem)
                == "radius '-5' kullanılamaz: negatif. Beklenen: 1 ile 1.000.000 arasında metre.")
        #expect(
            Language.english.catalog.message(problem)
                == "radius '-5' cannot be used: it is negative. Expected meters from 1 to 1,000,000.")
    }
}
