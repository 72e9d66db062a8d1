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

    /// The maximum length of a text in UTF-8 bytes: that of the largest symbol (version 40) with error correction level L in byte
    /// mode.
    package static let maxBytes = 2953

    /// Encodes a text as UTF-8 in the smallest symbol that can hold it. The error correction level is the lowest, L, because a
    /// screen is not damaged like paper, and fewer modules are easier to scan.
    ///
    /// - Throws: `Problem.tooLarge` for a text of more than `maxBytes` bytes, `.encodingFailed` if libqrencode fails, such as for
    ///   lack of memory.
    package init(_ text: String) throws(Problem) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maxBytes else {
            throw .tooLarge(what: .qrCodeText, limit: .bytes(Self.maxBytes))
        }
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L) else {
            throw .encodingFailed(what: .qrCode, reason: .verbatim(unsafe String(cString: strerror(errno))))
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

    /// The lines of text that show the symbol with its quiet zone in a terminal. A line has two rows of modules, in half block
    /// characters (U+2580, U+2584, U+2588).
    ///
    /// - Parameter isColored: Whether escape codes set the colors to black on white. Without them, the characters show the light
    ///   modules instead of the dark ones, for a terminal with a dark background.
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
