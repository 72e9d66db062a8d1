import Model

/// Builds the elements of one name from the events of the XML parser, one after the other, such as the Placemarks of a KML document (OGC
/// 12-007r2, "KML 2.3").
struct XMLElementBuilder {
    /// What an element costs in addition to its text, because an empty one takes memory, too.
    private static let elementBytes = 16

    /// The name of the elements.
    private let name: String
    /// The maximum size of an element in bytes.
    private let maxBytes: Int
    /// The number of elements so far.
    private(set) var count = 0
    /// The number of links to other documents so far.
    private(set) var links = 0
    /// The open elements from the one of that name on.
    private var open: [XMLTree] = []
    private var size = 0

    /// - Parameter maxBytes: By default as of a feature of GeoJSON.
    init(_ name: String, maxBytes: Int = JSONElementSplitter.maxElementBytes) {
        self.name = name
        self.maxBytes = maxBytes
    }

    /// Whether an element is being built.
    var isInElement: Bool { !open.isEmpty }

    /// Handles an event, and returns the element that it completes.
    ///
    /// - Throws: `Problem.tooLarge` for an element of more than `maxBytes`.
    mutating func handleEvent(_ event: XMLEvent, source: ProblemSubject) throws(Problem) -> XMLTree? {
        switch event {
        case .start(let name, let attributes, let line):
            if name == "NetworkLink" { links += 1 }
            if open.isEmpty {
                guard name == self.name else { return nil }
                count += 1
                size = 0
            }
            size += attributes.reduce(Self.elementBytes) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            open.append(XMLTree(name: name, attributes: attributes, line: line))
            try checkSize(source)
        case .text(let text):
            guard !open.isEmpty else { return nil }
            size += text.utf8.count
            open[open.count - 1].text += text
            try checkSize(source)
        case .end:
            guard let element = open.popLast() else { return nil }
            if open.isEmpty { return element }
            open[open.count - 1].children.append(element)
        }
        return nil
    }

    private func checkSize(_ source: ProblemSubject) throws(Problem) {
        if size > maxBytes { throw .tooLarge(what: .line(source, open[0].line), limit: .mebibytes(maxBytes >> 20)) }
    }
}

extension XMLTree {
    /// The data of a Placemark for programs: the names and texts of `Data` and `SimpleData` elements.
    var extendedData: [(name: String, text: String)] {
        (self["ExtendedData"]?.descendants(["Data", "SimpleData"]) ?? []).compactMap { data in
            guard let name = data.attribute("name") else { return nil }
            let text = data.name == "Data" ? data["value"]?.trimmedText ?? "" : data.trimmedText
            return name.isEmpty || text.isEmpty ? nil : (name: name, text: text)
        }
    }
}
