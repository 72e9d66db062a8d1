import Comparison
import Model

/// A comparison in the XML format of JUnit, which continuous integration systems show as tests: a test case for each transition that
/// happened, which fails if it was missed, and a failed one for each false report.
package struct JUnitReport {
    private let report: ComparisonReport
    private let words: ComparisonWords

    package init(_ report: ComparisonReport, _ words: ComparisonWords) {
        self.report = report
        self.words = words
    }

    package var xml: String {
        let suite = "name=\"picket compare\" tests=\"\(report.transitions.count)\" failures=\"\(report.faults.count)\""
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(suite)>\n"
        text += "<testsuite \(suite) errors=\"0\" skipped=\"0\">\n"
        for transition in report.transitions {
            // An early report is no negative duration of a test.
            let time = JSONValue(max(0, transition.delay ?? 0)).description
            let name = "\(transition.outcome == .false ? "false " : "")\(transition.kind.rawValue) \(transition.at)"
            text += "<testcase classname=\"\(Self.escaped(transition.geofenceID))\" name=\"\(name)\" time=\"\(time)\""
            guard transition.outcome != .reported else {
                text += "/>\n"
                continue
            }
            let message = "\(transition.phrase.text(in: words.language)): \(words.explanation(transition))"
            text +=
                ">\n<failure type=\"\(transition.reason?.rawValue ?? "")\" message=\"\(Self.escaped(message))\"/>\n</testcase>\n"
        }
        return text + "</testsuite>\n</testsuites>\n"
    }

    /// Text for an attribute. XML 1.0 has no characters for most control characters, not even escaped (§2.2).
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: result += "&amp;"
            case 0x3C: result += "&lt;"
            case 0x3E: result += "&gt;"
            case 0x22: result += "&quot;"
            case 0x09: result += "&#9;"
            case 0x0A: result += "&#10;"
            case 0x0D: result += "&#13;"
            case 0..<0x20, 0xFFFE, 0xFFFF: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
