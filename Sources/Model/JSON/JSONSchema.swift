/// Parts of JSON Schemas.
package enum JSONSchema {
    /// A schema that refers to a named one in `/openapi.json`.
    ///
    /// - Parameter summary: The meaning of the value at this place; nil if the description of the named schema says it.
    package static func reference(to name: String, summary: String? = nil) -> JSONValue {
        .object([.init("$ref", .string("#/components/schemas/\(name)"))] + description(summary))
    }

    static func description(_ summary: String?) -> [JSONValue.Member] {
        summary.map { [.init("description", .string($0))] } ?? []
    }
}
