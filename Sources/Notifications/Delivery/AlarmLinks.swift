import Core
import Model
import Presence
import Secrets
import Store

/// Creates links with which the recipient of an emergency's message can acknowledge the emergency without a token. Only
/// recipients of the message know the link.
package struct AlarmLinks: Sendable {
    /// The URL of the service without a trailing slash.
    private let address: String
    private let secret: String

    /// - Parameters:
    /// - address: The URL at which phones reach the service, for example `https://picket.example.com`.
    ///   - secret: The store's secret; see `Queries.storeSecret()`.
    package init(address: String, secret: String) {
        self.address = address
        self.secret = secret
    }

    /// The link for an alarm with this event id.
    func url(ofAlarm id: String) -> String { "\(address)/alarms/\(id)?key=\(Self.key(ofAlarm: id, secret: secret))" }

    /// The key that gives access to the page of an alarm.
    static func key(ofAlarm id: String, secret: String) -> String {
        // The truncated code has 128 bits, is as hard to guess as a token, and is short enough for a message.
        String(MessageSignature.hexadecimal(of: "alarm \(id)", secret: secret).prefix(32))
    }
}

extension Queries {
    /// The alarm with this id, for a client with the alarm's link.
    ///
    /// - Throws: `Problem.notFound`, even if only the key is wrong, so that a wrong link does not reveal whether the alarm
    ///   exists.
    func alarm(id: String, key: String) throws(Problem) -> Event {
        let expected = AlarmLinks.key(ofAlarm: id, secret: try storeSecret())
        guard Digest(of: key) == Digest(of: expected) else { throw .notFound(kind: .alarm, id: id, similar: []) }
        return try alarm(id: id)
    }
}
