import Foundation
import Model

/// A `picket.conf` file: lines of the form `name = value`. A `#` at the beginning of a line or after white space begins a comment.
package struct SettingsFile {
    /// The value of a setting in the file.
    struct Assignment: Hashable {
        var text: String
        /// The line number; the first line is 1.
        var line: Int
    }

    let path: String
    /// The name of the file in a data directory.
    package static let name = "picket.conf"
    private(set) var entries: [Setting.Name: Assignment] = [:]

    /// Reads a file. A file that does not exist counts as empty.
    init(path: String) throws(Problem) {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            try self.init(path: path, text: "")
            return
        } catch  where error.systemNumber == ENOTDIR {
            // The path of the directory is not a directory. The code that needs the directory reports that.
            try self.init(path: path, text: "")
            return
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .decodingFailed(source: .verbatim(path), line: nil, reason: .notUTF8)
        }
        try self.init(path: path, text: text)
    }

    init(path: String, text: String) throws(Problem) {
        self.path = path
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            try read(line, number: index + 1)
        }
    }

    private mutating func read(_ line: Substring, number: Int) throws(Problem) {
        let said = Self.withoutComment(line)
        if said.isEmpty { return }
        let parts = said.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw .decodingFailed(
                source: .verbatim(path), line: number, reason: Phrase("'\(said)' does not have the form name = value"))
        }
        let word = parts[0].trimmingCharacters(in: .whitespaces)
        let known = Setting.all.filter(\.isAllowedInFile).map(\.name.rawValue)
        guard let name = Setting.Name(rawValue: word) else {
            let similar = Suggestions.similar(to: word, among: known)
            throw .decodingFailed(
                source: .verbatim(path), line: number,
                reason: similar.first.map { Phrase("there is no setting '\(word)'; did you mean '\($0)'?") }
                    ?? Phrase("there is no setting '\(word)'; 'picket config' lists the settings"))
        }
        guard known.contains(word) else {
            throw .decodingFailed(
                source: .verbatim(path), line: number,
                reason: Phrase("'\(word)' can be set only by an option or by the environment")
            )
        }
        if let first = entries[name] {
            throw .decodingFailed(
                source: .verbatim(path), line: number, reason: Phrase("'\(word)' is already set in line \(first.line)"))
        }
        entries[name] = Assignment(text: parts[1].trimmingCharacters(in: .whitespaces), line: number)
    }

    /// A line without its comment and without white space around it.
    private static func withoutComment(_ line: Substring) -> String {
        var end = line.startIndex
        while end < line.endIndex {
            if line[end] == "#", end == line.startIndex || line[line.index(before: end)].isWhitespace { break }
            end = line.index(after: end)
        }
        return line[..<end].trimmingCharacters(in: .whitespaces)
    }

    /// The values in the text of a file by their names, as far as its lines can be read. Names that this version does not know are included.
    package static func values(in text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = withoutComment(line).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[parts[0].trimmingCharacters(in: .whitespaces)] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return values
    }
}
