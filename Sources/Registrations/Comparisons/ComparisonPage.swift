import Comparison
import Core
import Model

/// A comparison as one page of HTML, without scripts and without anything that is loaded from elsewhere, for the screen and for paper.
package struct ComparisonPage {
    private let report: ComparisonReport
    private let words: ComparisonWords

    /// The maximum number of missed and false transitions that are listed.
    static let mostFaults = 5000
    /// The maximum number of geofences that are listed.
    static let mostGeofences = 5000

    package init(_ report: ComparisonReport, _ words: ComparisonWords) {
        self.report = report
        self.words = words
    }

    private static let style = """
        :root { color-scheme: light dark; --text: #1b1b1b; --quiet: #565656; --back: #fff; --line: #d0d0d0; --good: #17692f;
          --bad: #a81c1c; --doubt: #7a5200; --card: #f4f5f6 }
        @media (prefers-color-scheme: dark) {
          :root { --text: #ececec; --quiet: #adadad; --back: #161719; --line: #3a3d41; --good: #6fd08c; --bad: #ff8f88;
            --doubt: #e8b65a; --card: #212327 }
        }
        * { box-sizing: border-box }
        body { font: .95rem/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
          color: var(--text); background: var(--back) }
        h1 { font-size: 1.5rem; margin: 0 0 .25rem }
        h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
        p { margin: .25rem 0; color: var(--quiet) }
        dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.25rem 0 }
        dl div { background: var(--card); border-radius: .5rem; padding: .6rem .9rem }
        dt { color: var(--quiet) }
        dd { margin: 0; font-size: 1.5rem; font-variant-numeric: tabular-nums }
        .told { color: var(--good) } .missed { color: var(--bad) } .false { color: var(--doubt) }
        .table { overflow-x: auto }
        table { border-collapse: collapse; width: 100% }
        th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
        thead th { border-bottom: 2px solid var(--text); white-space: nowrap }
        .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
        .name { overflow-wrap: anywhere; min-width: 8rem }
        .id { color: var(--quiet); font-weight: 400 }
        ol { list-style: none; padding: 0; margin: 0 }
        li { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
        time { font-variant-numeric: tabular-nums; color: var(--quiet) }
        li strong { font-weight: 600 }
        @page { margin: 15mm }
        @media print { body { font-size: 9pt; margin: 0; max-width: none; padding: 0 } li, tr { break-inside: avoid } }
        """

    package var html: String {
        let heading = Phrase("Transitions reported to the app").text(in: words.language)
        let title = HTMLText.escaped(heading + (report.deviceID.map { ": \($0)" } ?? ""))
        let lines = [words.scope(report), words.result(report)] + words.remarks(report)
        return HTMLText.page(
            words.language, title: title, style: Self.style,
            body: [HTMLText.paragraphs(lines), totals, faults, table].joined(separator: "\n"))
    }

    private var totals: String {
        let (columns, tally) = (words.columns, report.tally)
        let numbers = [
            (columns[1], tally.happened, ""), (columns[2], tally.reported, "told"), (columns[5], tally.missed, "missed"),
            (columns[6], tally.falseCount, "false"),
        ]
        let cards = numbers.map { name, count, style in
            "<div><dt>\(HTMLText.escaped(name))</dt><dd class=\"\(count == 0 ? "" : style)\">\(Format.number(count))</dd></div>"
        }
        return "<dl>\(cards.joined())</dl>"
    }

    private var faults: String {
        let all = report.faults
        if all.isEmpty { return "" }
        let names = report.names
        var text = "<h2>\(escaped(Phrase("Missed and false")))</h2>\n<ol>\n"
        for fault in all.prefix(Self.mostFaults) {
            text += "<li><time datetime=\"\(fault.at)\">\(HTMLText.escaped(words.time(fault.at)))</time> "
            text += "<span class=\"\(fault.outcome.rawValue)\">\(escaped(fault.phrase))</span> "
            text += "<strong>\(HTMLText.escaped(shownName(names[fault.geofenceID] ?? fault.geofenceID)))</strong><br>"
            text += "\(HTMLText.escaped(words.explanation(fault)))</li>\n"
        }
        text += "</ol>\n"
        if all.count > Self.mostFaults { text += "<p>… +\(Format.number(all.count - Self.mostFaults))</p>\n" }
        return text
    }

    private func escaped(_ phrase: Phrase) -> String { HTMLText.escaped(phrase.text(in: words.language)) }

    private func shownName(_ name: String) -> String { words.shown(name) }

    private var table: String {
        if report.geofences.isEmpty { return "" }
        var text = "<h2>\(escaped(Phrase("By geofence")))</h2>\n<div class=\"table\">\n<table>\n<thead><tr>"
        for (index, heading) in words.columns.enumerated() {
            text += "<th scope=\"col\"\(index == 0 ? "" : " class=\"number\"")>\(HTMLText.escaped(heading))</th>"
        }
        text += "</tr></thead>\n<tbody>\n"
        for row in report.geofences.prefix(Self.mostGeofences) {
            let id = row.name == row.geofenceID ? "" : " <span class=\"id\">\(HTMLText.escaped(shownName(row.geofenceID)))</span>"
            text += "<tr><th scope=\"row\" class=\"name\">\(HTMLText.escaped(shownName(row.name)))\(id)</th>"
            let tally = row.tally
            text += number(tally.happened) + number(tally.reported) + delay(tally.medianDelay) + delay(tally.worstDelay)
            text += number(tally.missed, "missed") + number(tally.falseCount, "false") + "</tr>\n"
        }
        text += "</tbody>\n</table>\n</div>\n"
        let more = report.geofences.count - Self.mostGeofences
        return more > 0 ? text + "<p>… +\(Format.number(more))</p>\n" : text
    }

    private func number(_ count: Int, _ style: String = "") -> String {
        "<td class=\"number\(count == 0 || style.isEmpty ? "" : " " + style)\">\(Format.number(count))</td>"
    }

    private func delay(_ seconds: Double?) -> String {
        "<td class=\"number\">\(seconds.map { HTMLText.escaped(words.duration($0)) } ?? "–")</td>"
    }
}
