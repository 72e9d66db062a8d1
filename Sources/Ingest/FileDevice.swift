import Model

/// The device of a file's positions that name none.
///
/// It is named after the file, without the extension and without a date and time: `walk.gpx` belongs to `walk`, and
/// `anna_20260501.gpx` to `anna`. If only numbers and words such as `track` are left, it is named after the folder:
/// `anna/20260501.gpx` and `anna/track_2.gpx` belong to `anna`. Folders that are dates are skipped: `anna/2026/05/01.gpx` belongs
/// to `anna`, too. So are names that are the same in every export: `anna/Takeout/Records.json` belongs to `anna`.
///
/// If files with the same name are in different folders, the devices are named after the folders: `anna/morning.gpx` and
/// `ben/morning.gpx` belong to `anna` and `ben`. If a folder has several such files, both names are used: `monday/van-7.gpx`
/// belongs to `monday/van-7`. Folders with the same name in different places name no device, because they may belong to different
/// people.
package enum FileDevice: Hashable, Sendable {
    case named(String)
    /// Nothing names the device, for this reason.
    case unnamed(Phrase)

    /// The device of one file.
    ///
    /// - Parameter path: The path; an absolute one has the names of all folders.
    package init(path: String) { self = Self.devices(ofFiles: [path])[0] }

    /// The device of each file, in the same order.
    package static func devices(ofFiles paths: [String]) -> [FileDevice] {
        let files = paths.map(FilePath.init)
        // The folders in which each name occurs.
        var foldersOfName: [String: Set<String>] = [:]
        for file in files { if let name = file.name { foldersOfName[name, default: []].insert(file.folder) } }
        var sharedNamesOfFolder: [String: Set<String>] = [:]
        for file in files {
            if let name = file.name, foldersOfName[name]?.count ?? 0 > 1 {
                sharedNamesOfFolder[file.folder, default: []].insert(name)
            }
        }
        /// The name of the folder, and whether it is the device's whole name.
        func folderName(_ file: FilePath) -> (name: String, isWhole: Bool)? {
            guard let name = file.name else { return (file.folderName, true) }
            guard let shared = sharedNamesOfFolder[file.folder], shared.contains(name) else { return nil }
            return (file.folderName, shared.count == 1)
        }
        var foldersOfFolderName: [String: Set<String>] = [:]
        for file in files {
            if let folder = folderName(file) { foldersOfFolderName[folder.name, default: []].insert(file.folder) }
        }
        let sortedFolders = foldersOfFolderName.mapValues { $0.sorted() }
        return files.map { file in
            guard let folder = folderName(file) else { return .named(file.name ?? "") }
            if folder.name.isEmpty { return .unnamed(.fileNamesNoDevice) }
            if let other = sortedFolders[folder.name]?.first(where: { $0 != file.folder }) {
                return .unnamed(.folderOfSameName(other))
            }
            return .named(folder.isWhole ? folder.name : "\(folder.name)/\(file.name ?? "")")
        }
    }
}

/// The parts of a path that can name a device.
private struct FilePath {
    /// The name of the file without the extension and without a date; nil if nothing is left.
    let name: String?
    /// The path of the innermost folder that is not a date, and its name; empty for none.
    let folder: String
    let folderName: String

    init(_ path: String) {
        var parts = path.split(separator: "/").map(String.init)
        let file = parts.popLast() ?? path
        while let last = parts.last, Self.isDate(parts) || Self.namesOfExports.contains(last.lowercased()) { parts.removeLast() }
        folder = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
        folderName = parts.last { $0 != "." && $0 != ".." } ?? ""
        let name = Self.nameWithoutDate(Self.stem(file))
        // The name of an export is better than none.
        let isOfExport = name.map { Self.namesOfExports.contains($0.lowercased()) } ?? false
        self.name = isOfExport && !folderName.isEmpty ? nil : name
    }

