import Foundation

/// Draws a coverage report as an SVG picture: for each strategy, a bar for the share of the transitions that were reported to the
/// app, and beside it the numbers of false reports and of calls.
package struct CoveragePlot {
    private let report: CoverageReport

    private static let width = 860
    private static let rowHeight = 34
    private static let top = 64
    private static let barLeft = 366
    private static let barWidth = 264

    private enum Color {
        static let background = "#ffffff"
        static let label = "#57606a"
        static let track = "#eaeef2"
        static let own = "#1a7f37"
        static let common = "#8c959f"
    }

    package init(_ report: CoverageReport) { self.report = report }

    package var svg: String {
        let height = Self.top + report.strategies.count * Self.rowHeight + 16
        let title =
            "Enters and exits reported, of \(report.transitionCount), with \(report.geofenceCount) geofences and a limit of \(report.limit)"
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Self.width) \#(height)" "#
                + #"font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="\#(title)">"#,
            #"<rect width="100%" height="100%" fill="\#(Color.background)"/>"#,
            text(title, x: 16, y: 26, attributes: #" font-weight="600""#),
            text("false", x: 748, y: 52, attributes: #" text-anchor="end" fill="\#(Color.label)""#),
            text("calls", x: 844, y: 52, attributes: #" text-anchor="end" fill="\#(Color.label)""#),
        ]
        for (number, strategy) in report.strategies.enumerated() { lines += row(strategy, y: Self.top + number * Self.rowHeight) }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func row(_ coverage: StrategyCoverage, y: Int) -> [String] {
        let share = coverage.share ?? 0
        let filled = String(format: "%.1f", share * Double(Self.barWidth))
        let color = coverage.strategy == .picket ? Color.own : Color.common
        let baseline = y + 18
        return [
            text(coverage.strategy.summary(limit: report.limit), x: 16, y: baseline),
            #"<rect x="\#(Self.barLeft)" y="\#(y + 4)" width="\#(Self.barWidth)" height="20" rx="3" fill="\#(Color.track)"/>"#,
            #"<rect x="\#(Self.barLeft)" y="\#(y + 4)" width="\#(filled)" height="20" rx="3" fill="\#(color)"/>"#,
            text(coverage.shareText, x: Self.barLeft + Self.barWidth + 10, y: baseline),
            text(coverage.wrong.formatted(.number.locale(Self.locale)), x: 748, y: baseline, attributes: #" text-anchor="end""#),
            text(
                coverage.calls.total.formatted(.number.locale(Self.locale)), x: 844, y: baseline,
                attributes: #" text-anchor="end""#),
        ]
    }

    private static let locale = Locale(identifier: "en_US")

    private func text(_ text: String, x: Int, y: Int, attributes: String = "") -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return #"<text x="\#(x)" y="\#(y)"\#(attributes)>\#(escaped)</text>"#
    }
}

extension StrategyCoverage {
    /// The share as a percentage with one decimal, never rounded up to 100 %; a dash if there were no transitions.
    package var shareText: String {
        guard let share else { return "–" }
        return String(format: "%.1f %%", (share * 1000).rounded(.down) / 10)
    }
}
