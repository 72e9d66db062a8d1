import Foundation

/// The prose of a Markdown page.
package enum MarkdownProse {
    /// Removes code, the targets of links, and words between single asterisks, which are terms that the page defines. Lines keep their numbers.
    package static func text(of page: String) -> String {
        var lines: [String] = []
        var isInCodeBlock = false
        for line in page.components(separatedBy: "\n") {
            let isFence = line.trimmingCharacters(in: .whitespaces).hasPrefix("```")
            if isFence { isInCodeBlock.toggle() }
            let isCode = isFence || isInCodeBlock || line.hasPrefix("    ")
            lines.append(isCode ? "" : prose(ofLine: line))
        }
        return lines.joined(separator: "\n")
    }

    private static func prose(ofLine line: String) -> String {
        let inlineCode = "`[^`]*`"
        let term = "(?<!\\*)\\*(?!\\*)[^*]+\\*(?!\\*)"
        let target = "(?<=\\])\\([^)]*\\)"
        return [inlineCode, term, target].reduce(line) { text, pattern in
            text.replacingOccurrences(of: pattern, with: " ", options: .regularExpression)
        }
    }
}
