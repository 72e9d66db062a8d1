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
            // A test cannot have a negative duration for an early report.
            let time = JSONValue(max(0, transition.delay ?? 0)).description
            let name = "\(transition.outcome == .false ? "false " : "")\(transition.kind.rawValue) \(transition.at)"
            let geofence = XMLText.escaped(transition.geofenceID, isAttribute: true)
            text += "<testcase classname=\"\(geofence)\" name=\"\(name)\" time=\"\(time)\""
            guard transition.outcome != .reported else {
                text += "/>\n"
                continue
            }
            let explanation = "\(transition.phrase.text(in: words.language)): \(words.explanation(transition))"
            let message = XMLText.escaped(explanation, isAttribute: true)
            text += ">\n<failure type=\"\(transition.reason?.rawValue ?? "")\" message=\"\(message)\"/>\n</testcase>\n"
        }
        return text + "</testsuite>\n</testsuites>\n"
    }
}
