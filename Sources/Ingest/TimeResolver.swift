import Model

/// Decides which moment the time of a position stands for, by the settings of the input.
struct TimeResolver {
    private let dateOrder: DateOrder?
    private let timeZone: DecodingOptions.AssumedTimeZone
    private let clock: (any WallClock)?
    /// The latest moment that a position may have, by the last reading of the clock.
    private var latest: Instant
    /// The zones used so far.
    private var zones: [CachedOffsets] = []
    /// The last device whose zone was looked up, and the index of its zone.
    private var last: (device: String?, zone: Int)?

    /// A moment, and how it was found.
    struct Result {
        var moment: Instant
        /// The name of the zone of a time without an offset from UTC; nil for other times.
        var zone: String?
        /// Whether the zone is left to the receiver of the batch. Then the moment is the local time as if it were UTC.
        var isLocal = false
    }

    init(_ options: DecodingOptions) {
        dateOrder = options.dateOrder
        timeZone = options.timeZone
        clock = options.clock
        latest = clock == nil ? .latest : .earliest
    }

    /// The moment of a reading whose required fields could be read.
    ///
    /// - Parameter device: The name of the position's device; nil if it is unknown.
    @inline(__always)
    mutating func resolve(_ reading: PositionReading, device: @autoclosure () -> String?) throws(ReadingFlaw) -> Result {
        if let field = reading.unreadable { throw .unreadable(field) }
        if case .moment(let moment)? = reading.time, moment >= WrittenTime.earliest, moment <= latest {
            return Result(moment: moment)
        }
        return try resolve(reading.time, device: device())
    }

    /// The moment of a time.
    @inline(never)
    mutating func resolve(_ time: WrittenTime?, device: String?) throws(ReadingFlaw) -> Result {
        var time = time
        if case .numeric(let date)? = time {
            guard let dateOrder else { throw .time(.dateOrder) }
            time = date.time(dateOrder)
            if time == nil { throw .time(.notATime) }
        }
        switch time {
        case nil: throw .missing(.time)
        case .unusable(let flaw): throw .time(flaw)
        case .numeric: throw .time(.notATime)
        case .moment(let moment):
            try check(moment)
            return Result(moment: moment)
        case .local(let local):
            guard let zone = zone(of: device) else { return Result(moment: local, isLocal: true) }
            let moment = zones[zone].moment(atLocal: local)
            try check(moment)
            return Result(moment: moment, zone: zones[zone].zone.name)
        }
    }

    private mutating func check(_ moment: Instant) throws(ReadingFlaw) {
        if moment < WrittenTime.earliest { throw .time(.tooOld(moment)) }
        if moment <= latest { return }
        guard let clock else { return }
        let now = clock.now()
        latest = now + SystemClock.tolerance
        if moment > latest { throw .time(.ahead(moment, moment - now)) }
    }

    /// The index in `zones` of the zone of a device's times; nil if it is left to the receiver of the batch.
    private mutating func zone(of device: String?) -> Int? {
        let zone: LocalTimeZone
        switch timeZone {
        case .undecided: return nil
        case .zone(let only):
            if !zones.isEmpty { return 0 }
            zone = only
        case .ofDevices(let zoneOfDevice):
            if let last, last.device == device { return last.zone }
            zone = device.flatMap(zoneOfDevice) ?? .utc
        }
        var index = zones.firstIndex { $0.zone.name == zone.name }
        if index == nil {
            index = zones.count
            zones.append(CachedOffsets(zone))
        }
        last = index.map { (device, $0) }
        return index
    }
}

/// A zone with the offset from UTC of the local times around the last one, because looking it up takes longer than decoding a position.
private struct CachedOffsets {
    let zone: LocalTimeZone
    /// Local times, as if they were UTC, that have the same offset.
    private var range = 0..<Int64(0)
    /// The offset in milliseconds.
    private var offset: Int64 = 0

    init(_ zone: LocalTimeZone) { self.zone = zone }

    mutating func moment(atLocal local: Instant) -> Instant {
        if range.contains(local.milliseconds) { return Instant(milliseconds: local.milliseconds - offset) }
        let moment = zone.moment(atLocal: local)
        offset = local.milliseconds - moment.milliseconds
        // A day, else a quarter of an hour. All current zones change their clocks at a quarter of an hour.
        for length in [86_400_000, 900_000] as [Int64] {
            let start = local.milliseconds - ((local.milliseconds % length) + length) % length
            let hasSameOffset = [start, start + length - 1].allSatisfy { edge in
                edge - zone.moment(atLocal: Instant(milliseconds: edge)).milliseconds == offset
            }
            if hasSameOffset {
                range = start..<(start + length)
                return moment
            }
        }
        range = 0..<0
        return moment
    }
}
