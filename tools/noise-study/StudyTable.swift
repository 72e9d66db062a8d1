import Foundation
import Model

/// Formats a number for people: with up to three significant digits, "–" for NaN and "∞" for infinity.
func rounded(_ value: Double) -> String {
    if !value.isFinite { return value.isNaN ? "–" : "∞" }
    let digits = abs(value) >= 100 || value == value.rounded() ? 0 : abs(value) >= 10 ? 1 : 2
    return String(format: "%.\(digits)f", value)
}

/// A table in Markdown format.
struct StudyTable {
    private var rows: [[String]]

    init(_ heads: [String]) { rows = [heads] }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The table as Markdown text.
    var text: String {
        var lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
        lines.insert("|" + rows[0].map { _ in "---|" }.joined(), at: 1)
        return lines.joined(separator: "\n")
    }
}

extension Summary {
    /// The cells of a table row, in the order of `heads`.
    var cells: [String] {
        [
            rounded(falsePer100), rounded(missedMinute) + " %", rounded(missedThreeMinutes) + " %",
            rounded(missedAbsences) + " %", rounded(delay) + " s", rounded(enterDelay) + " / " + rounded(exitDelay) + " s",
            rounded(delay95) + " s", rounded(error) + " s",
        ]
    }

    /// The column headings that belong to `cells`.
    static let heads = [
        "false per 100", "missed ≥ 1 min", "missed ≥ 3 min", "absences missed ≥ 3 min", "delay", "enter / exit", "95 %",
        "`occurredAt` off by",
    ]

    var json: JSONValue {
        [
            "visits": JSONValue(visits), "transitions": JSONValue(transitions), "unseenVisits": JSONValue(unseen),
            "falsePer100": JSONValue(falsePer100), "falsePiecesPer100": JSONValue(piecesPer100),
            "visitsOfAMinute": JSONValue(minuteVisits), "missedOfAMinutePercent": JSONValue(missedMinute),
            "visitsOfThreeMinutes": JSONValue(threeMinuteVisits),
            "missedOfThreeMinutesPercent": JSONValue(missedThreeMinutes),
            "missedAbsencesPercent": JSONValue(missedAbsences), "delayMedian": JSONValue(delay),
            "delay95": JSONValue(delay95), "enterDelayMedian": JSONValue(enterDelay),
            "exitDelayMedian": JSONValue(exitDelay), "occurredAtErrorMedian": JSONValue(error),
        ]
    }
}

extension DecisionPolicy {
    /// A short text with all fields of the policy.
    var fields: String {
        let margin = "\(rounded(exitMargin.share)) (\(rounded(exitMargin.minimum)) to \(rounded(exitMargin.maximum)) m)"
        return "cap \(rounded(accuracyCap)), margin \(margin), \(confirmFixes) fixes, \(rounded(confirmSeconds)) s, "
            + "max. accuracy \(rounded(maxAccuracy)), speed \(rounded(maxSpeed)), crossing \(rounded(crossing)), stay \(rounded(stay))"
    }

    var json: JSONValue {
        [
            "accuracyCap": JSONValue(accuracyCap), "maxAccuracy": JSONValue(maxAccuracy),
            "exitMargin": [
                "share": JSONValue(exitMargin.share), "least": JSONValue(exitMargin.minimum),
                "most": JSONValue(exitMargin.maximum),
            ],
            "confirmFixes": JSONValue(confirmFixes), "confirmSeconds": JSONValue(confirmSeconds),
            "maxSpeed": JSONValue(maxSpeed), "crossing": JSONValue(crossing), "stay": JSONValue(stay),
        ]
    }
}
