// Why something cannot be used or done. The words of a reason follow a colon or the name of the thing.
//
// A reason that only one place uses is written there.

extension Phrase {
    // MARK: Any value

    package static func expecting(_ reason: Phrase, _ expected: Phrase) -> Phrase { Phrase("\(reason); expected \(expected)") }
    package static func ofValue(_ value: String, _ reason: Phrase) -> Phrase { Phrase("'\(value)': \(reason)") }
    package static let missing = Phrase("it is missing")
    package static let empty = Phrase("it is empty")
    package static let tooMany = Phrase("there are too many")
    package static let negative = Phrase("it is negative")
    package static let outOfRange = Phrase("it is out of range")
    package static let notANumber = Phrase("it is not a number")
    package static let notAWholeNumber = Phrase("it is not a whole number")
    package static let notText = Phrase("it is not text")
    package static let notAList = Phrase("it is not a list of strings")
    package static let notAnObject = Phrase("it is not an object")
    package static let notAFlag = Phrase("it is neither true nor false")
    package static let neither = Phrase("it is not one of the two")
    package static let notATime = Phrase("it is not a valid time")
    /// A spreadsheet's number of days, for a local time.
    package static func dayNumber(_ time: String) -> Phrase {
        Phrase("it looks like a spreadsheet's day number for \(time.replacing("T", with: " "))")
    }
    package static let noSuchDate = Phrase("the calendar has no such date")
    package static let noSuchTimeOfDay = Phrase("there is no such time of day")
    package static let notATimeOfDay = Phrase("it is not a time of day")
    package static let notADuration = Phrase("it is not a duration")
    package static let notDaysOfWeek = Phrase("these are not days of the week")
    package static let notDaysOfCalendar = Phrase("these are not calendar days")
    package static let noSuchValue = Phrase("there is no such value")
    package static let noSuchTrigger = Phrase("there is no such trigger")
    package static let noSuchType = Phrase("there is no such type")
    package static let noSuchPolicy = Phrase("there is no such policy")
    package static let noSuchTimeZone = Phrase("there is no such time zone")
    package static let noSuchList = Phrase("there is no such list")
    package static func noSuchFieldIn(_ kind: JSONObjectKind) -> Phrase { Phrase("\(kind) has no such field") }
    package static let spaceOrControlCharacter = Phrase("it contains a space or a control character")
    package static let controlCharacter = Phrase("it contains a control character")
    package static let mustBeEscaped = Phrase("it contains a character that must be escaped")
    package static let notUTF8 = Phrase("it is not UTF-8")
    package static func tooManyCharacters(_ count: Int, _ limit: Int) -> Phrase {
        Phrase("it has \(count) characters; the maximum is \(limit)")
    }
    package static func longerThan(_ count: Int) -> Phrase { Phrase("it is longer than \(count) bytes") }
    package static func moreThan(_ count: Int) -> Phrase { Phrase("it has more than \(count) bytes") }
    package static func moreFieldsThan(_ count: Int) -> Phrase { Phrase("it has more than \(count) fields") }
    package static func elements(_ count: Int) -> Phrase {
        Phrase(count, one: "it has \(count) element", other: "it has \(count) elements")
    }
    package static let idDiffers = Phrase("it differs from the id in the address, and an id cannot be changed")
    package static let nothingInIt = Phrase("it contains nothing usable")
    package static let noneThere = Phrase("there is no geometry")
    package static func notJSON(_ flaw: JSONFlaw) -> Phrase { Phrase("it is not JSON (\(flaw))") }
    package static let noEqualsSign = Phrase("it has no '='")
    package static let noColon = Phrase("it has no colon")
    package static func namesNothing(_ kind: ItemKind) -> Phrase { Phrase("it names no \(kind)") }
    package static let notAPlaceInEvents = Phrase("it is neither an event number nor a cursor")
    package static let tooFarAhead = Phrase("it is more than ten minutes in the future")
    /// A moment, and seconds by which it is ahead of the clock.
    package static func ahead(_ time: String, _ seconds: Double) -> Phrase {
        Phrase("it means \(time), \(longDuration: seconds) in the future")
    }
    /// The clock of the machine is before this moment.
    package static func clockBeforeData(_ time: String) -> Phrase {
        Phrase("it is before \(time), the time of the newest data in the store")
    }
    /// Seconds by which the clock of the machine was set.
    package static func clockSetAhead(_ seconds: Double) -> Phrase { Phrase("it was set ahead by \(longDuration: seconds)") }
    package static func clockSetBack(_ seconds: Double) -> Phrase { Phrase("it was set back by \(longDuration: seconds)") }
    /// A device, and seconds by which its positions are ahead of the clock of the machine.
    package static func clockBeforeDevice(_ device: String, _ seconds: Double) -> Phrase {
        device.isEmpty
            ? Phrase("a device sends positions that are \(longDuration: seconds) ahead of it, and no other device confirms it")
            : Phrase("'\(device)' sends positions that are \(longDuration: seconds) ahead of it, and no other device confirms it")
    }

