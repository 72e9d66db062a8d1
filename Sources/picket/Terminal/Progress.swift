import Foundation
import Model
import ToolSupport

/// A line on standard error that shows the progress of long work: only on a terminal, and only after the first second.
final class Progress {
    private let isShown: Bool
    private let what: String
    private let language: Language
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var isVisible = false

    init(_ what: Phrase, of invocation: Invocation) {
        self.what = invocation.text(what)
        language = invocation.language
        isShown = isatty(STDERR_FILENO) == 1 && invocation.environment["TERM"] != "dumb"
    }

    /// - Parameter total: Nil when the total is unknown.
    func update(_ done: Int, of total: Int?, note: Phrase? = nil) {
        guard isShown else { return }
        let now = ContinuousClock.now
        guard now - start > .seconds(1), now - last > .milliseconds(100) else { return }
        last = now
        isVisible = true
        var line = what
        if let total, total > 0 {
            let share = min(1, Double(done) / Double(total))
            let filled = Int(share * 30)
            line += " [" + String(repeating: "█", count: filled) + String(repeating: "·", count: 30 - filled) + "] "
            line += "\(Int(share * 100)) %"
        } else {
            line += " \(language.number(done))"
        }
        if let note { line += "  " + note.text(in: language) }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
    }

    /// Removes the line, so that other output can take its place.
    func clear() {
        guard isVisible else { return }
        isVisible = false
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
}
