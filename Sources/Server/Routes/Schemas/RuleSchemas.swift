import Model
import Routing
import Service

extension Schemas {
    /// Schemas of presence rules.
    static let rules: [Named] = [
        named(Queries.RuleStatus.output), ("RuleList", object("The rules", ["rules": ["type": "array", "items": any("Rule")]])),
        named(MissedRule.output),
    ]
}
