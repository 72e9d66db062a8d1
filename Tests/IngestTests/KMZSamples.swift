import Foundation

/// KMZ archives for tests, as Python's `zipfile` has written them. Each contains a track of two positions, in `doc.KML`.
enum KMZSamples {
    static let kml = """
        <kml xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track><when>2026-05-01T10:00:00Z</when>
        <when>2026-05-01T10:00:10Z</when><gx:coord>13.3777 52.5163 34</gx:coord><gx:coord>13.3778 52.5164 35</gx:coord></gx:Track>
        </Placemark></kml>
        """

    /// With a picture before, another KML file after, and a comment at the end.
    static let deflated = bytes(
        "UEsDBBQAAAAAAAAAoVylvutbBAAAAAQAAAAOAAAAZmlsZXMvaWNvbi5wbmeJUE5HUEsDBBQAAAAIAAAAoVyYNssywAAAAEIBAAAHAAAAZG9jLktN"
            + "THXPyw6CMBAF0L1f0bBhRZ+8Qkr9BReu3JFSKwFaA1X4fCsaQROTWUxyTyZ3+H7uO3BXw9hYU4YE4hAoI23dGF2GN3eO8nAvdrz1ykszlsHFuWuB"
            + "0DRN0F6V0c0IjXLIC0QhDV6s0POX1NbqTkFp+wWq2S1Y8ENXSdVXQyu4novjUEm/TRdlBMU0jXASYXIkuMDPOXG0RH8AWYG/Ja0dakEYZFmWgYTC"
            + "hKQMsJijT/jL8jeLAUu2DK3V0Kbw8xXxAFBLAwQUAAAAAAAAAKFcdRhkdwYAAAAGAAAACQAAAG90aGVyLmttbDxrbWwvPlBLAQIUAxQAAAAAAAAA"
            + "oVylvutbBAAAAAQAAAAOAAAAAAAAAAAAAACAAQAAAABmaWxlcy9pY29uLnBuZ1BLAQIUAxQAAAAIAAAAoVyYNssywAAAAEIBAAAHAAAAAAAAAAAA"
            + "AACAATAAAABkb2MuS01MUEsBAhQDFAAAAAAAAAChXHUYZHcGAAAABgAAAAkAAAAAAAAAAAAAAIABFQEAAG90aGVyLmttbFBLBQYAAAAAAwADAKgA"
            + "AABCAQAADgBtYWRlIGJ5IGEgdGVzdA==")
    /// The same without compression.
    static let stored = bytes(
        "UEsDBBQAAAAAAAAAoVylvutbBAAAAAQAAAAOAAAAZmlsZXMvaWNvbi5wbmeJUE5HUEsDBBQAAAAAAAAAoVyYNssyQgEAAEIBAAAHAAAAZG9jLktN"
            + "TDw/eG1sIHZlcnNpb249JzEuMCcgZW5jb2Rpbmc9J3V0Zi04Jz8+CjxrbWwgeG1sbnM9Imh0dHA6Ly93d3cub3Blbmdpcy5uZXQva21sLzIuMiIg"
            + "eG1sbnM6Z3g9Imh0dHA6Ly93d3cuZ29vZ2xlLmNvbS9rbWwvZXh0LzIuMiI+PFBsYWNlbWFyaz48Z3g6VHJhY2s+PHdoZW4+MjAyNi0wNS0wMVQx"
            + "MDowMDowMFo8L3doZW4+PHdoZW4+MjAyNi0wNS0wMVQxMDowMDoxMFo8L3doZW4+PGd4OmNvb3JkPjEzLjM3NzcgNTIuNTE2MyAzNDwvZ3g6Y29v"
            + "cmQ+PGd4OmNvb3JkPjEzLjM3NzggNTIuNTE2NCAzNTwvZ3g6Y29vcmQ+PC9neDpUcmFjaz48L1BsYWNlbWFyaz48L2ttbD5QSwMEFAAAAAAAAACh"
            + "XHUYZHcGAAAABgAAAAkAAABvdGhlci5rbWw8a21sLz5QSwECFAMUAAAAAAAAAKFcpb7rWwQAAAAEAAAADgAAAAAAAAAAAAAAgAEAAAAAZmlsZXMv"
            + "aWNvbi5wbmdQSwECFAMUAAAAAAAAAKFcmDbLMkIBAABCAQAABwAAAAAAAAAAAAAAgAEwAAAAZG9jLktNTFBLAQIUAxQAAAAAAAAAoVx1GGR3BgAA"
            + "AAYAAAAJAAAAAAAAAAAAAACAAZcBAABvdGhlci5rbWxQSwUGAAAAAAMAAwCoAAAAxAEAAA4AbWFkZSBieSBhIHRlc3Q=")
    /// Written to a pipe, so that sizes and checksums follow the files.
    static let streamed = bytes(
        "UEsDBBQACAAAAAAAoVwAAAAAAAAAAAAAAAAOAAAAZmlsZXMvaWNvbi5wbmeJUE5HUEsHCKW+61sEAAAABAAAAFBLAwQUAAgACAAAAKFcAAAAAAAA"
            + "AAAAAAAABwAAAGRvYy5LTUx1z8sOgjAQBdC9X9GwYUWfvEJK/QUXrtyRUisBWgNV+HwrGkETk1lMck8md/h+7jtwV8PYWFOGBOIQKCNt3Rhdhjd3"
            + "jvJwL3a89cpLM5bBxblrgdA0TdBeldHNCI1yyAtEIQ1erNDzl9TW6k5BafsFqtktWPBDV0nVV0MruJ6L41BJv00XZQTFNI1wEmFyJLjAzzlxtER/"
            + "AFmBvyWtHWpBGGRZloGEwoSkDLCYo0/4y/I3iwFLtgyt1dCm8PMV8QBQSwcImDbLMsAAAABCAQAAUEsDBBQACAAAAAAAoVwAAAAAAAAAAAAAAAAJ"
            + "AAAAb3RoZXIua21sPGttbC8+UEsHCHUYZHcGAAAABgAAAFBLAQIUAxQACAAAAAAAoVylvutbBAAAAAQAAAAOAAAAAAAAAAAAAACAAQAAAABmaWxl"
            + "cy9pY29uLnBuZ1BLAQIUAxQACAAIAAAAoVyYNssywAAAAEIBAAAHAAAAAAAAAAAAAACAAUAAAABkb2MuS01MUEsBAhQDFAAIAAAAAAChXHUYZHcG"
            + "AAAABgAAAAkAAAAAAAAAAAAAAIABNQEAAG90aGVyLmttbFBLBQYAAAAAAwADAKgAAAByAQAADgBtYWRlIGJ5IGEgdGVzdA==")
    /// Compressed by bzip2.
    static let bzip2 = bytes(
        "UEsDBC4AAAAMAAAAoVyYNssy9wAAAEIBAAAHAAAAZG9jLktNTEJaaDkxQVkmU1lcEjFdAABCW4AAEFCD/9fEEC/v38AwAM22CVNKG1No1PRPSYno"
            + "1ABhA1GiaAAAAA0aAJU0Ej9SbUaaep6j0EAAEKKX1b+86PLB6TJWcSUGDhCWuSXDs+a0Uv2tUSMyrzQIRNgibciqhIgKVjh48kpgZh0oDh46IoWh"
            + "AOImBwD4GqgEOBaA5hkcKUxeqwgMI+O5JSRYYxS0wIDTQ6HwGyYG4NGZGYdsfzavSyenbWpB3cJk6UtuEVWSYfCppHyY4Ag5zC363eWQR6tCp4SE"
            + "9CBeLnma7H/lMDhjQmTGiFzGcYFf8XckU4UJBcEjFdBQSwMEFAAAAAAAAAChXHUYZHcGAAAABgAAAAkAAABvdGhlci5rbWw8a21sLz5QSwECLgMu"
            + "AAAADAAAAKFcmDbLMvcAAABCAQAABwAAAAAAAAAAAAAAgAEAAAAAZG9jLktNTFBLAQIUAxQAAAAAAAAAoVx1GGR3BgAAAAYAAAAJAAAAAAAAAAAA"
            + "AACAARwBAABvdGhlci5rbWxQSwUGAAAAAAIAAgBsAAAASQEAAA4AbWFkZSBieSBhIHRlc3Q=")

