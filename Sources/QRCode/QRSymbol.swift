import CQREncode
import Foundation
import Model

/// A QR code symbol (ISO/IEC 18004), made by libqrencode.
///
/// Symbols can be made on any thread, because Debian builds libqrencode with pthread locks for its caches (qrencode.h).
package struct QRSymbol: Hashable, Sendable {
    /// Modules per side, without the quiet zone: 21 to 177.
    package let size: Int
    /// The modules row by row from the top left; true is dark.
    private let modules: [Bool]

    /// The width in modules of the light margin that a symbol needs (ISO/IEC 18004, 6.3.8).
    package static let quietZone = 4

    /// The greatest length of a text in bytes: version 40, level L, byte mode.
    package static let longest = 2953

    /// Makes the symbol of a text in UTF-8 with the smallest possible version. Error correction is of level L, because a screen is not
    /// damaged, and fewer modules are easier to scan.
    ///
    /// - Throws: `Problem.tooLarge` for a text of more than `longest` bytes, `.encodingFailed` if memory is exhausted.
    package init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest else {
            throw .tooLarge(what: "The text of the QR code", limit: .bytes(Self.longest))
        }
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L) else {
            throw .encodingFailed(what: "a QR code", reason: .verbatim(unsafe String(cString: strerror(errno))))
        }
        defer { unsafe QRcode_free(code) }
        let size = Int(unsafe code.pointee.width)
        self.size = size
        // The lowest bit of a module is 1 for dark (qrencode.h, "Symbol data").
        modules = (0..<size * size).map { unsafe code.pointee.data[$0] & 1 == 1 }
    }

    /// Whether a module is dark. Modules outside the symbol, in the quiet zone, are light.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
    }

    /// The rows from the top, each as a text of `1` for dark and `0` for light.
    package var rows: [String] {
        (0..<size).map { row in String((0..<size).map { isDark(row: row, column: $0) ? "1" : "0" }) }
    }

    /// The symbol with its quiet zone in half block characters (U+2580, U+2584, U+2588), two rows of modules per line.
    ///
    /// - Parameter isColored: Whether the lines set black on white with escape codes. Otherwise the light modules are drawn, for a terminal
    ///   with a dark background.
    package func halfBlocks(isColored: Bool) -> [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = String(
                range.map { column -> Character in
                    let upper = isDark(row: row, column: column) == isColored
                    // The half line below the last row is empty.
                    let lower =
                        row + 1 < range.upperBound
                        ? isDark(row: row + 1, column: column) == isColored : false
                    return switch (upper, lower) {
                    case (true, true): "\u{2588}"
                    case (true, false): "\u{2580}"
                    case (false, true): "\u{2584}"
                    case (false, false): " "
                    }
                })
            return isColored ? "\u{1B}[30;107m\(line)\u{1B}[0m" : line
        }
    }

    /// The version of the linked libqrencode.
    package static var libraryVersion: String { unsafe String(cString: QRcode_APIVersionString()) }
}
