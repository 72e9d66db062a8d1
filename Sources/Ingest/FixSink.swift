import Model

/// Receives the readings of every decoder: determines the device, assigns missing times, and adds a fix or a refusal.
struct FixSink {
    /// The name of the input, for messages.
    let source: ProblemSubject
    let options: DecodingOptions
    /// The device of fixes that name none; nil if only the caller knows it.
    private let fileDevice: FileDevice?
    /// Whether a fix belongs to `fileDevice`.
    private(set) var usesFileDevice = false
    private var times: TimeResolver
    private var devices = DeviceInterner()
    private var untimedPoints = 0

    init(source: ProblemSubject, options: DecodingOptions) {
        self.source = source
        self.options = options
        times = TimeResolver(options)
        if let device = options.fileDevice {
            fileDevice = device
        } else if case .verbatim(let path) = source {
            fileDevice = FileDevice(path: path)
        } else {
            fileDevice = nil
        }
    }

    /// Call before and after each piece of input; see `DeviceInterner`.
    mutating func begin(_ batch: FixBatch) { devices.begin(batch) }
    mutating func end(_ batch: FixBatch) { devices.end(batch) }

    // MARK: Devices

    /// How an input identifies the device of a fix.
    enum DeviceNaming {
        /// By a name in these bytes.
        case named(Range<Int>)
        /// Not at all, but the whole input belongs to one device; see `DecodingOptions.fileDevice`.
        case file
        /// Not at all; the caller has to know the device.
        case unknown
    }

    /// The number of the device: the one in the options, the one that the input names, or the one named after the file.
    @inline(__always)
    mutating func device(_ naming: DeviceNaming, _ bytes: Bytes, in batch: inout FixBatch) throws(ReadingFlaw) -> Int32 {
        let number: Int32?
        if let given = options.device {
            number = devices.number(given, in: &batch)
        } else {
            switch naming {
            case .named(let range): number = devices.number(bytes, range, in: &batch)
            case .file:
                usesFileDevice = true
                switch fileDevice {
                case .named(let name): number = devices.number(name, in: &batch)
                case .unnamed: throw .unnamedFile
                case nil: number = -1
                }
            case .unknown: number = -1
            }
        }
        guard let number else { throw .unreadable(.device) }
        return number
    }

    /// The device name of a phone, if the file contains the positions of several phones.
    func name(ofPhone phone: String) -> String {
        if case .named(let name) = fileDevice { "\(name)-\(phone)" } else { "phone-\(phone)" }
    }

    // MARK: Times

    /// Whether the options contain times for points without one.
    var givesTimes: Bool { options.start != nil && options.interval != nil }

    /// The time of the next point without a time.
    mutating func nextTime() -> Instant? {
        guard let start = options.start, let interval = options.interval else { return nil }
        defer { untimedPoints += 1 }
        return Instant(seconds: start.seconds + Double(untimedPoints) * interval)
    }

    // MARK: Delivery

    /// Adds a reading as a fix.
    @inline(__always)
    mutating func deliver(
        _ reading: PositionReading, device: Int32, attributes: inout AttributeWriter, line: Int, into batch: inout FixBatch
    ) throws(ReadingFlaw) {
        var reading = reading
        if reading.time == nil, reading.unreadable == nil, givesTimes { reading.time = nextTime().map { .moment($0) } }
        let time = try times.resolve(reading, device: device < 0 ? nil : batch.deviceNames[Int(device)])
        let fix = try Fix(reading, at: time.moment, allowsNullIsland: options.allowsNullIsland)
        batch.append(fix, at: time, device: device, &attributes, line: line, isValid: reading.isValid)
    }

    /// Adds a refusal.
    func refuse(
        _ kind: Refusal.Kind = .unusable, line: Int?, field: String, value: String, reason: Phrase,
        into batch: inout FixBatch
    ) {
        batch.refusals.append(refusal(kind, line: line, field: field, value: value, reason: reason))
    }

    /// A refusal of a part of this input.
    func refusal(
        _ kind: Refusal.Kind, device: String? = nil, line: Int?, field: String, value: String, reason: Phrase
    ) -> Refusal {
        Refusal(
            kind, device: device ?? options.device, file: source.description, line: line, field: field, value: value,
            reason: reason)
    }

    /// Adds a refusal of a reading that is not a fix.
    func refuse(_ flaw: ReadingFlaw, line: Int?, field: String, value: String, into batch: inout FixBatch) {
        let reason: Phrase =
            switch flaw {
            case .missing(.time): .expecting(.missing, .or(.timeOfFix, Phrase("--start and --interval for points without times")))
            case .missing(.device): .expecting(.missing, .or(FixField.device.expected, .deviceForAll))
            case .unnamedFile:
                if case .unnamed(let reason) = fileDevice, reason != .fileNamesNoDevice {
                    .expecting(reason, Phrase("one feed for each folder, with --device"))
                } else {
                    flaw.reason
                }
            default: flaw.reason
            }
        refuse(flaw.kind, line: line, field: field, value: value, reason: reason, into: &batch)
    }

    /// Refuses a line that is too long.
    func refuseOverlong(_ line: Bytes, _ number: Int, into batch: inout FixBatch) {
        refuse(
            line: number, field: "line", value: line.excerpt(0..<line.count),
            reason: .expecting(.longerThan(LineSplitter.maxBytes), Phrase("one position per line")), into: &batch)
    }
}

extension FixBatch {
    /// Adds a fix with the attributes of the writer, which is then empty.
    @inline(__always)
    mutating func append(
        _ fix: Fix, at time: TimeResolver.Result, device: Int32, _ attributes: inout AttributeWriter, line: Int,
        isValid: Bool = true
    ) {
        if let zone = time.zone { timesWithoutZone.add(1, in: zone) }
        let index = attributes.isEmpty ? -1 : addAttributes(attributes.finish())
        if attributes.omitted != nil, let name = attributes.takeOmitted() { addRemark(ofOmittedAttribute: name) }
        append(Row(fix: fix, device: device, attributes: index, line: line, isValid: isValid, isLocal: time.isLocal))
    }

    /// Adds the remark that an attribute was left out, once for a batch.
    @inline(never)
    private mutating func addRemark(ofOmittedAttribute name: String) {
        let remark = Phrase.attributeOmitted(name, AttributeWriter.maxBytes)
        if !remarks.contains(where: remark.isSameText) { remarks.append(remark) }
    }

    /// Adds the alarm of a reading, if it has one.
    ///
    /// - Parameter fix: The fix made of the reading; nil if it was refused. If the reading is marked as invalid, the alarm has no fix.
    mutating func addAlarm(_ object: JSONReading, device: String?, fix: Fix?) {
        guard let kind = object.alarm else { return }
        let reading = object.reading
        let time = fix?.time ?? reading.time?.exactMoment
        alarms.append(AlarmReport(device: device, kind: kind, time: time, fix: reading.isValid ? fix : nil))
    }
}