    private static func bytes(_ base64: String) -> [UInt8] { [UInt8](Data(base64Encoded: base64) ?? Data()) }

    /// An archive with one file, made byte by byte.
    static func archive(_ name: String, packed: [UInt8], method: UInt8 = 8, flags: UInt8 = 0) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        // Version, flags, method, time and checksum; then the sizes.
        var common: [UInt8] = [20, 0, flags, 0, method, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        common += number(packed.count, 4)
        common += number(packed.count, 4)
        common += number(name.utf8.count, 2)
        common += number(0, 2)
        var archive: [UInt8] = [0x50, 0x4B, 3, 4]
        archive += common
        archive += name.utf8
        archive += packed
        let start = archive.count
        archive += [0x50, 0x4B, 1, 2, 20, 0]
        archive += common
        archive += number(0, 14)
        archive += name.utf8
        let size = archive.count - start
        archive += [0x50, 0x4B, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0]
        archive += number(size, 4)
        archive += number(start, 4)
        archive += number(0, 2)
        return archive
    }

    /// A deflate stream of `<kml>` and some spaces, at 13 bits for 258 of them: fixed codes (RFC 1951, section 3.2.6), each match of distance 1.
    static func deflatedSpaces(atLeast count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var held = 0
        var size = 0
        func add(_ value: Int, _ bits: Int) {
            held |= value << size
            size += bits
            while size >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: held))
                held >>= 8
                size -= 8
            }
        }
        /// Adds a Huffman code, whose first bit is the highest.
        func add(code: Int, _ bits: Int) { for bit in (0..<bits).reversed() { add(code >> bit & 1, 1) } }
        add(1, 1)
        add(1, 2)
        for byte in "<kml> ".utf8 { add(code: 0x30 + Int(byte), 8) }
        for _ in 0...(count / 258) {
            add(code: 0b1100_0101, 8)
            add(code: 0, 5)
        }
        add(code: 0, 7)
        add(0, 7)
        return bytes
    }
}
