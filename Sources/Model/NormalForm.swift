#if canImport(Darwin)
    import Foundation
#else
    @_spi(_Unicode) import Swift
#endif

extension String {
    /// The text in Unicode's normal form C (UAX #15), in which texts that look the same have the same bytes.
    ///
    /// Swift compares strings by canonical equivalence, and SQLite and other programs compare bytes. The two agree for text in
    /// one form. So names that people and devices give, such as ids of devices and groups, are kept in this form. ASCII is
    /// returned as it is, without allocation.
    package var inNormalForm: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        #if canImport(Darwin)
            // Apple's SDKs do not offer the standard library's function, and their Foundation is part of the system.
            return precomposedStringWithCanonicalMapping
        #else
            var text = ""
            text.unicodeScalars.append(contentsOf: _nfc)
            return text
        #endif
    }

    /// The text in Unicode's normal form D: letters and their marks are separate code points.
    var decomposed: String {
        #if canImport(Darwin)
            return decomposedStringWithCanonicalMapping
        #else
            var text = ""
            text.unicodeScalars.append(contentsOf: _nfd)
            return text
        #endif
    }
}
