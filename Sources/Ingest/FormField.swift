/// A name and value of a query or a form.
package struct FormField: Hashable, Sendable {
    package var name: String
    package var value: String
    /// Whether name and value were UTF-8. If not, they show their bytes, such as `J%F6rg`, and must not name anything.
    package var isUTF8 = true

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
