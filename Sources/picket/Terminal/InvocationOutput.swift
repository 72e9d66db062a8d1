import Core
import Model
import ToolSupport

extension Invocation {
    /// Prints a document with `--json`, else a text.
    func print(_ json: JSONValue, or text: Phrase) {
        if isJSON { output.print(json.description) } else { print(text) }
    }

    /// Prints a list: one object per line with `--json`, else a table, or a text if the list is empty.
    ///
    /// - Parameters:
    ///   - headings: See `Phrase.parts(in:)`.
    ///   - numeric: The columns that are aligned right.
    func printList<Element>(
        _ elements: [Element], json: (Element) -> JSONValue, ifEmpty nothing: Phrase, headings: Phrase, numeric: Set<Int> = [],
        row: (Element) -> [String]
    ) {
        if isJSON {
            for element in elements { output.print(json(element).description) }
        } else if elements.isEmpty {
            print(nothing)
        } else {
            var table = Table(headings, numeric: numeric, in: language)
            for element in elements { table.add(row(element)) }
            table.print(to: output)
        }
    }
}

extension Table {
    func print(to output: Output) { output.write(text { Color.bold($0, on: output) }) }
}
