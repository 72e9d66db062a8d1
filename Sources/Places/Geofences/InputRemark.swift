import Model

/// What a person should know about how an input was read, although nothing was refused.
package struct InputRemark: Hashable, Sendable {
    /// The file; nil if there is only one input.
    var file: String?
    var reason: Phrase

    package init(file: String? = nil, reason: Phrase) {
        self.file = file
        self.reason = reason
    }
}

extension InputRemark: JSONDescribed {
    package static let shape = JSONShape<InputRemark>(
        "InputRemark", summary: "How an input was read, where the input does not state it",
        .init("file", optional: .text, summary: "The file", content: \.file),
        JSONMember<InputRemark, Phrase>("reason", summary: "The remark in words", content: \.reason)
    ) { file, reason in InputRemark(file: file, reason: reason) }
}
