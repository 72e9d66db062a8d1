import Routing
import Service

extension Schemas {
    static let explanations: [Named] = [
        named(Explanation.output), named(Explanation.Step.output), named(Explanation.PolicyParameter.output),
        named(ExplanationRemedy.output),
        named(Explanation.PolicyParameter.listOutput),
    ]
}