    // MARK: Addresses

    package static let brokerPath = Phrase("a broker's address cannot have a path")
    package static let noHost = Phrase("it has no host")
    package static let privateAddress = Phrase("its address belongs to this machine or a private network")

    // MARK: Geofences

    package static let notAnAngle = Phrase("it is not an angle; these look like meters in a projected coordinate system")
    /// A number that may be degrees × 10⁷.
    package static let perhapsE7 = Phrase("it is out of range; it may be degrees × 10⁷")
    package static let angleUnreadable = Phrase("it is not an angle")
    package static let coordinatesBeside = Phrase("latitude and longitude are given as well")
    package static let pointWithoutRadius = Phrase("a point needs a radius to be a geofence")
    package static let noFenceGeometry = Phrase("it cannot be a geofence")
    package static let notAPosition = Phrase("it is not a position")
    package static let noRing = Phrase("there is no ring")
    package static func otherReferenceSystem(_ system: String) -> Phrase {
        Phrase("the coordinates are in the reference system '\(system)', which is not WGS 84")
    }
    package static let neitherIDNorName = Phrase("there is neither an id nor a name")
    package static func near(_ reason: Phrase, latitude: String, longitude: String) -> Phrase {
        Phrase("\(reason) near latitude \(latitude), longitude \(longitude)")
    }
    package static let notARegion = Phrase("it is not a region")

    // MARK: Devices, rules and registries

    package static let nothingToRepair = Phrase("the device has no registry, so there is nothing to repair")
    package static let subjectMissing = Phrase("the rule names neither a device nor a group")
    package static let deviceAndGroup = Phrase("a rule applies to one device or to one group, not to both")
    package static let notManaged = Phrase("it has no registry, so it is not managed")
    /// The identifier belongs to this geofence already.
    package static func identifierOf(_ geofence: String) -> Phrase { Phrase("it is already the identifier of '\(geofence)'") }
    package static func hasOtherValues(_ name: String) -> Phrase { Phrase("'\(name)' has other values") }
    package static func noSuchWay(_ platform: String) -> Phrase { Phrase("\(platform) does not support this") }
    package static let togetherWithIdentifiers = Phrase("it cannot be combined with identifiers")

    // MARK: Files of positions

