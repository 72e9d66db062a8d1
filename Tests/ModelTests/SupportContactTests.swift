import TestSupport
import Testing

@testable import Model

@Suite("Support contact")
struct SupportContactTests {
    @Test(
        "An email address and a web page are accepted",
        arguments: [
            "help@example.org", "it+picket@mail.example.org", "https://example.org", "https://example.org:8443/help?a=b#c",
        ])
    func good(text: String) { #expect(SupportContact(text)?.description == text) }

    @Test(
        "Other text and addresses with a password are refused",
        arguments: [
            "", "help", "@example.org", "help@", "a@b@c", "http://example.org", "https://", "https:///help", "https://:80",
            "https://user:secret@example.org", "mailto:help@example.org", "a b@example.org", "help@example.org\n", "a@b,c@d",
            "\u{1B}[2J@example.org", "<a@b>", String(repeating: "a", count: 250) + "@b.example",
        ])
    func bad(text: String) { #expect(SupportContact(text) == nil) }

    @Test(
        "Problems that a person cannot solve lead to the contact, and without one can only be dismissed",
        arguments: Language.allCases)
    func action(language: Language) throws {
        let contact = try #require(SupportContact("help@example.org"))
        for problem in Problem.samples {
            let (with, without) = (problem.recoveryAction(contact: contact), problem.recoveryAction(contact: nil))
            #expect(with == problem.recoveryAction)
            #expect(without == (with == .contactSupport ? .dismiss : with))
            let shown = problem.json(in: language, contact: contact)["recoveryAction"]
            #expect(shown?["kind"]?.string == with.rawValue && shown?["label"]?.string == with.label.text(in: language))
            #expect(shown?["contact"]?.string == (with == .contactSupport ? "help@example.org" : nil))
            let alone = problem.json(in: language)["recoveryAction"]
            #expect(alone?["kind"]?.string == without.rawValue && alone?["contact"] == nil)
        }
        #expect(Problem.unknown(details: "").recoveryAction == .contactSupport)
        let words = contact.hint.text(in: language)
        #expect(words.contains("help@example.org") && words.contains("picket problems report"))
    }
}
