/// The request headers that the service reads. Other headers are not stored.
package enum HeaderName: String, CaseIterable, Sendable {
    case accept = "Accept"
    case acceptEncoding = "Accept-Encoding"
    case acceptLanguage = "Accept-Language"
    case accessControlRequestMethod = "Access-Control-Request-Method"
    case authorization = "Authorization"
    case contentType = "Content-Type"
    case cookie = "Cookie"
    case forwarded = "Forwarded"
    case host = "Host"
    case ifMatch = "If-Match"
    case ifNoneMatch = "If-None-Match"
    case lastEventID = "Last-Event-ID"
    case origin = "Origin"
    case prefer = "Prefer"
    case referer = "Referer"
    case secFetchSite = "Sec-Fetch-Site"
    case via = "Via"
    case xForwardedFor = "X-Forwarded-For"
    case xForwardedHost = "X-Forwarded-Host"
    case xLimitD = "X-Limit-D"
    case xLimitU = "X-Limit-U"
    case xPicketPage = "X-Picket-Page"

    /// The header with a name, which is case-insensitive (RFC 9110, 5.1); nil for headers that the service does not read.
    init?(_ name: Span<UInt8>) {
        guard name.count < Self.byLength.count else { return nil }
        for (header, lowercased) in Self.byLength[name.count] where name.equalsIgnoringCase(lowercased) {
            self = header
            return
        }
        return nil
    }

    /// Headers by the length of their names in bytes, each with its lowercase name.
    private static let byLength: [[(header: HeaderName, lowercased: [UInt8])]] = {
        let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0
        var table = [[(header: HeaderName, lowercased: [UInt8])]](repeating: [], count: longest + 1)
        for header in allCases { table[header.rawValue.utf8.count].append((header, Array(header.rawValue.lowercased().utf8))) }
        return table
    }()
}

extension Span<UInt8> {
    /// Whether these bytes are equal to a lowercase name, ignoring the case of ASCII letters.
    func equalsIgnoringCase(_ lowercased: [UInt8]) -> Bool {
        guard count == lowercased.count else { return false }
        for index in 0..<count {
            let byte = self[index]
            let isUppercase = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            guard (isUppercase ? byte | 0x20 : byte) == lowercased[index] else { return false }
        }
        return true
    }
}
