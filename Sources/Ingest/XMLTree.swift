/// An element of an XML document with its whole content. Names have no prefix.
struct XMLTree {
    var name: String
    var attributes: [XMLEvent.Attribute]
    /// The line where the element starts.
    var line: Int
    /// The text directly in the element.
    var text = ""
    var children: [XMLTree] = []

    /// The first child with a name.
    subscript(name: String) -> XMLTree? { children.first { $0.name == name } }

    /// The children with a name.
    func all(_ name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// The elements with one of these names at any depth, in the order of the document. Elements inside of such an element are left out.
    func descendants(_ names: Set<String>) -> [XMLTree] {
        children.flatMap { names.contains($0.name) ? [$0] : $0.descendants(names) }
    }

    /// The value of an attribute; nil for none.
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// The text without white space at both ends.
    var trimmedText: String { text.trimmed }
}
