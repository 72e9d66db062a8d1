import Model

/// An event's id: a fingerprint of what was decided, so that the same decision has the same id in whichever store it is made.
enum EventID {
    /// 32 hexadecimal digits from device, geofence (nothing where there is none), type, time and cause.
    ///
    /// - Parameters:
    ///   - erasedUpTo: The newest event when a device was erased before this one was made; 0 when none was. An erased device's id may
    ///     come again, and means another device then.
    ///   - retracts: The id of the event that it takes back.
    ///   - ordinal: Tells apart events that are alike in all of these: 0 for the first.
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

/// Two 64-bit lanes, each mixed after every word by the finaliser of MurmurHash3 (A. Appleby), from different starts. Not for
/// secrets.
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
        [a, b].map { lane in
            let digits = String(lane, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
