import Delivery
import Model
import ToolSupport

/// Converts the options of `picket sink add` and `picket sink edit` to the JSON members of a sink.
enum SinkOptions {
    static let all = FieldOptions.of(SinkTarget.fields) + FieldOptions.of(SinkFilter.fields) + FieldOptions.of(Sink.fields)

    /// The JSON members that the given options set. Null removes a member.
    static func members(_ invocation: Invocation) throws(Problem) -> [JSONValue.Member] {
        // The kind of this target is irrelevant: only the fields whose options are given become members.
        let target = SinkTarget(.file)
        var members = try FieldOptions.members(changing: target, SinkTarget.fields, invocation)
        // A header without a value is removed.
        for index in members.indices where members[index].name == "headers" {
            let headers = members[index].value.members ?? []
            members[index].value = .object(headers.map { .init($0.name, $0.value == "" ? .null : $0.value) })
        }
        func add(_ name: String, _ value: JSONValue) { members.append(.init(name, value)) }
        if invocation.value("--template") == "none" { add("contentType", .null) }
        // With discovery, the state topics follow from `base`. Without discovery, `base` has no meaning.
        switch invocation.value("--discovery") {
        case nil: break
        case "none": if !invocation.has("--base") { add("base", .null) }
        default: if !invocation.has("--state-topic") { add("stateTopic", .null) }
        }
        let filter = try FieldOptions.members(changing: SinkFilter(), SinkFilter.fields, invocation)
        if !filter.isEmpty { add("filter", .object(filter)) }
        let sink = Sink(id: "", target: target)
        return members + (try FieldOptions.members(changing: sink, Sink.fields, invocation))
    }
}
