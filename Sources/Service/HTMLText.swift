/// Text in HTML.
package enum HTMLText {
    /// Escapes text for HTML, because names may contain any character.
    package static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