    package static func noTrackPoints(_ waypoints: Int, _ routePoints: Int) -> Phrase {
        let others = [
            waypoints == 0 ? nil : Phrase(waypoints, one: "\(waypoints) waypoint", other: "\(waypoints) waypoints"),
            routePoints == 0
                ? nil : Phrase(routePoints, one: "\(routePoints) point of a route", other: "\(routePoints) points of routes"),
        ].compactMap(\.self)
        return switch others.count {
        case 0: Phrase("it has no track points")
        case 1: Phrase("it has no track points, only \(others[0])")
        default: Phrase("it has no track points, only \(others[0]) and \(others[1])")
        }
    }
    package static let quoteNotClosed = Phrase("a quotation mark is not closed")
    package static func headerTooLarge(_ columns: Int, _ bytes: Int) -> Phrase {
        Phrase("its header has more than \(columns) columns, or a name of more than \(bytes) bytes")
    }
    /// Fields without a column, the separator, and the columns.
    package static func columnsUnknown(_ fields: [String], separator: String, columns: [String]) -> Phrase {
        Phrase(
            """
            no column was recognized for \(list: fields); the columns, separated by \(Phrase.separator(separator)), are \
            \(list: columns)
            """)
    }
    /// Columns that change the meaning of others.
    package static func columnsChangeOthers(_ columns: [String]) -> Phrase {
        Phrase("Picket does not know how these columns change others: \(list: columns)")
    }
    /// The two numbers that a text may mean.
    package static func ambiguousNumber(_ one: String, _ other: String) -> Phrase {
        Phrase("it may be \(one) or \(other), because no number before it shows the decimal sign of the file")
    }
    /// The decimal sign of a file, and the line that has shown it.
    package static func otherDecimalSign(_ sign: String, _ line: Int) -> Phrase {
        sign == ","
            ? Phrase("the decimal sign of the file is a comma: see line \(line)")
            : Phrase("the decimal sign of the file is a point: see line \(line)")
    }
    package static func unknownUnit(_ unit: String) -> Phrase { Phrase("the unit '\(unit)' is not supported") }
    /// The unit that the column states.
    package static func unitOtherThan(_ unit: String) -> Phrase { Phrase("its unit differs from that of its column (\(unit))") }
    package static let minusWithHemisphere = Phrase("a minus sign contradicts the letter of a hemisphere")
    package static func hemispheresDiffer(_ one: String, _ other: String) -> Phrase {
        Phrase("the hemispheres \(one) and \(other) contradict each other")
    }
    package static func hemisphereOfOther(_ letter: String) -> Phrase {
        Phrase("the hemisphere \(letter) belongs to the other coordinate")
    }
    package static let notAHemisphere = Phrase("it is not a hemisphere")
    package static let degreesAndMinutes = Phrase("it may be degrees and minutes, but has neither a degree sign nor a hemisphere")
    package static let zip = Phrase("it is a ZIP archive without a KML file; unpack it first")
    package static let zipDamaged = Phrase("the ZIP archive is damaged or cut off")
    package static let gzipDamaged = Phrase("the gzip data is damaged; the positions before the damage are kept")
    package static let gzipCutOff = Phrase("the gzip data ends early; it was cut off")
    package static func zipEncrypted(_ name: String) -> Phrase { Phrase("\(name) in the archive is encrypted") }
    package static func zipMethod(_ name: String, _ method: Int) -> Phrase {
        Phrase("\(name) in the archive is compressed by a method that is not supported (\(plain: method))")
    }
    package static let linksOnly = Phrase("the file contains only a link to another file")
    /// Points of pauses and of courses.
    package static func noTCXPositions(_ pauses: Int, _ coursePoints: Int) -> Phrase {
        let others = [
            pauses == 0
                ? nil : Phrase(pauses, one: "\(pauses) point without a position", other: "\(pauses) points without positions"),
            coursePoints == 0
                ? nil
                : Phrase(coursePoints, one: "\(coursePoints) point of a course", other: "\(coursePoints) points of courses"),
        ].compactMap(\.self)
        return switch others.count {
        case 0: Phrase("it has no track points with positions")
        case 1: Phrase("it has no track points with positions, only \(others[0])")
        default: Phrase("it has no track points with positions, only \(others[0]) and \(others[1])")
        }
    }
    /// The input is not UTF-8.
    package static let readAsWindows1252 = Phrase(
        "it is not UTF-8, and was read as Windows-1252; if names are wrong, save it as UTF-8")
    /// No column of a CSV file names the device. The columns without a meaning.
    package static func noDeviceColumn(_ columns: [String]) -> Phrase {
        Phrase(
            """
            no column was recognized as the device, so all positions count for one device; if \(list: columns) names it, use \
            --columns device=COLUMN
            """)
    }
    /// Points without a position.
    package static func pauses(_ count: Int) -> Phrase {
        Phrase(
            count, one: "\(count) point has no position, as in a pause, and was skipped",
            other: "\(count) points have no position, as in a pause, and were skipped")
    }
    /// Phones of one account, and the device that has the positions of all.
    package static func severalPhones(_ phones: [String], _ device: String) -> Phrase {
        Phrase(
            """
            it has positions of several phones (deviceTag \(list: phones)), and all became positions of '\(device)'; without \
            --device each phone is a device
            """)
    }
    package static func severalPoints(_ count: Int) -> Phrase { Phrase("it has \(count) points in one Placemark") }
    package static func noKMLPositions(_ points: Int) -> Phrase {
        points == 0
            ? Phrase("it has no positions with times")
            : Phrase(
                points, one: "it has no positions with times, only \(points) point without a time",
                other: "it has no positions with times, only \(points) points without times")
    }
    package static func compressed(_ method: String) -> Phrase { Phrase("it is compressed with \(method); unpack it first") }
    package static let pdf = Phrase("it is a PDF document")
    package static let webPage = Phrase("it is a web page (HTML), not the file that it links to")
    package static func rootElement(_ name: String) -> Phrase {
        Phrase("it is XML whose root is <\(name)>, not <gpx>, <kml> or <TrainingCenterDatabase>")
    }
    package static func geofenceFileIs(_ kind: String) -> Phrase { Phrase("as a geofence file, it is \(kind)") }
    package static let noPlacemarks = Phrase("it has no Placemark")
    package static let lineWithoutInside = Phrase("a line encloses no area")
    package static let notWellKnownText = Phrase("it is not an outline in well-known text")
    package static let latitudeFirst = Phrase("its second number cannot be a latitude; the latitude seems to be first")
    package static let noWaypoints = Phrase("it has no waypoints (wpt); tracks and routes are lines, which enclose no area")
    package static let longitudeFirst = Phrase("its first number cannot be a latitude; the longitude seems to be first")
    package static let noChecksum = Phrase("it has no checksum, and may be damaged")
    package static func wrongChecksum(_ written: String, _ right: String) -> Phrase {
        Phrase("its checksum \(written) does not match its content (\(right)), so the sentence is damaged")
    }
    package static func morePositionsRefused(_ count: Int, _ listed: Int) -> Phrase {
        Phrase(
            count, one: "\(count) more of its positions is refused, like the \(listed) before",
            other: "\(count) more of its positions are refused, like the \(listed) before")
    }
    /// The objects of a JSON file have members with these names, and no position.
    package static func objectsWithoutPosition(_ names: [String]) -> Phrase {
        names.isEmpty
            ? Phrase("it has no objects") : Phrase("its objects have no positions; their members are \(list: names)")
    }
    package static func lineWithoutTimes(_ count: Int) -> Phrase {
        Phrase(count, one: "the line has \(count) position without times", other: "the line has \(count) positions without times")
    }
    package static let noDevice = Phrase("it cannot name a device")
    package static let fileNamesNoDevice = Phrase("neither the file nor its folder is named after a device")
    package static func folderOfSameName(_ path: String) -> Phrase {
        Phrase("its folder would name the device, but '\(path)' has the same name and may belong to another device")
    }
    /// A track overlaps another one, given by number, name (may be empty) and line.
    package static func tracksOverlap(_ number: Int, with other: Int, name: String, line: Int) -> Phrase {
        let named = name.isEmpty ? Phrase("track \(other)") : Phrase("track \(other) '\(name)'")
        return Phrase(
            """
            track \(number) overlaps in time with \(named) in line \(line), so they belong to different devices, but the names of the tracks \
            do not identify the devices; no track of the file is read
            """)
    }
    /// The number of tracks.
    package static func tracksOfOneDevice(_ count: Int) -> Phrase {
        Phrase(
            count,
            one:
                "its \(count) track counts as one device; if they belong to several devices, feed one file for each; if they belong to one device, confirm it with --device (over HTTP: device)",
            other:
                "its \(count) tracks all count as one device; if they belong to several devices, feed one file for each; if they belong to one device, confirm it with --device (over HTTP: device)"
        )
    }
    package static func attributeOmitted(_ name: String, _ bytes: Int) -> Phrase {
        Phrase("a position's other fields take more than \(bytes) bytes, so some were left out, the first of them '\(name)'")
    }
    package static let nullIsland = Phrase("latitude and longitude are exactly 0, which devices write when they have no position")
    package static func longTag(_ megabytes: Int) -> Phrase { Phrase("a tag or comment is longer than \(megabytes) MB") }
    package static let xmlEntities = Phrase("it declares XML entities, which are not supported")
    package static func xmlTooDeep(_ levels: Int) -> Phrase { Phrase("its elements are nested more than \(levels) levels deep") }
    package static let xmlCutOff = Phrase("the file ends before its last element is closed; it was cut off")
    package static func noSuchMemberWritten(_ name: String) -> Phrase { Phrase("'\(name)' is missing or was changed") }
    package static let noPositions = Phrase("it contains no positions")

