import Ingest
import Model
import Places

/// Reads whole files of positions, without a store.
package enum TrackFile {
    /// The positions of a file, sorted by time.
    ///
    /// - Parameter path: The path of a file in a format of `FixDecoder`; `-` for standard input.
    /// - Throws: `Problem.fileFailed`, and those of `FixDecoder`.
    package static func read(_ path: String, _ options: DecodingOptions = DecodingOptions()) throws(Problem) -> FixBatch {
        var batch = FixBatch()
        var options = options
        let source: ProblemSubject = path == "-" ? .standardInput : .verbatim(path)
        if options.fileDevice == nil {
            options.fileDevice = FileDevice(path: FileFeed.absolutePath(path))
            // Nothing is stored, so any name will do.
            if case .unnamed = options.fileDevice { options.fileDevice = .named(source.description) }
            if path == "-" { options.fileDevice = .named(source.description) }
        }
        let bytes = [UInt8](try GeofenceFile.read(path))
        if options.device == nil {
            options.tracks = bytes.withUnsafeBufferPointer { buffer in TrackSurvey.verdict(options) { _ = $0(buffer) } }
        }
        var decoder = FixDecoder(source: source, options: options)
        try bytes.withUnsafeBufferPointer { buffer throws(Problem) in try decoder.decode(buffer, into: &batch) }
        try decoder.finish(into: &batch)
        batch.sortByTime()
        return batch
    }
}
