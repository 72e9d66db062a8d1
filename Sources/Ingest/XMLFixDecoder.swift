import Model

/// Decodes the positions of an XML document. The root element determines whether it is GPX, KML or TCX.
struct XMLFixDecoder {
    private enum Root {
        case unseen
        case gpx(GPXFixDecoder)
        case kml(KMLFixDecoder)
        case tcx(TCXFixDecoder)
    }

    private let parser = XMLPushParser()
    private var root = Root.unseen

    /// The format that the root element determines; nil until it has been read.
    private(set) var format: FixFormat?

    /// - Throws: `Problem.decodingFailed` for XML that is not well-formed, `.unsupportedFormat` for another root element, `.tooLarge` for an
    ///   element that is too large.
    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        if !chunk.isEmpty { try read(chunk, isLast: false, &sink, into: &batch) }
    }

    /// - Throws: `Problem.decodingFailed` if the document is incomplete.
    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        let nothing: [UInt8] = []
        try read(nothing.span, isLast: true, &sink, into: &batch)
        switch root {
        case .unseen: break
        case .gpx(let decoder): decoder.finish(sink, into: &batch)
        case .kml(let decoder): decoder.finish(sink, into: &batch)
        case .tcx(let decoder): decoder.finish(sink, into: &batch)
        }
    }

    private mutating func read(
        _ chunk: Bytes, isLast: Bool, _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        // Moved out while it receives events, so that it has one owner and is not copied.
        var taken = Root.unseen
        swap(&taken, &root)
        var seen = format
        defer {
            root = taken
            format = seen
        }
        try parser.read(chunk, isLast: isLast, source: sink.source) { (event) throws(Problem) in
            switch taken {
            case .gpx(var decoder):
                taken = .unseen
                try decoder.handleEvent(event, &sink, into: &batch)
                taken = .gpx(decoder)
            case .kml(var decoder):
                taken = .unseen
                try decoder.handleEvent(event, &sink, into: &batch)
                taken = .kml(decoder)
            case .tcx(var decoder):
                taken = .unseen
                try decoder.handleEvent(event, &sink, into: &batch)
                taken = .tcx(decoder)
            case .unseen:
                guard case .start(let name, _, _) = event else { return }
                switch name {
                case "gpx":
                    seen = .gpx
                    taken = .gpx(GPXFixDecoder())
                case "kml":
                    seen = .kml
                    taken = .kml(KMLFixDecoder())
                case "TrainingCenterDatabase":
                    seen = .tcx
                    taken = .tcx(TCXFixDecoder())
                default:
                    throw .unsupportedFormat(source: sink.source, found: .rootElement(name), supported: FixFormat.supported)
                }
            }
        }
    }
}