    // MARK: Settings

    package static func partnerMissing(_ setting: String) -> Phrase { Phrase("the setting \(setting) is missing") }
    package static let brokerWithoutTLS = Phrase("the address in mqtt does not use TLS")
    package static let emptySecret = Phrase("it is empty, but should contain a secret")

    // MARK: Sinks

    package static let notPublishable = Phrase("it cannot be published to")
    package static let hiddenSecret = Phrase("it contains a hidden secret, whose value is not known here")
    package static let messagesMissing = Phrase("messages is missing")
    package static let secondsMissing = Phrase("seconds is missing")
    package static func brokerRefusedMessage(_ topic: String) -> Phrase { Phrase("the broker refused the message on '\(topic)'") }
    package static func saying(_ reason: Phrase, _ words: String) -> Phrase { Phrase("\(reason): \(words)") }
    package static let certificatesUnreadable = Phrase("the certificates to trust cannot be read")

    // MARK: Requests

    package static let notAnEdit = Phrase("it is not an edit")
    package static let adminHasAllDevices = Phrase("a token with the role admin is for all devices")
    package static let openToOthers = Phrase("other machines could reach the service, but it has no token yet")
    package static func expired(_ time: String) -> Phrase { Phrase("it expired at \(time), so clients refuse it") }
    package static func answerLacks(_ content: JSONContent, _ name: String) -> Phrase {
        Phrase(
            """
            its answer has no \(content) '\(name)'. It may have another version; 'picket --version' prints the version of this \
            program
            """)
    }
    package static func withinMinute(_ reason: Phrase) -> Phrase { Phrase("\(reason) within a minute") }
    package static func whenServiceRuns(_ reason: Phrase) -> Phrase { Phrase("\(reason) when the service runs") }

