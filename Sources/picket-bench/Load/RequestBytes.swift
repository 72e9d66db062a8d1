/// Writes requests byte by byte.
extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number that is not negative.
    ///
    /// - Parameter digits: The minimum number of digits; shorter numbers are padded with zeros.
    mutating func append(decimal value: Int, digits: Int = 1) {
        var divisor = 1
        var count = 1
        while count < digits || value / divisor >= 10 {
            divisor *= 10
            count += 1
        }
        while divisor > 0 {
            append(UInt8(48 + value / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends a POST request with a body.
    mutating func appendPost(_ target: StaticString, type: StaticString, body: [UInt8]) {
        append("POST ")
        append(target)
        append(" HTTP/1.1\r\nHost: localhost\r\nContent-Type: ")
        append(type)
        append("\r\nContent-Length: ")
        append(decimal: body.count)
        append("\r\n\r\n")
        append(contentsOf: body)
    }
}
