import Core
import Model
import Places
import Routing

extension Schemas {
    /// Schemas of presence rules.
    static let rules: [Named] = [
        named(Queries.RuleStatus.output), ("RuleList", object("The rules", ["rules": ["type": "array", "items": any("Rule")]])),
        named(MissedRule.output),
    ]
}
