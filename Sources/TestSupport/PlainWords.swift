import Foundation

/// Phrases that texts for people avoid, and a better one for each.
///
/// The documentation is checked with them. To check other texts, such as messages or the help of commands, search them with
/// `findings(in:)`. To avoid another phrase, add it to `phrases` or `terms`.
package struct PlainWords: Sendable {
    /// A phrase that is avoided.
    package struct Phrase: Sendable {
        /// One or more words. Each form of a word is a separate phrase.
        package var text: String
        /// What to write instead.
        package var better: String
        /// Longer phrases that contain this one and may be used.
        package var allowed: [String]

        package init(_ text: String, _ better: String, allowed: [String] = []) {
            self.text = text
            self.better = better
            self.allowed = allowed
        }
    }

    /// A phrase in a text.
    package struct Finding: CustomStringConvertible, Sendable {
        /// The number of the line, from 1.
        package var line: Int
        package var phrase: String
        package var better: String

        package var description: String { "\(line): '\(phrase)', better: \(better)" }
    }

    package var avoided: [Phrase]

    package init(avoided: [Phrase]) {
        self.avoided = avoided
    }

    /// For all texts.
    package static let everywhere = PlainWords(avoided: phrases)
    /// For texts that users read.
    package static let forUsers = PlainWords(avoided: phrases + terms)

    /// Searches a text for the phrases: by whole words, in upper and lower case. A space in a phrase also matches the end of a line.
    package func findings(in text: String) throws -> [Finding] {
        var findings: [Finding] = []
        for phrase in avoided {
            let allowed = try phrase.allowed.flatMap { try Self.ranges(of: $0, in: text) }
            for range in try Self.ranges(of: phrase.text, in: text) {
                guard !allowed.contains(where: { $0.contains(range.lowerBound) }) else { continue }
                let line = text[..<range.lowerBound].count(where: { $0 == "\n" }) + 1
                findings.append(Finding(line: line, phrase: phrase.text, better: phrase.better))
            }
        }
        return findings.sorted { $0.line < $1.line }
    }

    private static func ranges(of phrase: String, in text: String) throws -> [Range<String.Index>] {
        let words = phrase.components(separatedBy: " ").map(NSRegularExpression.escapedPattern(for:))
        // A hyphen belongs to a word: "stand-in" does not contain "stand".
        let start = phrase.first?.isLetter == true ? "(?<![\\w-])" : ""
        let end = phrase.last?.isLetter == true ? "(?![\\w-])" : ""
        let pattern = start + words.joined(separator: "\\s+") + end
        let matches = try NSRegularExpression(pattern: pattern, options: .caseInsensitive)
            .matches(in: text, range: NSRange(text.startIndex..., in: text))
        return matches.compactMap { Range($0.range, in: text) }
    }
}

extension PlainWords {
    /// Idioms, words of this project for what has a common name, and other spellings than the American ones.
    private static let phrases: [Phrase] = [
        Phrase("told", "reported, notified"),
        Phrase("untold", "missed"),
        Phrase("tell", "report, notify, show"),
        Phrase("tells", "reports, notifies, shows"),
        Phrase("stand", "are open", allowed: ["stand for"]),
        Phrase("stands", "is open", allowed: ["stands for"]),
        Phrase("go on", "continue"),
        Phrase("goes on", "continues"),
        Phrase("going on", "continuing"),
        Phrase("went on", "continued"),
        Phrase("by itself", "automatically"),
        Phrase("by themselves", "automatically"),
        Phrase("of its own", "its own", allowed: ["of its own length"]),
        Phrase("of their own", "their own"),
        Phrase("of your own", "your own", allowed: ["of your own app"]),
        Phrase("of one's own", "your own"),
        Phrase("nobody", "the passive, or who it is"),
        Phrase("somebody", "the passive, or who it is"),
        Phrase("everybody", "everyone, or who it is"),
        Phrase("whoever", "who it is"),
        Phrase("anew", "again"),
        Phrase("set right", "fixed"),
        Phrase("put aside", "ignored"),
        Phrase("made again", "created again"),
        Phrase("in the place of", "instead of"),
        Phrase("is no place", "invalid coordinates"),
        Phrase("the most is", "the maximum is"),
        Phrase("are the most", "is the maximum"),
        Phrase("however that comes", "nothing"),
        Phrase("however it comes", "nothing"),
        Phrase("as it comes", "nothing"),
        Phrase("whatever", "nothing, or which"),
        Phrase("mend", "make valid"),
        Phrase("mends", "makes valid"),
        Phrase("mended", "made valid"),
        Phrase("parked", "rejected"),
        Phrase("generation", "epoch"),
        Phrase("generations", "epochs"),
        Phrase("set back", "restored", allowed: ["clocks are set back", "was set back by"]),
        Phrase("jump", "outlier"),
        Phrase("jumps", "outliers"),
        Phrase("wild", "outlier"),
        Phrase("exit cushion", "exit buffer"),
        Phrase("band", "uncertain zone"),
        Phrase("judge", "evaluate"),
        Phrase("judges", "evaluates"),
        Phrase("judged", "evaluated"),
        Phrase("(s)", "the right plural"),
        Phrase("heard of", "has reported"),
        Phrase("taken back", "revoked"),
        Phrase("takes back", "revokes"),
        Phrase("take back", "revoke"),
        Phrase("as a rule", "by default"),
        Phrase("for good", "permanently"),
        Phrase("afterwards", "afterward"),
        Phrase("behaviour", "behavior"),
        Phrase("cancelled", "canceled"),
        Phrase("centre", "center"),
        Phrase("colour", "color"),
        Phrase("grey", "gray"),
        Phrase("kilometres", "kilometers"),
        Phrase("metre", "meter"),
        Phrase("metres", "meters"),
        Phrase("neighbour", "neighbor"),
        Phrase("recognise", "recognize"),
        Phrase("towards", "toward"),
        Phrase("travelled", "traveled"),
    ]

    /// Terms for developers.
    private static let terms: [Phrase] = [
        Phrase("fix", "position", allowed: ["to fix"]),
        Phrase("fixes", "positions"),
        Phrase("fence", "geofence"),
        Phrase("fences", "geofences"),
    ]
}
