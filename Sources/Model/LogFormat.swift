/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Text for people.
    case text
    /// One JSON object for each line.
    case json
}
