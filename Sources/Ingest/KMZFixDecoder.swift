import Model

/// Decodes KMZ: a ZIP archive whose first KML file has the positions. The archive's directory is at its end, so it is held until then.
struct KMZFixDecoder {
    private var archive: [UInt8] = []

    /// - Throws: `Problem.tooLarge` for an archive of more than `ZipArchive.maxBytes`.
    mutating func add(_ chunk: Bytes, _ sink: FixSink) throws(Problem) {
        guard archive.count + chunk.count <= ZipArchive.maxBytes else {
            throw .tooLarge(what: sink.source, limit: .or(.mebibytes(ZipArchive.maxBytes >> 20), .unpackedFile))
        }
        chunk.append(0..<chunk.count, to: &archive)
    }

    /// Unpacks and decodes.
    ///
    /// - Throws: The problems of `ZipArchive.unpackKML` and of `XMLFixDecoder`.
    func finish(_ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var decoder = XMLFixDecoder()
        try ZipArchive.unpackKML(archive, source: sink.source, supported: FixFormat.supported) { (piece) throws(Problem) in
            try decoder.decode(piece, &sink, into: &batch)
        }
        try decoder.finish(&sink, into: &batch)
    }
}
