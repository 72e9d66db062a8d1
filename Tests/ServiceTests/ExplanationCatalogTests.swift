import Model
import Testing

@testable import Service

@Suite("The words of explanations")
struct ExplanationCatalogTests {
    typealias Samples = ExplanationSamples

    @Test("Have a sample of each case")
    func samples() {
        #expect(Set(Samples.causes.map(Samples.place)) == Set(0..<30))
        #expect(Set(Samples.lacks.map(Samples.place)) == Set(0..<5))
        #expect(Set(Samples.missing.map(Samples.place)) == Set(0..<4))
        #expect(Set(Samples.answers.map(Samples.place)) == Set(0..<13))
        #expect(Set(Samples.remarks.map(Samples.place)) == Set(0..<5))
    }

    private func expectTranslated(_ english: String, _ turkish: String) {
        #expect(!english.isEmpty && !turkish.isEmpty && english != turkish)
        for text in [english, turkish] { #expect(!text.contains("Optional(") && !text.contains("  "), "\(text)") }
    }

    @Test("Are another sentence in every language")
    func sentences() {
        for reason in Samples.reasons { expectTranslated(reason.words(), reason.words(in: .turkish)) }
        for answer in Samples.answers { expectTranslated(answer.words(), answer.words(in: .turkish)) }
        for remark in Samples.remarks { expectTranslated(remark.words(), remark.words(in: .turkish)) }
        for remedy in Samples.remedies { expectTranslated(remedy.words(), remedy.words(in: .turkish)) }
    }

    @Test("End an answer and a remark with a full stop, and a reason without one")
    func stops() {
        for language in Language.allCases {
            for reason in Samples.reasons { #expect(!reason.words(in: language).hasSuffix(".")) }
            for answer in Samples.answers {
                let text = answer.words(in: language)
                #expect(text.hasSuffix(".") && !text.hasSuffix("..") && text.first?.isLowercase != true || text.hasPrefix("anna"))
            }
            for remark in Samples.remarks { #expect(remark.words(in: language).hasSuffix(".")) }
            for remedy in Samples.remedies { #expect(remedy.words(in: language).hasSuffix(".")) }
        }
    }

    @Test("Say of an event what it is and what there is to remark, in every language")
    func events() {
        let (english, turkish) = (Language.english.explanation(), Language.turkish.explanation())
        for event in Samples.events {
            expectTranslated(english.verb(event), turkish.verb(event))
            let (remark, other) = (english.remark(on: event), turkish.remark(on: event))
            #expect(remark.isEmpty == other.isEmpty && (remark.isEmpty || remark != other))
        }
    }

    @Test(
        "Count fixes in order",
        arguments: [
            (1, "first"), (2, "second"), (3, "third"), (4, "4th"), (11, "11th"), (12, "12th"), (21, "21st"), (22, "22nd"),
            (113, "113th"),
        ])
    func ordinals(_ count: Int, _ ordinal: String) {
        let reason = StepReason(.confirmed(.inside, count: count, first: Samples.time, seconds: nil))
        #expect(reason.words() == "\(ordinal) position inside: confirmed, dated back to 11:58:30Z")
        #expect(reason.words(in: .turkish) == "\(count). konum içeride: doğrulandı, 11:58:30Z anına geri tarihlendi")
    }

    @Test("Name one device in the singular and two in the plural")
    func plurals() {
        let one = StepReason(.fenceForOthers(devices: ["van"], groups: ["team"]))
        #expect(one.words() == "the geofence is not for this device, but for device van and group team")
        #expect(one.words(in: .turkish) == "coğrafi sınır bu cihaz için değil; şu cihaz: van ve şu grup: team için")
        let two = StepReason(.fenceForOthers(devices: ["van", "bus"], groups: []))
        #expect(two.words() == "the geofence is not for this device, but for devices van, bus")
        #expect(two.words(in: .turkish) == "coğrafi sınır bu cihaz için değil; şu cihazlar: van, bus için")
    }
}
