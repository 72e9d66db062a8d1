import Foundation

/// What other users see of this process in the process list.
enum ProcessList {
    /// Options whose values are secrets.
    private static let secretOptions: Set<String> = ["--token", "--sink-token", "--password", "--secret", "--header"]

    /// Replaces secrets among the arguments of this process with `x`, as `ps` shows them. Swift's own copy of the arguments does
    /// not change. The secrets are visible until this call, so a file or standard input is safer.
    static func hideSecrets() {
        let arguments = CommandLine.arguments
        guard let place = argumentsMemory() else { return }
        var start = 0
        for (index, argument) in arguments.enumerated() {
            let bytes = argument.utf8.count
            // The memory does not have the expected length, so the positions of the arguments are unknown.
            guard start + bytes < place.count else { return }
            if let hidden = secret(argument, after: index > 0 ? arguments[index - 1] : "", isOfSink: arguments.contains("sink")) {
                for byte in hidden { place[start + byte] = UInt8(ascii: "x") }
            }
            start += bytes + 1
        }
    }

    /// The range of bytes of an argument that is a secret; nil when none is.
    static func secret(_ argument: String, after previous: String, isOfSink: Bool) -> Range<Int>? {
        let count = argument.utf8.count
        // The name of a file and `-` for standard input are not secrets.
        func value(from start: Int) -> Range<Int>? {
            let value = argument.utf8.dropFirst(start)
            return value.first == UInt8(ascii: "@") || value.elementsEqual("-".utf8) || value.isEmpty ? nil : start..<count
        }
        if secretOptions.contains(previous) { return value(from: 0) }
        if let equals = argument.firstIndex(of: "="), secretOptions.contains(String(argument[..<equals])) {
            return value(from: argument[...equals].utf8.count)
        }
        if previous == "--mqtt" || argument.hasPrefix("--mqtt=") { return password(in: argument) }
        // The path of a sink's URL may be a secret.
        guard isOfSink, let scheme = argument.firstRange(of: "://") else { return nil }
        return argument[..<scheme.upperBound].utf8.count..<count
    }

    /// The range of bytes of a URL that is its password; nil when it has none.
    private static func password(in url: String) -> Range<Int>? {
        guard let scheme = url.firstRange(of: "://"), let at = url.lastIndex(of: "@"), scheme.upperBound < at,
            let colon = url[scheme.upperBound..<at].firstIndex(of: ":")
        else { return nil }
        return url[...colon].utf8.count..<url[..<at].utf8.count
    }

    /// The memory that holds the arguments, one after the other, each followed by a zero byte (proc(5): `arg_start` and `arg_end` in
    /// /proc/self/stat, fields 48 and 49); nil where the system does not provide it.
    private static func argumentsMemory() -> UnsafeMutableBufferPointer<UInt8>? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/stat"),
            // The program's name, in parentheses, may contain any character.
            let rest = String(decoding: data, as: UTF8.self).split(separator: ")").last
        else { return nil }
        let fields = rest.split(separator: " ")
        guard fields.count > 46, let start = UInt(fields[45]), let end = UInt(fields[46]), start > 0, end > start else {
            return nil
        }
        return UnsafeMutableBufferPointer(start: UnsafeMutablePointer(bitPattern: start), count: Int(end - start))
    }
}
