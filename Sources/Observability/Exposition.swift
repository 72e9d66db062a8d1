import Model

/// Builds a page of metrics in Prometheus' text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
struct Exposition {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    mutating func counter(_ name: String, _ help: String, _ counter: Counter) {
        begin(name, "counter", help)
        sample(name, [], "\(counter.value)")
    }

    /// Several counters with the same name and different labels.
    mutating func counter(_ name: String, _ help: String, _ values: [(labels: [(String, String)], value: Double)]) {
        begin(name, "counter", help)
        for (labels, value) in values { sample(name, labels, Self.number(value)) }
    }

    mutating func counters<Label>(_ name: String, _ help: String, _ label: String, _ family: CounterFamily<Label>) {
        begin(name, "counter", help)
        for (word, count) in family.values { sample(name, [(label, word)], "\(count)") }
    }

    /// One gauge, or several with the same name and different labels.
    mutating func gauge(_ name: String, _ help: String, _ values: [(labels: [(String, String)], value: Double)]) {
        begin(name, "gauge", help)
        for (labels, value) in values { sample(name, labels, Self.number(value)) }
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) { gauge(name, help, [([], value)]) }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, "histogram", help)
        let counts = histogram.cumulative
        for (bound, count) in zip(histogram.bounds.map(Self.number) + ["+Inf"], counts) {
            sample(name + "_bucket", [("le", bound)], "\(count)")
        }
        sample(name + "_sum", [], Self.number(histogram.total))
        sample(name + "_count", [], "\(counts.last ?? 0)")
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
