import Testing

@testable import Model

@Suite("Refusals")
struct RefusalTests {
    @Test(
        "A value is shown on one line, cut, and without secrets",
        arguments: [
            ("52,5163", "52,5163"), ("a\nb\tc\u{7}", "a b c "), ("", ""), ("id=7;lat=52.5", "id=7;lat=52.5"),
            ("lat=1&token=picket_x&lon=2", "lat=1&token=…&lon=2"), ("Password = geheim; x=1", "Password =…; x=1"),
            (#"{"username":"u","password":"p4ss","x":1}"#, #"{"username":"u","password":…","x":1}"#),
            ("api_key=1?secret:2", "api_key=…?secret:…"), ("access_token=x", "access_token=…"),
            (String(repeating: "x", count: 200), String(repeating: "x", count: 79) + "…"),
        ])
    func shownValue(value: String, shown: String) {
        let refusal = Refusal(field: "x", value: value, reason: .missing)
        #expect(refusal.shownValue == shown)
        #expect(refusal.reasonWithValue == (value.isEmpty ? .missing : .ofValue(shown, .missing)))
    }

    @Test("A name for people that is too long is distinguished from one with a control character")
    func names() {
        #expect(Identifier.flaw(inName: String(repeating: "x", count: 121)) == .tooManyCharacters(121, 120))
        #expect(Identifier.flaw(inName: "a\tb") == .controlCharacter)
        #expect(Identifier.flaw(inName: "") == .empty && Identifier.flaw(inName: "Küche") == nil)
    }
}
