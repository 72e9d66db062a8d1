/// How much it matters.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case error, warning, info, debug

    /// Whether `a` matters less than `b`: `.debug < .error`.
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

    /// 0 for what matters least.
    public var rank: Int {
        switch self {
        case .error: 3
        case .warning: 2
        case .info: 1
        case .debug: 0
        }
    }
}

/// How a line of the log is written.
public enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One JSON object a line.
    case json
}
