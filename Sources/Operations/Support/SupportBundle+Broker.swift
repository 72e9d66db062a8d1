import Model
import Registrations

extension SupportBundle {
    /// Adds the status of the connection to the broker; see `BrokerStatus`.
    mutating func add(broker: BrokerStatus?) {
        guard let broker else { return }
        add(
            "mqtt",
            .object(
                (broker.json(in: AnswerLocale()).members ?? []).map { member in
                    member.name == "problem" ? .init("problem", member.value["code"] ?? .null) : member
                }))
    }
}
