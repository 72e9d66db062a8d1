import Model

/// Writes HTML pages and text in HTML.
package enum HTMLText {
    /// Escapes text for HTML, because names may contain any character.
    package static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    /// A whole page without external resources.
    ///
    /// - Parameters:
    ///   - title: The title and the heading, already escaped.
    ///   - style: The style sheet in CSS.
    ///   - body: The HTML after the heading.
    package static func page(_ language: Language, title: String, style: String, body: String) -> String {
        """
        <!doctype html>
        <html lang="\(language.rawValue)">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        <style>
        \(style)
        </style>
        <h1>\(title)</h1>
        \(body)
        </html>

        """
    }

    /// One paragraph for each line, which is escaped here.
    package static func paragraphs(_ lines: [String]) -> String {
        lines.map { "<p>\(escaped($0))</p>" }.joined(separator: "\n")
    }
}