    // MARK: Access

    package static let tokenNotShown = Phrase("no token was sent; send it as 'Authorization: Bearer picket_…'")
    package static func roleForbids(_ token: String, _ role: String) -> Phrase {
        Phrase("the token '\(token)' has the role \(role), which does not allow this")
    }
    package static func reportOfOtherDevice(_ device: String, _ other: String) -> Phrase {
        Phrase("the token is for the device '\(device)', but the report belongs to '\(other)'")
    }
    package static let tokenUnknown = Phrase("this service does not know the token")
    package static let pageOfOtherSite = Phrase("a page of another site may not use this service without a token")

    // MARK: Brokers

    package static let noFileDescriptor = Phrase("no file descriptor is left for the connection")
    package static let brokerWithoutMQTT311 = Phrase("the broker supports neither MQTT 5.0 nor MQTT 3.1.1")
    package static let notMQTT = Phrase("the broker sent something that is not MQTT")
    package static let notHTTP = Phrase("the server sent something that is not HTTP")
    package static let brokerClosedConnection = Phrase("the broker closed the connection")
    package static func beforeTLS(_ reason: Phrase) -> Phrase {
        Phrase("\(reason) before the connection was encrypted; the broker may not use TLS at this port")
    }
    package static func beforeAcceptance(_ reason: Phrase) -> Phrase { Phrase("\(reason) before it accepted the connection") }
    package static func notAcknowledged(_ seconds: Double) -> Phrase {
        Phrase("a message was not acknowledged within \(duration: seconds)")
    }
    package static let messageLost = Phrase("a message was not acknowledged while 65,535 others were sent")
    package static let messagesNotProcessed = Phrase("received messages could not be stored")
    package static func notConnectedWithin(_ seconds: Double) -> Phrase {
        Phrase("there was no connection within \(duration: seconds)")
    }

