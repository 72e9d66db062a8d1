import Model

/// Builds a page of metrics in Prometheus' text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
struct Exposition {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    private mutating func writeHeader(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func writeSample(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    mutating func writeCounter(_ name: String, help: String, _ counter: Counter) {
        writeHeader(name, "counter", help)
        writeSample(name, [], "\(counter.value)")
    }

    /// Several counters with the same name and different labels.
    mutating func writeCounter(_ name: String, help: String, values: [(labels: [(String, String)], value: Double)]) {
        writeHeader(name, "counter", help)
        for (labels, value) in values { writeSample(name, labels, Self.number(value)) }
    }

    mutating func writeCounters<Label>(_ name: String, help: String, label: String, _ family: CounterFamily<Label>) {
        writeHeader(name, "counter", help)
        for (word, count) in family.values { writeSample(name, [(label, word)], "\(count)") }
    }

    /// One gauge, or several with the same name and different labels.
    mutating func writeGauge(_ name: String, help: String, values: [(labels: [(String, String)], value: Double)]) {
        writeHeader(name, "gauge", help)
        for (labels, value) in values { writeSample(name, labels, Self.number(value)) }
    }

    mutating func writeGauge(_ name: String, help: String, _ value: Double) {
        writeGauge(name, help: help, values: [([], value)])
    }

    mutating func writeHistogram(_ name: String, help: String, _ histogram: Histogram) {
        writeHeader(name, "histogram", help)
        let counts = histogram.cumulative
        for (bound, count) in zip(histogram.bounds.map(Self.number) + ["+Inf"], counts) {
            writeSample(name + "_bucket", [("le", bound)], "\(count)")
        }
        writeSample(name + "_sum", [], Self.number(histogram.total))
        writeSample(name + "_count", [], "\(counts.last ?? 0)")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return JSONValue(value).description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        if quotes { escaped = escaped.replacing("\"", with: "\\\"") }
        return escaped
    }
}
