import Foundation

/// Phrases that texts for people avoid, and a better one for each.
///
/// The documentation is checked with them. To check other texts, such as messages or the help of commands, search them with
/// `findings(in:)`. To avoid another phrase, add it to `phrases` or `terms`.
package struct PlainWords: Sendable {
    /// A phrase that is avoided.
    package struct Avoided: Sendable {
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

    package var avoided: [Avoided]

    package init(avoided: [Avoided]) {
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
    /// Idioms, this project's words for things that have a common name, and non-American spellings.
    private static let phrases: [Avoided] = [
        Avoided("told", "reported, notified"),
        Avoided("untold", "missed"),
        Avoided("tell", "report, notify, show"),
        Avoided("tells", "reports, notifies, shows"),
        Avoided("stand", "are open", allowed: ["stand for"]),
        Avoided("stands", "is open", allowed: ["stands for"]),
        Avoided("go on", "continue"),
        Avoided("goes on", "continues"),
        Avoided("going on", "continuing"),
        Avoided("went on", "continued"),
        Avoided("by itself", "automatically"),
        Avoided("by themselves", "automatically"),
        Avoided("of its own", "its own", allowed: ["of its own length"]),
        Avoided("of their own", "their own"),
        Avoided("of your own", "your own", allowed: ["of your own app"]),
        Avoided("of one's own", "your own"),
        Avoided("nobody", "the passive, or who it is"),
        Avoided("somebody", "the passive, or who it is"),
        Avoided("everybody", "everyone, or who it is"),
        Avoided("whoever", "who it is"),
        Avoided("anew", "again"),
        Avoided("set right", "fixed"),
        Avoided("put aside", "ignored"),
        Avoided("made again", "created again"),
        Avoided("in the place of", "instead of"),
        Avoided("is no place", "invalid coordinates"),
        Avoided("the most is", "the maximum is"),
        Avoided("are the most", "is the maximum"),
        Avoided("however that comes", "nothing"),
        Avoided("however it comes", "nothing"),
        Avoided("as it comes", "nothing"),
        Avoided("whatever", "nothing, or which"),
        Avoided("mend", "make valid"),
        Avoided("mends", "makes valid"),
        Avoided("mended", "made valid"),
        Avoided("parked", "rejected"),
        Avoided("generation", "epoch"),
        Avoided("generations", "epochs"),
        Avoided("set back", "restored", allowed: ["clocks are set back", "was set back by"]),
        Avoided("jump", "outlier"),
        Avoided("jumps", "outliers"),
        Avoided("wild", "outlier"),
        Avoided("exit cushion", "exit buffer"),
        Avoided("band", "uncertain zone"),
        Avoided("judge", "evaluate"),
        Avoided("judges", "evaluates"),
        Avoided("judged", "evaluated"),
        // The summaries of a device's health are specified in these words.
        Avoided("(s)", "the right plural", allowed: ["geofence(s) not registered", "orphan region(s)", "region(s) wrong"]),
        Avoided("heard of", "has reported"),
        Avoided("taken back", "revoked"),
        Avoided("takes back", "revokes"),
        Avoided("take back", "revoke"),
        Avoided("as a rule", "by default"),
        Avoided("for good", "permanently"),
        Avoided("afterwards", "afterward"),
        Avoided("behaviour", "behavior"),
        Avoided("cancelled", "canceled"),
        Avoided("centre", "center"),
        Avoided("colour", "color"),
        Avoided("grey", "gray"),
        Avoided("kilometres", "kilometers"),
        Avoided("metre", "meter"),
        Avoided("metres", "meters"),
        Avoided("neighbour", "neighbor"),
        Avoided("recognise", "recognize"),
        Avoided("towards", "toward"),
        Avoided("travelled", "traveled"),
    ]

    /// Terms for developers.
    private static let terms: [Avoided] = [
        Avoided("fix", "position", allowed: ["to fix", "Fix Registration"]),
        Avoided("fixes", "positions"),
        Avoided("fence", "geofence"),
        Avoided("fences", "geofences"),
    ]
}
