import Model
import ToolSupport

extension Invocation {
    /// Prints a document with `--json`, else a text.
    func print(_ json: JSONValue, or text: Phrase) {
        if isJSON { output.print(json.description) } else { print(text) }
    }
}
