import Foundation
import TestSupport
import Testing

@testable import Model

@Suite("Texts of problems")
struct ProblemTextTests {
    @Test("The details of a problem of Picket's own are in both languages, and those of others as they came")
    func details() {
        let own = Problem.unauthorized(details: .tokenNotShown)
        #expect(own.details(in: .english)?.hasPrefix("no token was sent") == true)
        #expect(own.json(in: .turkish)["details"]?.string?.hasPrefix("anahtar gönderilmedi") == true)
        let foreign = Problem.noConnection(peer: "p", details: "Connection refused")
        for language in Language.allCases { #expect(foreign.details(in: language) == "Connection refused") }
        // Where the first problem has no details, the next one has its message.
        #expect(Problem.timeout(peer: "p", details: "").cause == Problem.timeout(peer: "p", details: "").message)
        #expect(own.cause == .tokenNotShown)
    }

    @Test("A missing thing names a command that lists the others, if there is one", arguments: ItemKind.allCases)
    func whereToList(_ kind: ItemKind) {
        let problem = Problem.notFound(kind: kind, id: "7", similar: [])
        let (english, turkish) = (problem.message.text(in: .english), problem.message.text(in: .turkish))
        #expect(english.contains("'picket ") == turkish.contains("'picket "))
        #expect(kind != .rejectedEvent || english.contains("'picket sink parked SINK'"))
        #expect(!english.contains("event list"))
    }

    @Test("The name of a token is answered with the ids of the tokens with that name")
    func tokenName() {
        let one = Problem.notFound(kind: .token, id: "anna", similar: ["k3"])
        let two = Problem.notFound(kind: .token, id: "anna", similar: ["k3", "m9"])
        #expect(
            one.message.text(in: .english) == "There is no token with the id 'anna'. The token with this name has the id 'k3'.")
        #expect(two.message.text(in: .english).hasSuffix("The tokens with this name have the ids 'k3', 'm9'."))
        #expect(one.message.text(in: .turkish).contains("Bu adı taşıyan anahtarın kimliği: 'k3'."))
    }

    @Test("Foreign words are shown as they are, and an earlier record has English alone")
    func foreign() throws {
        let reason = Phrase.verbatim("Permission denied")
        #expect(JSONValue.compact(reason.members()) == ["reason": "Permission denied"])
        #expect(Phrase(json: ["reason": "it is too long"]) == .verbatim("it is too long"))
        #expect(Phrase(json: [:]) == nil)
        for language in Language.allCases { #expect(reason.text(in: language) == "Permission denied") }
    }

    @Test("Only foreign words are verbatim")
    func verbatim() throws {
        let sources = SharedData.checkout.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" && file.lastPathComponent != "ProblemSamples.swift"
        {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(".verbatim(\""), "\(file.lastPathComponent) calls words of its own verbatim")
            // The details of the store are the database's own words, and an error of libcurl is not yet a problem.
            if file.lastPathComponent == "HTTPClientError.swift" { continue }
            for line in text.split(separator: "\n") where line.contains("details: \"") {
                #expect(
                    line.contains("storeCorrupt(") || line.contains("storeFailed(") || line.contains("diskFailed(")
                        || line.contains("migrationFailed("),
                    "\(file.lastPathComponent) has details in English only")
            }
        }
    }

    @Test("Counts agree with their nouns, and large numbers have separators")
    func numbers() {
        #expect(Phrase.noTrackPoints(1, 2).text(in: .english) == "it has no track points, only 1 waypoint and 2 points of routes")
        #expect(Phrase.metersIn(1, 1_000_000).text(in: .english) == "meters from 1 to 1,000,000")
        #expect(Phrase.metersIn(1, 1_000_000).text(in: .turkish) == "1 ile 1.000.000 arasında metre")
        #expect(Phrase.oneOf(["enter", "exit", "dwell"]).text(in: .english) == "enter, exit or dwell")
        #expect(Phrase.oneOf(["ios", "android"]).text(in: .turkish) == "ios ya da android")
        #expect((-1_234_567).grouped(by: ",") == "-1,234,567")
        #expect(
            Problem.registrationIncomplete(missing: 1, orphaned: 2).message.description.contains(
                "1 geofence is missing and 2 regions are orphaned"))
    }

    @Test("A byte of a broken text is shown where it can be printed")
    func bytes() {
        #expect(JSONFlaw.noStartOfValue(0x7B).description == "'{' is not the start of a value")
        #expect(JSONFlaw.noStartOfValue(0x01).phrase.text(in: .turkish) == "0x1 baytı bir değerin başı değil")
    }

    @Test("A refusal is written in Turkish without a word of English")
    func turkish() {
        let problem = Problem.validationFailed(field: "radius", value: "-5", reason: .negative, expected: .metersIn(1, 1_000_000))
        #expect(
            problem.message.text(in: .turkish)
                == "radius '-5' kullanılamaz: negatif. Beklenen: 1 ile 1.000.000 arasında metre.")
        #expect(
            problem.message.text(in: .english)
                == "radius '-5' cannot be used: it is negative. Expected meters from 1 to 1,000,000.")
    }
}
