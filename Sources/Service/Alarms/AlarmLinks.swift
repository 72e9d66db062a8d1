import Model
import Secrets
import Store

/// Links by which whoever got the message of an emergency says that they have seen it, without a token: only who has the message
/// knows the link.
public struct AlarmLinks: Sendable {
    /// Without a slash at its end.
    private let address: String
    private let secret: String

    /// - Parameters:
    ///   - address: How phones reach the service, as `https://picket.example.com`.
    ///   - secret: The store's; see `ServiceWriter.alarmSecret()`.
    public init(address: String, secret: String) {
        self.address = address
        self.secret = secret
    }

    /// The link of an alarm's event.
    public func url(ofAlarm id: String) -> String { "\(address)/alarms/\(id)?key=\(Self.key(ofAlarm: id, secret: secret))" }

    /// What opens the page of an alarm.
    static func key(ofAlarm id: String, secret: String) -> String {
        // Half of the code is as hard to guess as a token, and short enough for a message.
        String(MessageSignature.hexadecimal(of: "alarm \(id)", secret: secret).prefix(32))
    }
}

extension Queries {
    /// By which the links of alarms are made, the same for as long as the store lives.
    public func alarmSecret() throws(Problem) -> String { try store.alarmSecret() }

    /// The alarm of that id, for somebody who has its link.
    ///
    /// - Throws: `Problem.notFound` for a key that is not the alarm's, too: a link that is wrong tells nothing.
    public func alarm(id: String, key: String) throws(Problem) -> Event {
        let expected = AlarmLinks.key(ofAlarm: id, secret: try store.alarmSecret())
        guard Digest(of: key) == Digest(of: expected) else { throw .notFound(kind: "alarm", id: id, similar: []) }
        return try alarm(id: id)
    }
}
