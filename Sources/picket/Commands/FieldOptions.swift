import Foundation
import Model
import Places
import ToolSupport

/// The options of the fields of an entity.
enum FieldOptions {
    /// How to give a secret without exposing it in the process list.
    static let secretForm = "; @FILE reads it from a file, - from standard input"

    /// - Parameter source: What `none` means, for fields that may inherit a value.
    static func of<Entity>(_ fields: [EntityField<Entity>], otherwise source: String? = nil) -> [Option] {
        fields.compactMap { field in
            guard let option = field.option else { return nil }
            let builtIn = option.builtIn.map { " (\($0))" } ?? ""
            let help =
                option.help + (source.map { "; none \($0)" } ?? "") + builtIn + (option.source == .secret ? secretForm : "")
            return Option(option.name, value: option.value, isRepeatable: option.isRepeatable, help: help)
                .choosing(option.choices).setting(field.name)
        }
    }

    /// Changes the fields whose options are given, and returns them.
    @discardableResult
    static func change<Entity>(
        _ entity: inout Entity, _ fields: [EntityField<Entity>], by invocation: Invocation
    ) throws(Problem) -> [EntityField<Entity>] {
        var changed: [EntityField<Entity>] = []
        for field in fields {
            guard let option = field.option, invocation.has(option.name) else { continue }
            let texts = try invocation.all(option.name).map { text throws(Problem) in try content(of: text, option) }
            try field.change(&entity, (option.isRepeatable ? texts : texts.suffix(1)).joined(separator: "\n"), option.name)
            changed.append(field)
        }
        return changed
    }

    /// The merge patch (RFC 7396) that the given options mean.
    ///
    /// - Parameter entity: Any entity whose fields may all be changed.
    static func members<Entity>(
        changing entity: Entity, _ fields: [EntityField<Entity>], _ invocation: Invocation
    ) throws(Problem) -> [JSONValue.Member] {
        var entity = entity
        return try change(&entity, fields, by: invocation).map { .init($0.name, $0.json(entity) ?? .null) }
    }

    /// What an option's text stands for.
    private static func content(of text: String, _ option: FieldOption) throws(Problem) -> String {
        switch option.source {
        case .argument: text
        case .file: try read(text)
        case .secret: try secret(text)
        }
    }

    /// The first line of a text, or of what the text refers to: `@FILE` for a file, `-` for standard input.
    static func secret(_ text: String) throws(Problem) -> String {
        (try read(text).split(whereSeparator: \.isNewline).first.map(String.init) ?? "").trimmingCharacters(in: .whitespaces)
    }

    /// A text, or the content of what it refers to.
    private static func read(_ text: String) throws(Problem) -> String {
        guard text == "-" || text.hasPrefix("@") && text.count > 1 else { return text }
        return String(decoding: try GeofenceFile.read(text == "-" ? "-" : String(text.dropFirst())), as: UTF8.self)
    }
}
