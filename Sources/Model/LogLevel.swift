/// The importance of a log line.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case error, warning, info, debug

    /// Whether `a` is less important than `b`: `.debug < .error`.
    package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

    /// The rank of the importance, from 0 for `.debug` to 3 for `.error`.
    package var rank: Int {
        switch self {
        case .error: 3
        case .warning: 2
        case .info: 1
        case .debug: 0
        }
    }
}
