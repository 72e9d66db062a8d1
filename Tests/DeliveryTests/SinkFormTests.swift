import Model
import Testing

@testable import Delivery

@Suite("Dashboard forms of sinks")
struct SinkFormTests {
    @Test("Each choice, filled in with its examples, is a valid sink", arguments: SinkKind.allCases)
    func examples(kind: SinkKind) throws {
        for form in kind.forms {
            var values = ["kind": kind.rawValue]
            for field in form.fields { values[field.name] = field.value ?? field.example }
            var parts: [String] = []
            for name in form.urlParts {
                let part = values.removeValue(forKey: name)
                parts.append(try #require(part))
            }
            if !parts.isEmpty { values["url"] = parts.joined(separator: "/") }
            let sink = try Sink(json: .object(values.map { .init($0.key, .string($0.value)) }), id: form.exampleID)
            #expect(sink.target.kind == kind)
            if let member = form.member { #expect(sink.json(withSecrets: true)[member] != nil) }
        }
    }

    @Test("Each field is a member of its kind or a part of the URL, and has a label", arguments: SinkKind.allCases)
    func fields(kind: SinkKind) {
        for form in kind.forms {
            for field in form.fields {
                #expect(kind.members.contains(field.name) || form.urlParts.contains(field.name), "\(field.name)")
                #expect(SinkTarget.labels[field.name] != nil, "\(field.name)")
            }
        }
        for name in kind.editable {
            #expect(kind.members.contains(name) && SinkTarget.labels[name] != nil, "\(name)")
        }
        #expect(kind.editable.isEmpty == kind.isEditableLocallyOnly)
    }
}
