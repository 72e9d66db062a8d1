/// The reason why something cannot be used or done. The words of a reason follow a colon or the name of the thing.
///
/// The associated values of a case are in the order in which its English words name them.
public indirect enum Reason: Hashable, Sendable {
    /// The words of the system, of a library or of another service. They are the same in every language.
    case verbatim(String)
    /// The words in each language, as another process or an earlier run has stored them.
    case recorded([Language: String])

    // MARK: Any value

    case expecting(Reason, Expectation)
    case ofValue(String, Reason)
    case problem(Problem)
    case missing
    case empty
    case tooMany
    case negative
    case outOfRange
    case notANumber
    case decimalComma
    case notAWholeNumber
    case notANumberOfBytes
    case notText
    case notAList
    case notAnObject
    case notAFlag
    case neither
    case notATime
    /// A number that devices write when they have no time.
    case writtenWithoutTime(String)
    case dateWithoutTime
    case timeOfDayWithoutDate
    case yearAlone
    /// A spreadsheet's number of days, for a local time.
    case dayNumber(String)
    /// A value that stands for a moment out of range.
    case standsFor(String)
    case openDateOrder
    case noSuchDate
    case noSuchTimeOfDay
    case notATimeOfDay
    case notATimeOfWeek
    case notADuration
    case notDaysOfWeek
    case notDaysOfCalendar
    case noSuchValue
    case noSuchTrigger
    case noSuchType
    case noSuchStatus
    case noSuchFault
    case noSuchSetting
    case noSuchPolicy
    case noSuchTimeZone
    case noSuchList
    case noSuchField
    case noSuchFieldIn(JSONObjectKind)
    case noSuchParameter
    case noSuchKindOfSink
    case spaceOrControlCharacter
    case controlCharacter
    case controlCharacterInValue
    case spaceOrNotASCII
    case lineBreak
    case mustBeEscaped
    case notUTF8
    case replacementCharacter
    case otherFieldsInIt
    case tooManyCharacters(Int, Int)
    case tooManyBytes(Int, Int)
    case bytes(Int)
    case longerThan(Int)
    case moreThan(Int)
    case moreFieldsThan(Int)
    case elements(Int)
    case fields(Int)
    case features(Int)
    case notIdentifierCharacter(String)
    case spaceInIdentifier
    case idDiffers
    case nothingInIt
    case noneThere
    case notJSON(JSONFlaw)
    case notXML(String)
    case noEqualsSign
    case noColon
    case namesNothing(ItemKind)
    case notAPlaceInEvents
    case tooFarAhead
    /// A moment, and seconds by which it is ahead of the clock.
    case ahead(String, Double)
    /// The clock of the machine is before this moment.
    case clockBeforeData(String)
    /// The clock of the machine was last relied on at this moment, more than a day before the present one.
    case clockLongAfter(String)
    /// Seconds by which the clock of the machine was set.
    case clockSetAhead(Double)
    case clockSetBack(Double)
    /// A device, and seconds by which its positions are ahead of the clock of the machine.
    case clockBeforeDevice(String, Double)

    // MARK: Addresses

    case notMQTTScheme
    case unknownBrokerScheme(String)
    case brokerPath
    case badUserName
    case badPassword
    case zeroByteInCredentials
    case badPort
    case noHost
    case noScheme
    case scheme(String)
    case notAnAddress(String)
    case notAnOrigin(String)
    case notAnAddressWithPort
    case notAWebAddress
    case queryInAddress
    case notAMailAddress
    case notAbsolutePath
    case privateAddress
    case addressCannotBeAsked(String)

    // MARK: Geofences

    case fewerThanThreeCorners
    case moreThanOnceAround
    case nameTaken
    case notAnAngle
    /// A number that may be degrees × 10⁷.
    case perhapsE7
    case angleUnreadable
    case coordinatesBeside
    case polygonRadius
    case pointWithoutRadius
    case noFenceGeometry
    case notAPosition
    case noRing
    case notAPolicy
    case notAFeature
    case otherReferenceSystem(String)
    case sameID(Int)
    case neitherIDNorName
    /// An id with which an address of the service would name something else.
    case idOfAddress(String)
    case outlineCrosses
    /// The outlines before took so many seconds to mend that no more are mended.
    case mendingTime(Int)
    /// The outlines before took so many seconds to check that no more are checked.
    case checkingTime(Int)
    case outlineTooIntricate
    case holeOutside
    case partsOverlap
    case notAnArea(String)
    case near(Reason, String, String)
    case notThreeNumbers
    case notAPlace
    case notABox
    case notARegion

    // MARK: Devices, rules and registries

    case platformNeeded
    case nothingToRepair
    case subjectMissing
    case deviceAndGroup
    case windowAtEndOfDay
    case saidWhenMade
    case notManaged
    case notSimulated
    case registryIs(String)
    /// A track has positions of several devices.
    case severalDevices([String])
    /// Regions none of which has the identifier of a geofence, by the first of their identifiers.
    case regionsOfAnotherApp([String])
    case namesNoFailure
    /// The identifier belongs to this geofence already.
    case identifierOf(String)
    /// The same identifier is at this number of the list, which starts with 0.
    case listedBefore(Int)
    case platformIs(String)
    case platformUnknown
    case systemDoesNotKnow(String)
    case hasOtherValues(String)
    case notADistance
    case outOfRangeOrUnknown
    case noSuchWay(String)
    case oursBegins(String)
    case slotsFull(Int)
    case phoneHoldsNone
    case togetherWithIdentifiers
    case notAName
    case afterUntil(String, String)
    case notATopicOfNtfy

    // MARK: Files of positions

    case noTrackPoints(Int, Int)
    case noHeader
    case quoteNotClosed
    case moreFieldsThanHeader(Int)
    case fieldsAndHeader(Int, Int)
    case headerTooLarge(Int, Int)
    case noField(String)
    case noColumn(ProblemSubject, String)
    /// Fields without a column, the separator, and the columns.
    case columnsUnknown([String], String, [String])
    /// Columns that change the meaning of others.
    case columnsChangeOthers([String])
    /// The two numbers for which a text may stand.
    case ambiguousNumber(String, String)
    /// The decimal sign of a file, and the line that has shown it.
    case otherDecimalSign(String, Int)
    case unknownUnit(String)
    /// The unit that the column states.
    case unitOtherThan(String)
    case minusWithHemisphere
    case hemispheresDiffer(String, String)
    case hemisphereOfOther(String)
    case notAHemisphere
    case degreesAndMinutes
    case utf16
    case zip
    case zipDamaged
    case gzipDamaged
    case gzipCutOff
    case zipEncrypted(String)
    case zipMethod(String, Int)
    case linksOnly
    /// Points of pauses and of courses.
    case noTCXPositions(Int, Int)
    /// The input is not UTF-8.
    case readAsWindows1252
    /// No column of a CSV file names the device. The columns without a meaning.
    case noDeviceColumn([String])
    /// Points without a position.
    case pauses(Int)
    /// Phones of one account, and the device that has the positions of all.
    case severalPhones([String], String)
    case severalPoints(Int)
    case noKMLPositions(Int)
    case compressed(String)
    case garminFIT
    case anotherDatabase
    case sqliteDatabase
    case pdf
    case picture
    case webPage
    case unknownText
    case rootElement(String)
    case geofenceFileIs(String)
    case noPlacemarks
    case lineWithoutInside
    case notWellKnownText
    case wellKnownBinary
    case latitudeFirst
    case onlyAddress(String)
    case noWaypoints
    case longitudeFirst
    case beacon
    case void(Int)
    case dateless(Int)
    case foreignLines(Int)
    case noChecksum
    case wrongChecksum(String, String)
    case emptyChecksum(String)
    case morePositionsRefused(Int, Int)
    case noPositionsOfDevice
    /// The objects of a JSON file have members with these names, and no position.
    case objectsWithoutPosition([String])
    case lineWithoutTimes(Int)
    case noDevice
    case fileNamesNoDevice
    case folderOfSameName(String)
    /// A track overlaps another one, given by number, name (may be empty) and line.
    case tracksOverlap(Int, with: Int, name: String, line: Int)
    /// The number of tracks.
    case tracksOfOneDevice(Int)
    case attributeOmitted(String, Int)
    case nullIsland
    case noMessageType
    case encryptedFile
    case encryptedWithoutDevice
    case encryptedWithoutKey
    case cannotBeDecrypted
    case encryptedUnreadable(Reason)
    case encryptedInEncrypted
    case noPositionYet
    case notAFile
    case dashboardNotFound
    case elementUnclosed
    case cutOff
    case nothingThere
    case noStartOfElement(UInt8)
    case noValue(UInt8)
    case longTag(Int)
    case xmlEntities
    case xmlTooDeep(Int)
    case xmlCutOff
    case noSuchMemberWritten(String)
    case noPositions
    case tooManyRefused(Int)
    case cannotBeWritten

    // MARK: Settings

    case notATelephoneNumber
    case nobodyReached
    case languageUnknown
    case noMapLoads
    case partnerMissing(String)
    case brokerWithoutTLS
    case notNameIsValue(String)
    case settingUnknown(String)
    case settingUnknownSimilar(String, String)
    case settingNotInFile(String)
    case settingTwice(String, Int)
    case emptySecret

    // MARK: Sinks

    case notPublishable
    case notAServiceName
    case topicsOfHomeAssistant
    case brokerMayBePrivate
    case passwordWithoutUser
    case statesByDiscovery(String)
    case nameWithoutDiscovery
    case hiddenSecret
    case noPriority(String)
    case notAHeaderName
    case headerOfPicket
    case messagesMissing
    case secondsMissing
    case runsOnService
    case kindIsFixed
    case notARate
    case topicEmptyOrWild
    case notAllowedByMQTT
    case brokerRefusedConnection
    case brokerRefusedSubscription(String)
    case brokerRefusedMessage(String)
    case brokerEndedConnection
    case saying(Reason, String)
    case certificatesUnreadable

    // MARK: Requests

    case alsoIfMatch(String)
    case conditionNotForChanges
    case notAnEntityTag
    case onlyNewestFirst
    case notNewestFirst
    case notAnEdit
    case fileInOrder
    case fileOldestFirst
    case adminHasAllDevices
    case twoLengths
    case openToOthers
    case certificateSwapped
    case notItsKey(String)
    case certificateNotFirst
    case expired(String)
    case notValidBefore(String)
    case noPrivateKey
    case noCertificate
    case der
    case noPEM
    case certificateUnreadable(String)
    case keyUnreadable(String)
    case keyEncrypted
    case keyOfUnknownKind
    case answerNotJSON
    case answerLacks(JSONContent, String)
    case wouldDeleteAll(Int, Int)
    case withinMinute(Reason)
    case wouldDelete(Double, Int, Int)
    case whenServiceRuns(Reason)
    case allDevicesExceed(Int)
    case allGeofencesExceed(Int)
    case filterExceeds(Int)

    // MARK: Access

    case tokenNotShown
    case roleForbids(String, String)
    /// The token of a name has a role that may report positions, but may not change the policy of their devices.
    case policyNeedsAdmin(String, String)
    case restrictedToDevices(String)
    case deviceOutsideOfToken(String)
    case tokenReportsOnly(String)
    case positionOfOtherDevice(String, String)
    case alarmOfOtherDevice(String, String)
    case reportOfOtherDevice(String, String)
    case tokenOfSessionRevoked
    case tokenUnknown
    case noStreamToken(String)
    case streamTokenExpired
    case basicUnreadable
    case neitherBearerNorBasic
    case sessionOfOtherSite
    case pageHeaderMissing
    case passedByProxy(String)
    case pageOfOtherSite
    case hostOfOthers(String)
    case pageOf(String)
    case pageWithoutOrigin

    // MARK: Brokers

    case noFileDescriptor
    case brokerWithoutMQTT311
    case notMQTT
    case notHTTP
    case brokerClosedConnection
    case beforeTLS(Reason)
    case beforeAcceptance(Reason)
    case notAcknowledged(Double)
    case messageLost
    case messagesNotProcessed
    case notConnectedWithin(Double)
    case notSent
    case fromPeer(String, Reason)

    // MARK: Registrations

    case systemSilent
    case systemNotAsked
    case regionsUnknown(String)
    case appSilent
    case ownTracksSilent
    case ownTracksNeedsService

    // MARK: Programs and libraries

    case endedBySignal(Int)
    case endedAfter(Double)
    case noSuchMessageForSink
    case libraryCannotStart(String)
    case listeningSocketFailed
    case serverNotStarted
    case certificateUnusable
    case openFileLimit
    case networkNotWatched
    case storedMessageUnreadable(String)
    case bodyNotTaken

    // MARK: Conflicts and conditions: what follows the name of the thing

    case alreadyExists
    case alreadyExistsChangeDevice(String)
    case alreadyExistsChangeGeofence(String)
    case alreadyExistsForce
    case idTaken(String, Reason, String, Reason)
    case idTakenDiffering(String, Reason, String, [String])
    case numberInFile(Reason, Int, Int)
    case advised(Reason, Reason)
    case sendID
    case chooseID(String)
    case subject(Reason)
    case circleAround(String, String)
    case polygonAround(Int, String)
    case polygonsAround(Int, String)
    case notThere
    case changedMeanwhile
    case sameAnnouncement
    case notPaused
    case noVersion
    case foreignStore
    case clientTookOver(String)

    // MARK: Files and backups

    case noStoreYet
    case directoryNotFile(String)
    case storeItself
    case storeNotBackup
    case directoryNotMade(Reason)
    case belongsToRoot(String)
    case cannotBeOpened(String)

    // MARK: Command line

    case needsValue(String)
    case optionNeedsValue(String, String)
    case takesNoValue(String)
    case givenTwice(String)
    case wordTooMany(String)
    case commandNeeds(String, String)
    case noOption(String, String)
    case noOptionSimilar(String, String, String)
    case noAction(String, String, [String])
    case noActionSimilar(String, String, String)
    case noCommand(String)
    case noCommandSimilar(String, String)
    case exclude(String, String)
    case excludeRules(String, String)
    case goWith(String, String)
    case goTogether(String, String)
    case tokenNeedsRole
    case ruleNeedsExpectation
    case ruleNeedsSubject
    case ruleNeedsGeofence
    case onlyForOneDevice(String)
    case editNeedsDevices
    case nothingNamed
    case limitAndTotals
    case reportNeedsSubject
    case tooManyPeriods(Int)
    case tooManyRows(Int)
    case geofenceNeedsShape
    case geofenceNeedsName
    case renameWithID
    case needsDirectoryBecause(String, String, Reason)
    case replacesStore
    case rewritesStore
    case simulatesPhone
    case makesDemo
    case isService
    case startsService
    case printsText
    case readsFilesOnly
    case needsDirectory(String, String)
    case noSimulatedPhone
    case manySimulatedPhones(Int)
    case faultNeeds(String, [String], String)
    case policyForTrying(String, String)
    case geofencesForTrying(String)
    case replayNeedsDirectory(String)
    case geofencesOrAll
    case geofencesNeeded
    case deletedNeedsGeofences
    case presentGeofencesAlone(String)
    case geofenceIsRemoved
    case geofenceIsOff
    case noPositionStored
    case optionMissing(String)
    case needsYes
    case optionTakes(String, Expectation)
    case optionTakesNot(String, Expectation, String)
    case unknownOption(String)
    case noBenchmark(String)
    case noWorkload(String)
    case denseBelongsToService
    case benchmarksNotInstalled
    case measuredProgramMissing
    case someAreEdited
    case noCompletions
}
