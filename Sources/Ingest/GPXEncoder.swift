import Model

/// Writes fixes as GPX 1.1 (topografix.com/GPX/1/1). `GPXFixDecoder` reads them back unchanged.
package enum GPXEncoder {
    /// One track with one segment. Accuracy, speed and course, for which GPX has no elements, become extensions of the point.
    package static func track(name: String, _ fixes: [Fix]) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="Picket" xmlns="http://www.topografix.com/GPX/1/1" xmlns:picket="urn:picket:gpx">
            <trk><name>\(XMLText.escaped(name))</name><trkseg>

            """
        for fix in fixes {
            text += "<trkpt lat=\"\(number(fix.coordinate.latitude))\" lon=\"\(number(fix.coordinate.longitude))\">"
            if let altitude = fix.altitude { text += "<ele>\(number(altitude))</ele>" }
            text += "<time>\(fix.time)</time>"
            let extensions = [("hAcc", fix.accuracy), ("speed", fix.speed), ("course", fix.course)].compactMap { name, value in
                value.map { "<picket:\(name)>\(number($0))</picket:\(name)>" }
            }
            if !extensions.isEmpty { text += "<extensions>\(extensions.joined())</extensions>" }
            text += "</trkpt>\n"
        }
        return text + "</trkseg></trk>\n</gpx>\n"
    }

    /// A decimal without an exponent, which XML Schema's decimal does not allow. Small numbers are rounded to 12 decimal places.
    private static func number(_ value: Double) -> String {
        let text = JSONValue(value).description
        guard text.utf8.contains(UInt8(ascii: "e")), abs(value) < 1 else { return text }
        let digits = String(Int64((abs(value) * 1e12).rounded()))
        return (value < 0 ? "-0." : "0.") + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
