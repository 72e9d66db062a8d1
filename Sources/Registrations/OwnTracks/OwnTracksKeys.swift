import Core
import Ingest
import Model
import Presence
import Secrets
import Store

// Encrypted messages of OwnTracks apps (OwnTracks booklet, "Encryption"): `{"_type":"encrypted","data":"<base64>"}`. The data is a nonce of
// 24 bytes followed by another message, encrypted with libsodium's secretbox and the key from the app's settings.

extension Queries {
    /// Checks that a text can be used as a key. Throws `Problem.validationFailed` otherwise.
    package static func check(ownTracksKey key: String, field: String) throws(Problem) {
        guard SecretBox(paddedKey: key) == nil else { return }
        throw .validationFailed(
            field: field, value: "",
            reason: Phrase(key.utf8.count, one: "it has \(key.utf8.count) byte", other: "it has \(key.utf8.count) bytes"),
            expected: Phrase("1 to \(SecretBox.keyLength) bytes, as in the app's settings"))
    }

    /// Commands in the form that the device's app expects: encrypted if the device has a key.
    func seal(_ commands: [JSONValue], for device: DeviceKey) throws(Problem) -> [JSONValue] {
        guard let key = try store.ownTracksKey(of: device), let box = SecretBox(paddedKey: key) else { return commands }
        return commands.map { ["_type": "encrypted", "data": .string(box.seal(Array($0.description.utf8)))] }
    }

    /// Decrypts the encrypted messages: adds their positions to the batch, and returns the other messages. Messages that cannot be
    /// decrypted are refused.
    func decrypt(_ messages: [OwnTracksMessage], into batch: inout FixBatch) throws(Problem) -> [OwnTracksMessage] {
        guard messages.contains(where: { $0.kind == .encrypted }) else { return messages }
        var readable: [OwnTracksMessage] = []
        for message in messages {
            if message.kind == .encrypted {
                readable += try decrypt(message, into: &batch)
            } else {
                readable.append(message)
            }
        }
        return readable
    }

    private func decrypt(_ message: OwnTracksMessage, into batch: inout FixBatch) throws(Problem) -> [OwnTracksMessage] {
        func refuse(_ reason: Phrase) {
            batch.refusals.append(
                Refusal(
                    .encrypted, device: message.device, line: message.line, field: "_type", value: message.type, reason: reason))
        }
        guard let device = message.device else {
            refuse(
                .expecting(Phrase("it is encrypted, and does not name its device"), .userAndDevice))
            return []
        }
        guard let stored = try store.device(id: device), let key = try store.ownTracksKey(of: stored.key),
            let box = SecretBox(paddedKey: key)
        else {
            refuse(
                .expecting(
                    Phrase("it is encrypted, and Picket has no key for it"),
                    Phrase("messages without encryption, or the device's key")))
            return []
        }
        guard let data = message.data, let plain = box.open(base64: data) else {
            refuse(.expecting(Phrase("it cannot be decrypted"), Phrase("the same key here and in the app's settings")))
            return []
        }
        let (firstRow, firstRefusal) = (batch.rows.count, batch.refusals.count)
        var readable: [OwnTracksMessage] = []
        var options = DecodingOptions()
        options.clock = clock
        options.timeZone = .zone(stored.device.inputZone ?? .utc)
        switch plain.withUnsafeBufferPointer({ OwnTracks.decode($0, options: options, into: &batch) }) {
        case .empty: break
        case .unreadable(let reason): refuse(Phrase("its encrypted content cannot be read: \(reason)"))
        case .understood(let messages): readable = messages
        }
        // The key identifies the device, regardless of the device that the message names.
        let number = batch.number(ofDevice: device)
        for row in batch.rows.indices[firstRow...] { batch.rows[row].device = number }
        for refusal in batch.refusals.indices[firstRefusal...] { batch.refusals[refusal].device = device }
        for index in readable.indices { readable[index].device = device }
        if readable.contains(where: { $0.kind == .encrypted }) {
            refuse(.expecting(Phrase("it contains another encrypted message"), Phrase("any other message")))
        }
        return readable.filter { $0.kind != .encrypted }
    }
}

extension ServiceWriter {
    /// Saves the key with which a device encrypts its messages, or removes it with nil. The key is never output again.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown, `.validationFailed` if the text cannot be used as a key.
    func setOwnTracksKey(_ key: String?, ofDevice id: String) throws(Problem) {
        if let key { try Self.check(ownTracksKey: key, field: "key") }
        let stored = try storedDevice(id: id)
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(ownTracksKey: key, of: stored.key, in: transaction)
        }
    }
}
