import Foundation
import Model
import QRCode
import TestSupport
import Testing

@Suite("QR symbols")
struct QRSymbolTests {
    @Test(
        "An independent decoder reads a symbol back", .enabled("zbarimg is not installed: zbar-tools") { QRReader.isInstalled },
        arguments: [
            "A", "HELLO WORLD 123", "owntracks:///config?inline=eyJfdHlwZSI6ImNvbmZpZ3VyYXRpb24ifQ%3D%3D",
            "Annas Gerät – 手机", String(repeating: "0123456789abcdef", count: 60),
        ])
    func roundTrip(text: String) throws {
        let symbol = try QRSymbol(text)
        #expect(try QRReader.decode(symbol.rows) == text)
    }

    /// The finder patterns and the timing patterns, which every symbol has (ISO/IEC 18004, 6.3.3 and 6.3.5).
    @Test("A symbol has its fixed patterns in place, and light modules around it")
    func patterns() throws {
        let symbol = try QRSymbol("picket")
        #expect(symbol.size == 21, "version 1 holds 17 bytes")
        let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
        for (row, expected) in finder.enumerated() {
            #expect(symbol.rows[row].hasPrefix(expected) && symbol.rows[row].hasSuffix(expected))
            #expect(symbol.rows[symbol.size - 7 + row].hasPrefix(expected))
        }
        for place in 8..<13 {
            #expect(symbol.isDark(row: 6, column: place) == (place % 2 == 0))
            #expect(symbol.isDark(row: place, column: 6) == (place % 2 == 0))
        }
        #expect(!symbol.isDark(row: -1, column: 0) && !symbol.isDark(row: 0, column: symbol.size))
    }

    @Test("A symbol is drawn in half blocks, with and without colors", arguments: [true, false])
    func halfBlocks(isColored: Bool) throws {
        let symbol = try QRSymbol("https://example.org/osmand?token=picket_x")
        let lines = symbol.halfBlocks(isColored: isColored)
        #expect(lines.count == (symbol.size + 2 * QRSymbol.quietZone + 1) / 2)
        #expect(QRReader.rows(ofHalfBlocks: lines, isColored: isColored) == symbol.rows)
    }

    @Test("A text that is too long is refused")
    func tooLong() throws {
        #expect(try QRSymbol(String(repeating: "x", count: QRSymbol.maxBytes)).size == 177)
        #expect(throws: Problem.tooLarge(what: .qrCodeText, limit: .bytes(2953))) {
            try QRSymbol(String(repeating: "x", count: QRSymbol.maxBytes + 1))
        }
    }
}
