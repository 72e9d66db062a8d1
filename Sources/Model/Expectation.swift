/// The valid values in place of an invalid one. The words of an expectation follow "Expected".
///
/// The associated values of a case are in the order in which its English words name them.
public indirect enum Expectation: Hashable, Sendable {
    /// The words of the system, of a library or of another service. They are the same in every language.
    case verbatim(String)
    /// The words in each language, as another process or an earlier run has stored them.
    case recorded([Language: String])

    // MARK: Words

    case oneOf([String])
    case like(String)
    case thisOrNone(String)
    case or(Expectation, Expectation)
    case bothOrNeither
    case oneOfTheTwo
    case oneOfThemOrBoth
    case orNothing(String)
    case yesOrNo
    case onOrOff
    case trueOrFalse
    case string
    case listOfStrings
    case oneLine
    case object
    case objectOfChanges
    case objectOf(JSONObjectKind)
    case anotherName
    case anotherID
    case whichIsMeant(String)

    // MARK: Numbers

    case number
    case oneNumber
    case numbersIn(String, String)
    case severalOf([String])
    case twoLengths
    case lengthOrShare
    case numberOrNone
    case wholeNumber
    case wholeNumberIn(Int, Int)
    case atLeast(Int)
    case atMost(Int)
    case bytesIn(Int, Int)
    case bytes(Int)
    case mebibytes(Int)
    case bytesInParts(Int)
    case metersIn(Int, Int)
    case degrees
    case meters
    case metersFromZero
    case metersPerSecond
    case degreesIn(Int)
    case degreesE7
    case hemisphereOrDegreeSign
    case degreesFromNorth
    case share

    // MARK: Times

    case time
    case writtenTime
    case longerPeriods
    case moment
    case timeOfFix
    case timeOfFixInUTC
    case spreadsheetTime
    case timeWithDateOrder
    /// A time from a moment on.
    case timeSince(String)
    case timeOfReport
    case timeBefore(String)
    case pastTime
    case sinceAsItIs(String)
    case timeOfDay
    case startOfWindow
    case weekdays
    case days
    case weeklyWindow
    case duration(ClosedRange<Double>)
    case seconds(ClosedRange<Double>)
    case orElse(Expectation, Expectation)
    case forever
    case zeroOrForever
    case zeroForeverOrNone
    case zeroForNever
    case noneForNever
    case leftOutForNoExpiry
    case secondsAsNumber
    case hourOrYes
    case activeGeofenceOrDeleted
    case storedPositions
    case geofencesOrAll

    // MARK: Names

    case anIDOfDevice
    case deviceID
    case deviceName
    case deviceIDInRecord
    case deviceIDOfRequest
    case percentEncodedUTF8
    case fieldsSeparatedByAmpersand
    case geofenceID
    case idOfGeofence
    case topicName
    case topicNameLike(String)
    case name
    case holder
    case personName
    case ownID
    case ownIDOrReplace
    case userAndDevice
    case deviceOrGroup
    case deviceOrGroupNotBoth
    case whatWasSaid(String)
    case eventNumber
    case eventCursor

    // MARK: Addresses

    case brokerURL
    case brokerURLWithTLS
    case brokerOfSink
    case brokerExample
    case listenAddress
    case addressOfMachine
    case freeAddress
    case numericAddresses
    case webAddress
    case urlOf([String], String)
    case escapedURL
    case httpURL
    case hookURL
    case positionsURL
    case mailServer
    case mailAddress
    case nameAtHost
    case supportContact
    case mapTiles
    case publicAddress
    case otherKindOfSink
    case absolutePath
    case pathOfFile
    case telephoneNumber

    // MARK: Geofences

    case circleOrGeometry
    case circleOption
    case threeCorners
    case longitudesSpan
    case noRadius
    case radiusProperty
    case fenceGeometry
    case lonLat
    case ringsOfLonLat
    case latLon
    case box
    case policy([String])
    case feature
    case wgs84
    case validOutline
    /// An outline that can be mended: of at most so many corners and crossings.
    case outlineToMend(Int, Int)
    /// Fewer outlines to mend in one file.
    case fewerOutlines
    case keyAndValue
    case oneGeometry
    case mend

    // MARK: Devices and registries

    case iosOrAndroid
    case falseOrRegistry
    case regionsOfApp
    case regionFields
    case failureFields
    case deviceOfApp
    case platformOfReport
    case platformOfDevice(String)
    case identifiersByGeofence
    case geofenceIDOrSentinel
    case identifierOfItsOwn
    case textOfCharacters(Int)
    /// Identifiers of regions that begin with one of these.
    case identifiersBeginningWith([String])
    case clockSkew
    case simulatedDevice
    case deviceWithPlatform
    case deviceWithRegistry
    case platformWithIt
    case idOfRemovedGeofence
    case foreignIdentifier
    case freeSlot(String)
    case identifierOfRegion
    case numberOrIdentifiers
    case vendorCode
    case iosCode
    case androidCode
    case settingOfPlatform
    case keyOfSettings(Int)
    case keyOfApp

    // MARK: Files of positions

    case onePositionALine
    case oneGeofenceALine
    case secondQuote
    case quotesAround
    case columnNames
    case oneOfColumns([String])
    case columnsOption(String)
    case coordinateInOneColumn
    case unitInColumn
    case oneEncoding
    case geofenceColumns
    case kmlTrack
    case tcxTrack
    case kmlGeofence
    case kmlCoordinates
    case unpackedFile
    case traccarArea
    case wellKnownText
    case waypoints
    case polygonAroundLine
    case radiusOption
    case columnPairs
    case timedTrack
    case pointsWithTimes
    case aFeature
    case positionsWithTimes
    case pointOrLine
    case timeForEach
    case startAndInterval
    case deviceForAll
    case deviceOfEachFolder
    case fileForEachDevice
    case positionObject
    case positionsInJSON
    case rmc
    case rmcBeside
    case nmeaSentence
    case checksum
    case nineFields
    case nmeaTime
    case nmeaLatitude
    case nmeaLongitude
    case onePosition
    case osmAndObject
    case positionsAtMost(Int)
    case messagesAtMost(Int)
    case idLatLon
    case ownTracksMessage
    case unencryptedRecording
    case ownTracksType
    case unencryptedOrKey
    case sameKey
    case anyOtherMessage
    case place
    case lessAtATime
    case backupFiles
    case filesOfPositions
    case objectOrArray
    case onePositionOrMore
    case positionsButFirst(String, Reason)

    // MARK: Sinks

    case discoveryPrefix(String)
    case notDiscoveryPrefix
    case discoveryWith(String)
    case topic(String)
    case rateLimit
    case templateJSON
    case wholeSecret
    case gotifyToken
    case botToken
    case chatNumber
    case priorityKinds
    case tokenAsGiven
    case nameAndValue
    case anotherHeader
    case onThatMachine(String)
    case kindAsItIs
    case timeZoneName
    case rate
    case fewerEntities
    case kindLike(String, [String])
    case topicFilters
    case messageTopic
    case acceptedTopic
    case clientID
    case allowedByMQTT
    case acceptedByBroker

    // MARK: Requests

    case starOrIfMatch
    case etag
    case noParameters
    case beforeEvent
    case afterParameter
    case eventsInOrder
    case formatAlone
    case noOrder
    case roleWords
    case readerOrIngest
    case namesOrLeftOut
    case origins
    case tokenFirst
    case swappedCertificate(String, String)
    case requestedKey
    case ownCertificateFirst
    case validCertificate
    case certificatePEM
    case keyPEM
    case keyPEMByOpenSSL
    case policyJSON
}
