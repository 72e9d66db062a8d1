import Model

/// The id of an event: a fingerprint of the decision, so that the same decision gets the same id in every store.
enum EventID {
    /// 32 hexadecimal digits from device, geofence (empty for an event without one), type, time and cause.
    ///
    /// - Parameters:
    ///   - erasedUpTo: The sequence number of the newest event when the last device was erased before this device was added; 0 if none was.
    ///     The id of an erased device may be used again for another device.
    ///   - retracts: The id of the event that this event retracts.
    ///   - ordinal: Distinguishes events that are equal in all other values; 0 for the first.
    static func make(
        device: String, erasedUpTo: Int64, geofence: String, _ transition: Transition, retracts: String?, ordinal: UInt64
    ) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(device)
        fingerprint.add(geofence)
        fingerprint.add(transition.type.rawValue)
        fingerprint.add(UInt64(bitPattern: transition.occurredAt.milliseconds))
        fingerprint.add(transition.cause.rawValue)
        if let retracts { fingerprint.add(retracts) }
        if erasedUpTo > 0 { fingerprint.add(UInt64(bitPattern: erasedUpTo)) }
        fingerprint.add(ordinal)
        return fingerprint.hexadecimal
    }
}

/// Two 64-bit lanes with different initial values, each mixed after every word with the finalizer of MurmurHash3 (A. Appleby). Not
/// cryptographically secure.
private struct Fingerprint {
    private var a: UInt64 = 0x243F_6A88_85A3_08D3
    private var b: UInt64 = 0x1319_8A2E_0370_7344

    mutating func add(_ word: UInt64) {
        a = Self.mixed(a ^ word)
        b = Self.mixed(b &+ word &* 0x9E37_79B9_7F4A_7C15)
    }

    mutating func add(_ text: String) {
        var word: UInt64 = 0
        var count: UInt64 = 0
        for byte in text.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count % 8 == 0 {
                add(word)
                word = 0
            }
        }
        add(word)
        add(count)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var x = value
        x = (x ^ (x >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        x = (x ^ (x >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return x ^ (x >> 33)
    }

    var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(32)
        for lane in [a, b] {
            for shift in stride(from: 60, through: 0, by: -4) {
                let digit = UInt8(truncatingIfNeeded: lane >> shift) & 15
                digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
