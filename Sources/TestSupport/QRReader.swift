import Foundation

/// Reads QR codes with a decoder that is independent of the encoder: `zbarimg` of Debian's package zbar-tools.
package enum QRReader {
    private static let program = "/usr/bin/zbarimg"

    /// Whether `zbarimg` is installed.
    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    struct Unreadable: Error { var output: String }

    /// The text in a symbol.
    ///
    /// - Parameter rows: The modules from the top, without the quiet zone; `1` is dark.
    package static func decode(_ rows: [String]) throws -> String {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/code.pbm"
        // A portable bitmap, in which 1 is black. Each module takes 4 by 4 pixels, and a quiet zone of 4 modules surrounds the symbol.
        let (scale, quiet) = (4, 4)
        let size = (rows.count + 2 * quiet) * scale
        var image = "P1\n\(size) \(size)\n"
        let modules = rows.map { Array($0.utf8).map { $0 == UInt8(ascii: "1") } }
        for y in 0..<size {
            for x in 0..<size {
                let (row, column) = (y / scale - quiet, x / scale - quiet)
                let isInside = rows.indices.contains(row) && modules[row].indices.contains(column)
                image += isInside && modules[row][column] ? "1 " : "0 "
            }
            image += "\n"
        }
        try image.write(toFile: path, atomically: false, encoding: .utf8)
        let pipe = Pipe()
        // Without this, the modules of some symbols are also read as a bar code of another kind.
        let process = try TestProcess(
            program, ["--raw", "-q", "-Sdisable", "-Sqrcode.enable", path], environment: ProcessInfo.processInfo.environment,
            directory: directory.path, output: .pipe(pipe), errors: .null)
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw Unreadable(output: output) }
        return String(output.hasSuffix("\n") ? output.dropLast() : output[...])
    }

    /// The modules of a symbol that was drawn with half blocks, without its quiet zone of four modules.
    ///
    /// - Parameter isColored: Whether the blocks are the dark modules.
    package static func rows(ofHalfBlocks lines: [String], isColored: Bool) -> [String] {
        var rows: [String] = []
        for line in lines {
            let plain = line.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: "")
            func row(_ drawn: Set<Character>) -> String {
                String(plain.map { drawn.contains($0) == isColored ? "1" : "0" })
            }
            rows.append(row(["\u{2588}", "\u{2580}"]))
            rows.append(row(["\u{2588}", "\u{2584}"]))
        }
        let size = (lines.first.map { $0.replacing("\u{1B}[30;107m", with: "").replacing("\u{1B}[0m", with: "").count } ?? 8) - 8
        return rows.dropFirst(4).prefix(size).map { String($0.dropFirst(4).prefix(size)) }
    }
}
