import Ingest
import Model

/// Reads whole files of positions, without a store.
package enum TrackFile {
    /// The positions of a file, sorted by time.
    ///
    /// - Parameter path: The path of a file in a format of `FixDecoder`; `-` for standard input.
    /// - Throws: `Problem.fileFailed`, and those of `FixDecoder`.
    package static func read(_ path: String, _ options: DecodingOptions = DecodingOptions()) throws(Problem) -> FixBatch {
        var batch = FixBatch()
        var decoder = FixDecoder(source: path == "-" ? .standardInput : .verbatim(path), options: options)
        let bytes = [UInt8](try GeofenceFile.read(path))
        let failure: Problem? = bytes.withUnsafeBufferPointer { buffer in
            do throws(Problem) {
                try decoder.decode(buffer, into: &batch)
                try decoder.finish(into: &batch)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        batch.sortByTime()
        return batch
    }
}
