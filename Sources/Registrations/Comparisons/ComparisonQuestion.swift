import Comparison
import Core
import Model

/// Which stored observations of a device to compare with its positions, and how.
package struct ComparisonQuestion: Sendable {
    package var deviceId: String
    package var since: Instant
    package var until: Instant
    /// Whether `until` was given; otherwise it is now, by the clock of the process that answers.
    package let hasEnd: Bool
    package var names: RegionNames
    package var maxDelay: Double
    package var skew: ClockSkew.Correction

    /// The period before `until` that is compared if `since` is missing, in seconds.
    static let usualPeriod = 86_400.0
    /// The maximum number of positions that are compared.
    static let mostFixes = 200_000
    /// The maximum number of observations that are compared.
    static let mostObservations = 200_000

    /// Reads a question from options or query fields.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the names in messages, such as the `--` of options.
    ///   - value: The text of an option or a field by its name without the prefix; nil if it is missing.
    /// - Throws: `Problem.validationFailed`.
    package init(
        of deviceId: String, by reader: TimeReader, prefix: String = "", maxDelayName: String, skewName: String,
        value: (_ name: String) -> String?
    ) throws(Problem) {
        self.deviceId = deviceId
        let (start, end) = try Period.read(since: value("since"), until: value("until"), by: reader, prefix: prefix)
        until = end ?? max(reader.now, start ?? .earliest)
        hasEnd = end != nil
        since = start ?? until + -Self.usualPeriod
        names = RegionNames(prefix: value("prefix"))
        maxDelay = try Self.maxDelay(value(maxDelayName), field: prefix + maxDelayName)
        skew = try Self.skew(value(skewName), field: prefix + skewName)
    }

    /// - Returns: `AppLogComparison.Options.usualMaxDelay` for nil.
    package static func maxDelay(_ text: String?, field: String) throws(Problem) -> Double {
        guard let text else { return AppLogComparison.Options.usualMaxDelay }
        return try TimeSpan.seconds(text, field: field, in: 1...86_400, acceptsBareSeconds: true)
    }

    /// - Returns: No correction for nil.
    package static func skew(_ text: String?, field: String) throws(Problem) -> ClockSkew.Correction {
        guard let text else { return .by(0) }
        if text == "auto" { return .automatic }
        let isBehind = text.hasPrefix("-")
        guard let span = TimeSpan(isBehind ? String(text.dropFirst()) : text, acceptsBareSeconds: true),
            span.seconds <= ClockSkew.longest
        else {
            throw .validationFailed(
                field: field, value: text, reason: .notADuration,
                expected: Phrase("auto, or how far the log's clock is ahead, for example 1h or 90s; with a minus if it is behind")
            )
        }
        return .by(isBehind ? -span.seconds : span.seconds)
    }
}

extension ClockSkew.Correction: CustomStringConvertible {
    /// The text of an option or a query field.
    package var description: String {
        switch self {
        case .automatic: "auto"
        case .by(let seconds): "\(seconds < 0 ? "-" : "")\(TimeSpan.text(seconds.magnitude))"
        }
    }
}
