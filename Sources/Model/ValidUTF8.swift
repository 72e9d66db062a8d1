extension String {
    /// A string from UTF-8; nil if the bytes are not valid UTF-8.
    init?(validUTF8 bytes: some Collection<UInt8>) {
        // `String(validating:as:)` is as old as these systems. Elsewhere, the condition is always true.
        if #available(iOS 18, macOS 15, macCatalyst 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(comparedUTF8: bytes)
        }
    }

    /// The same as `init(validUTF8:)`, for systems whose standard library does not validate.
    init?(comparedUTF8 bytes: some Collection<UInt8>) {
        // Decoding replaces each invalid sequence with U+FFFD, which has other bytes.
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
