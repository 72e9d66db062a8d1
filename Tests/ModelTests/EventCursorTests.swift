import Model
import Testing

@Suite("Event cursors")
struct EventCursorTests {
    @Test(
        "A cursor is unchanged after it is written and read",
        arguments: [EventCursor(0, of: nil), EventCursor(20, of: nil), EventCursor(1_785_312_000_001, of: "5f0c2a9be1d34c77")])
    func roundTrip(_ cursor: EventCursor) { #expect(EventCursor(cursor.description) == cursor) }

    @Test("A cursor is written with its number first")
    func form() { #expect(EventCursor(20, of: "5f0c").description == "20-5f0c") }

    @Test(
        "Other text gives nil",
        arguments: ["", "-", "-1", "+1", "x", "1.5", "20-", "20-XYZ", "20-5F", "20 ", "99999999999999999999", "20-a-b", "२०"])
    func bad(_ text: String) { #expect(EventCursor(text) == nil) }

    @Test(
        "A cursor that cannot be continued is a problem with a place to continue, in every language", arguments: Language.allCases
    )
    func words(_ language: Language) {
        for reason in EventCursor.Mismatch.allCases {
            let problem = Problem.cursorGone(
                cursor: EventCursor(25, of: "aa"), reason: reason, resume: EventCursor(18, of: "bb"), newest: 4711)
            let message = problem.message.text(in: language)
            #expect(message.contains("25") && message.contains("18"))
            #expect(reason == .restored || message.contains("4711"))
            #expect(problem.recoveryAction == .editInput && problem.severity == .warning && !problem.isRetryable)
        }
    }
}