    // MARK: Registrations

    package static let systemSilent = Phrase("the device's operating system gave no answer")

    // MARK: Programs and libraries

    package static let noSuchMessageForSink = Phrase("the sink does not accept such a message")
    package static func libraryCannotStart(_ name: String) -> Phrase { Phrase("\(name) cannot start") }

    // MARK: Conflicts and conditions: what follows the name of the thing

    package static let alreadyExists = Phrase("already exists")
    package static func advised(_ reason: Phrase, _ advice: Phrase) -> Phrase { Phrase("\(reason). \(advice)") }
    package static func subject(_ reason: Phrase) -> Phrase { Phrase("it \(reason)") }
    package static let changedMeanwhile = Phrase("was changed by another client. Read it again, then repeat your change")

    // MARK: Files and backups

    package static let noStoreYet = Phrase("there is no store yet, so there is nothing to back up")
    /// Why a program that Picket has started did not exit by itself.
    package static func endedBySignal(_ signal: Int32) -> Phrase { Phrase("it was ended by signal \(plain: Int(signal))") }
    package static func endedAfter(_ seconds: Double) -> Phrase { Phrase("it was ended after \(duration: seconds)") }

    // MARK: Command line

    package static func needsValue(_ option: String) -> Phrase { Phrase("'\(option)' needs a value") }
    package static func wordTooMany(_ argument: String) -> Phrase { Phrase("Unexpected argument '\(argument)'") }
    package static func commandNeeds(_ command: String, _ arguments: String) -> Phrase {
        Phrase("'picket \(command)' needs \(arguments)")
    }
    package static func noAction(_ command: String, _ action: String, actions: [String]) -> Phrase {
        Phrase("'picket \(command)' has no '\(action)'; it has \(list: actions)")
    }
    package static func exclude(_ one: String, _ other: String) -> Phrase { Phrase("'\(one)' and '\(other)' cannot be combined") }
    package static func goWith(_ one: String, _ other: String) -> Phrase { Phrase("'\(one)' can be used only with '\(other)'") }
    package static func goTogether(_ one: String, _ other: String) -> Phrase {
        Phrase("\(one) and \(other) must be given together")
    }
    package static let nothingNamed = Phrase("No changes are given")
    package static func faultNeeds(_ fault: String, _ options: [String], example: String) -> Phrase {
        options.count == 2
            ? Phrase("'\(fault)' needs \(options[0]) and \(options[1]): \(example)")
            : Phrase("'\(fault)' needs \(list: options): \(example)")
    }
    package static let geofencesAndAll = Phrase(
        "geofences are named, and all geofences are requested as well: leave out one of the two")
    package static let geofenceIsRemoved = Phrase("it was removed")
    package static let geofenceIsOff = Phrase("it is switched off")
    package static let noPositionStored = Phrase("no stored position can be evaluated")
}