    /// The name without its last extension, and without `.gz` after that.
    private static func stem(_ file: String) -> String {
        let file = file.hasSuffix(".gz") && file.count > 3 ? String(file.dropLast(3)) : file
        guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return file }
        return String(file[..<dot])
    }

    /// Words that do not distinguish one person's file from another's.
    private static let commonWords: Set = [
        "activity", "day", "export", "gps", "gpx", "history", "location", "locations", "log", "nmea", "positions", "rec",
        "recording", "route",
        "run", "t", "track", "tracklog", "tracks", "trip", "trk", "utc", "z",
        // Names that recorders give to activities, and weekdays.
        "afternoon", "cycling", "evening", "hike", "hiking", "lunch", "morning", "night", "ride", "running", "walking", "workout",
        "sun", "mon", "tue", "wed", "thu", "fri", "sat", "so", "mo", "di", "mi", "do", "fr", "sa",
    ]

    /// Names of files and folders that are the same in every export.
    private static let namesOfExports: Set = [
        "activities", "downloads", "location history", "location history (timeline)", "location-history", "records", "takeout",
        "timeline", "timeline edits",
    ]

    /// A name without its first date and the time after it; nil if only numbers and common words remain.
    private static func nameWithoutDate(_ stem: String) -> String? {
        var rest = stem
        if let date = dateRange(in: stem) {
            let before = stem[..<date.lowerBound].trimmed
            let after = stem[date.upperBound...].trimmed
            rest = before.isEmpty || after.isEmpty ? before + after : "\(before)-\(after)"
        }
        let words = rest.split { !$0.isLetter }.map { $0.lowercased() }
        let hasNumber = stem.contains(where: \.isNumber)
        return hasNumber && words.allSatisfy(commonWords.contains) ? nil : rest
    }

    /// Whether the innermost folder is a date: `2026`, `2026-05`, `20260501`, or a month or a day in such a folder.
    private static func isDate(_ folders: [String]) -> Bool {
        guard let last = folders.last else { return false }
        if let date = dateRange(in: last) { return date == last.startIndex..<last.endIndex }
        if last.count == 4, let year = Int(last) { return (1980...2100).contains(year) }
        guard last.count <= 2, let number = Int(last) else { return false }
        return (1...31).contains(number) && isDate(folders.dropLast())
    }

    /// The first date in a text, with the time that may follow it: a year from 1980 to 2099, a month, and maybe a day.
    private static func dateRange(in text: String) -> Range<String.Index>? {
        let digits: (Substring) -> Bool = { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
        var start = text.startIndex
        while start < text.endIndex {
            defer { start = text.index(after: start) }
            if start > text.startIndex, text[text.index(before: start)].isASCIIDigit { continue }
            var rest = text[start...]
            guard digits(rest.prefix(4)), let year = Int(rest.prefix(4)), (1980...2099).contains(year) else { continue }
            rest = rest.dropFirst(4)
            let isSeparated = rest.first.map { "-_.".contains($0) } ?? false
            if isSeparated { rest.removeFirst() }
            guard rest.prefix(2).count == 2, digits(rest.prefix(2)), let month = Int(rest.prefix(2)), (1...12).contains(month)
            else { continue }
            rest = rest.dropFirst(2)
            let afterMonth = rest
            if isSeparated, rest.first.map({ "-_.".contains($0) }) ?? false { rest.removeFirst() }
            if rest.prefix(2).count == 2, digits(rest.prefix(2)), let day = Int(rest.prefix(2)), (1...31).contains(day) {
                rest = rest.dropFirst(2)
            } else if isSeparated {
                // A month.
                rest = afterMonth
            } else {
                continue
            }
            // The time: digits and separators.
            let end = rest.firstIndex { !$0.isASCIIDigit && !"-_.:TZ ".contains($0) } ?? rest.endIndex
            let time = rest[..<end]
            let timeEnd = time.lastIndex { $0.isASCIIDigit || $0 == "Z" }.map { text.index(after: $0) } ?? rest.startIndex
            return start..<timeEnd
        }
        return nil
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { "0" <= self && self <= "9" && isASCII }
}

extension Substring {
    /// The text without separators at both ends.
    fileprivate var trimmed: String {
        let isSeparator: (Character) -> Bool = { "-_. ".contains($0) }
        var text = self
        while let first = text.first, isSeparator(first) { text.removeFirst() }
        while let last = text.last, isSeparator(last) { text.removeLast() }
        return String(text)
    }
}
