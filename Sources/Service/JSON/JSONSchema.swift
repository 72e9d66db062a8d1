import Model

/// Parts of JSON Schemas.
package enum JSONSchema {
    /// A schema that refers to a named one in `/openapi.json`.
    package static func reference(to name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }
}
