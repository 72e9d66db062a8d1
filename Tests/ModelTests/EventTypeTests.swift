import Testing

@testable import Model

@Suite("Event types")
struct EventTypeTests {
    @Test("A list of types has commas between, in any order")
    func list() throws {
        #expect(try EventType.list("enter", field: "--type") == [.enter])
        #expect(try EventType.list("exit, enter,exit", field: "--type") == [.enter, .exit])
        let all = EventType.allCases.map(\.rawValue).joined(separator: ",")
        #expect(try EventType.list(all, field: "--type") == Set(EventType.allCases))
    }

    @Test(
        "A word that is not a type is named",
        arguments: [("", ""), ("enter,", ""), ("entered,exit", "entered"), ("Enter", "Enter")])
    func unknown(_ text: String, _ word: String) {
        let types = EventType.allCases.map(\.rawValue)
        #expect(throws: Problem.validationFailed(field: "type", value: word, reason: .noSuchType, expected: .oneOf(types))) {
            try EventType.list(text, field: "type")
        }
    }
}
