import Model
import Testing

@Suite("Text in XML")
struct XMLTextTests {
    @Test(
        "Characters of markup are escaped, and those that XML does not allow are replaced",
        arguments: [
            ("<Anna & \"Ben's\">", "&lt;Anna &amp; &quot;Ben&#39;s&quot;&gt;"), ("é東👩‍👩‍👧", "é東👩‍👩‍👧"),
            ("a\u{0}b\u{1}c\u{1F}d\u{FFFE}\u{FFFF}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}\u{FFFD}"),
        ])
    func escaped(text: String, expected: String) {
        #expect(XMLText.escaped(text) == expected)
        #expect(XMLText.escaped(text, isAttribute: true) == expected)
    }

    @Test("Line breaks and tabs are references in attributes only")
    func spaces() {
        #expect(XMLText.escaped("a\tb\r\nc") == "a\tb\r\nc")
        #expect(XMLText.escaped("a\tb\r\nc", isAttribute: true) == "a&#9;b&#13;&#10;c")
    }
}
