/// A short digest of the SQL of a migration, with which tests notice that a released step was changed.
package enum StepDigest {
    /// The 64-bit FNV-1a hash (RFC 9923) of the SQL in hexadecimal, regardless of comments and spaces.
    package static func of(_ sql: String) -> String {
        let code = sql.split(separator: "\n").map { line in
            String(line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line)
        }
        let words = code.joined(separator: " ").split { $0.isWhitespace }.map(String.init).joined(separator: " ")
        let hash = words.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
