import SQLite

/// The tables of the store, as the migration steps that created them.
///
/// Times are in milliseconds since 1970, lengths in meters, angles in degrees.
enum Schema {
    static let migrations = Migrations([
        first, registrations, service, replay, stays, refusals, seenSpans, generations, ownTracks, sinks, alarms, waypoints,
        rules, preferences, eventTimes, enrollment, writeBehind,
        eventIndexes, inputLog, erasing, tokenScopes, backdatings, deviceDefaults, normalForm,
        damagedJournals, lateReplays, stayTimes, inputTimeZones, geofenceNames, regionLosses, stagedGeofences,
        retainedTopics,
    ])

    /// Fixes are appended in the order of their receipt, which is the fastest for a disk. The table `fix_order` orders them by device and
    /// time and is written later (`setting.fixes_ordered` holds its progress). Old versions of a geofence are kept, because a fix and an
    /// event name the revision by which they were evaluated.
    private static let first = """
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE geofence (
            key INTEGER NOT NULL,
            from_revision INTEGER NOT NULL,
            to_revision INTEGER,              -- the first revision without it; NULL: none
            id TEXT NOT NULL,
            name TEXT NOT NULL,
            latitude REAL, longitude REAL, radius REAL,   -- of a circle; NULL: a polygon
            geometry TEXT,                    -- GeoJSON of a polygon; NULL: a circle
            active INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            triggers INTEGER NOT NULL,
            dwell REAL,
            devices TEXT, groups TEXT,        -- JSON lists; NULL: empty
            policy TEXT, properties TEXT,     -- JSON objects; NULL: empty
            PRIMARY KEY (key, from_revision)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX geofence_now ON geofence (id) WHERE to_revision IS NULL;

        CREATE TABLE device (
            key INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            groups TEXT,
            policy TEXT,
            platform TEXT,
            registry TEXT NOT NULL,
            auto_repair INTEGER NOT NULL,
            silent_after REAL NOT NULL,
            removed INTEGER NOT NULL DEFAULT 0
        );

        -- The state of a device in the engine: its newest fix, and its next deadline.
        CREATE TABLE device_state (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            time INTEGER NOT NULL,
            latitude REAL NOT NULL, longitude REAL NOT NULL,
            accuracy REAL, altitude REAL, speed REAL, course REAL, battery REAL,
            deadline INTEGER
        );

        -- The geofences that a device is inside of, or about to enter or exit.
        CREATE TABLE presence (
            device INTEGER NOT NULL REFERENCES device (key),
            geofence INTEGER NOT NULL,
            phase INTEGER NOT NULL,
            entered_at INTEGER, enter_cause TEXT, has_dwelt INTEGER,
            pending_count INTEGER, pending_time INTEGER, pending_latitude REAL, pending_longitude REAL, pending_accuracy REAL,
            pending_crossed_at INTEGER,
            PRIMARY KEY (device, geofence)
        ) WITHOUT ROWID;
        CREATE INDEX presence_geofence ON presence (geofence);

        CREATE TABLE fix (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL,
            time INTEGER NOT NULL,
            latitude REAL NOT NULL, longitude REAL NOT NULL,
            accuracy REAL, altitude REAL, speed REAL, course REAL, battery REAL,
            revision INTEGER NOT NULL,
            late INTEGER,                     -- flags; 1: it arrived after a newer fix; 2: it arrived after a later deadline;
                                              -- in both cases it was not evaluated on arrival; 4: a replay has evaluated it;
                                              -- 8: the device marks it as invalid, so it is never evaluated
            attributes TEXT                   -- JSON object
        );
        CREATE TABLE fix_order (
            device INTEGER NOT NULL,
            time INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (device, time, number)
        ) WITHOUT ROWID;

        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            device INTEGER NOT NULL REFERENCES device (key),
            geofence INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            recorded_at INTEGER NOT NULL,
            confirmed_at INTEGER NOT NULL,
            crossed_at INTEGER,
            cause TEXT NOT NULL,
            inferred INTEGER NOT NULL,
            fix_time INTEGER NOT NULL, fix_latitude REAL NOT NULL, fix_longitude REAL NOT NULL, fix_accuracy REAL,
            entered_at INTEGER, enter_cause TEXT,
            retracts TEXT
        );
        CREATE UNIQUE INDEX event_id ON event (id);
        CREATE INDEX event_device ON event (device, sequence);
        CREATE INDEX event_geofence ON event (geofence, sequence);

        INSERT INTO setting VALUES ('fence_revision', 0), ('fixes_ordered', 0);
        """

    /// Journals of phones' registrations, repairs, and the history of health.
    private static let registrations = """
        CREATE TABLE registry_journal (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            journal TEXT NOT NULL             -- JSON
        );
        CREATE TABLE repair (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device (key),
            finished_at INTEGER NOT NULL,
            report TEXT NOT NULL              -- JSON
        );
        CREATE INDEX repair_device ON repair (device, number);
        CREATE TABLE health (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device (key),
            at INTEGER NOT NULL,
            is_healthy INTEGER,               -- NULL: unknown
            summary TEXT NOT NULL             -- English text, or JSON with all languages
        );
        CREATE INDEX health_device ON health (device, number);
        """

    /// Tokens, messages of phones other than positions, signs of life, and events without a geofence.
    private static let service = """
        CREATE TABLE token (
            id TEXT PRIMARY KEY,              -- a public id, not the secret
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            device TEXT,                      -- the only device that it may report for
            hash TEXT NOT NULL UNIQUE,        -- SHA-256 of the secret, in hexadecimal
            made_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER                -- NULL: not revoked; revoked tokens are kept as a record of access
        ) WITHOUT ROWID;

        CREATE TABLE evidence (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device (key),
            at INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            body TEXT NOT NULL                -- JSON, as the device sent it
        );
        CREATE INDEX evidence_device ON evidence (device, at);

        CREATE INDEX device_auto_repair ON device (id) WHERE auto_repair = 1;
        ALTER TABLE device ADD COLUMN keep_positions REAL;   -- seconds; NULL: as long as the store does
        ALTER TABLE device ADD COLUMN gaps INTEGER NOT NULL DEFAULT 0;   -- flags; why a replay may differ (ReplayGaps)
        ALTER TABLE device ADD COLUMN replay_after INTEGER NOT NULL DEFAULT 0;  -- events up to this one belong to a removed device of this id
        UPDATE device SET gaps = 4;          -- 4: recorded by an earlier version
        ALTER TABLE device_state ADD COLUMN heard_at INTEGER;  -- the newest sign of life; NULL: the newest fix
        ALTER TABLE device_state ADD COLUMN reached INTEGER;   -- deadlines before this time have fired; NULL: none
        ALTER TABLE device_state ADD COLUMN is_silent INTEGER;
        ALTER TABLE device_state ADD COLUMN lag REAL;            -- seconds by which its time is behind the clock; NULL: none

        CREATE TABLE new_event (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            device INTEGER NOT NULL REFERENCES device (key),
            geofence INTEGER,                 -- NULL: the event concerns only the device
            revision INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            recorded_at INTEGER NOT NULL,
            confirmed_at INTEGER NOT NULL,
            crossed_at INTEGER,
            cause TEXT NOT NULL,
            inferred INTEGER NOT NULL,
            fix_time INTEGER NOT NULL, fix_latitude REAL NOT NULL, fix_longitude REAL NOT NULL, fix_accuracy REAL,
            entered_at INTEGER,               -- for silent and returned: the last message before the silence
            enter_cause TEXT,
            retracts TEXT
        );
        INSERT INTO new_event SELECT * FROM event;
        DROP TABLE event;
        ALTER TABLE new_event RENAME TO event;
        CREATE UNIQUE INDEX event_id ON event (id);
        CREATE INDEX event_device ON event (device, sequence);
        CREATE INDEX event_geofence ON event (geofence, sequence);
        -- Finds the visit of an enter, both ended and open ones.
        CREATE INDEX event_visit ON event (entered_at) WHERE type = 'exit';
        CREATE INDEX presence_visit ON presence (entered_at) WHERE entered_at IS NOT NULL;

        -- The last report of an app about its regions.
        CREATE TABLE registry_report (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            received_at INTEGER NOT NULL,
            report TEXT NOT NULL              -- JSON
        );

        -- The open problem of each source.
        CREATE TABLE problem (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source TEXT NOT NULL UNIQUE,
            code TEXT NOT NULL,
            words TEXT NOT NULL,              -- JSON: the problem in each language
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            failures INTEGER NOT NULL,        -- the number of consecutive failures
            dismissed_at INTEGER
        );
        """

    /// Records for replays of late fixes: checkpoints, earlier rules, and pending replays.
    private static let replay = """
        CREATE TABLE checkpoint (
            device INTEGER NOT NULL REFERENCES device (key),
            time INTEGER NOT NULL,            -- of the newest fix in the state
            revision INTEGER NOT NULL,        -- of the fences
            sequence INTEGER NOT NULL,        -- later decisions are events after this one
            state TEXT NOT NULL,              -- JSON (StateText)
            PRIMARY KEY (device, time)
        ) WITHOUT ROWID;
        CREATE INDEX checkpoint_time ON checkpoint (time);

        -- The rules of a device before each change. The current rules are in `device`.
        CREATE TABLE device_rules (
            change INTEGER PRIMARY KEY,       -- ascending
            device INTEGER NOT NULL REFERENCES device (key),
            until INTEGER NOT NULL,           -- the time of the device's newest fix at the change, including an outlier
            number INTEGER NOT NULL,          -- of the newest fix in the store at the change
            revision INTEGER NOT NULL,        -- of the fences at the change
            sequence INTEGER NOT NULL,        -- of the newest event at the change
            groups TEXT, policy TEXT, silent_after REAL NOT NULL
        );
        CREATE INDEX device_rules_device ON device_rules (device, change);

        -- During a pass through a geofence: the time of the exit. During an enter: the fix before it.
        ALTER TABLE presence ADD COLUMN pending_left_at INTEGER;
        ALTER TABLE presence ADD COLUMN before_time INTEGER;
        ALTER TABLE presence ADD COLUMN before_latitude REAL;
        ALTER TABLE presence ADD COLUMN before_longitude REAL;
        ALTER TABLE presence ADD COLUMN before_accuracy REAL;
        -- A possible outlier, which counts only when the next fix confirms it.
        ALTER TABLE device_state ADD COLUMN suspect_time INTEGER;
        ALTER TABLE device_state ADD COLUMN suspect_latitude REAL;
        ALTER TABLE device_state ADD COLUMN suspect_longitude REAL;
        ALTER TABLE device_state ADD COLUMN suspect_accuracy REAL;

        -- A replay does not reproduce decisions from before outliers were rejected and passes through geofences were detected.
        UPDATE device SET gaps = gaps | 4;

        ALTER TABLE device ADD COLUMN replay_from INTEGER;   -- the time of the earliest late fix that waits for a replay; NULL: none
        CREATE INDEX device_replay ON device (replay_from) WHERE replay_from IS NOT NULL;
        CREATE UNIQUE INDEX event_retracts ON event (retracts) WHERE retracts IS NOT NULL;
        """

    /// The places where devices stay.
    private static let stays = """
        -- The place where a device stays, or may begin to stay.
        ALTER TABLE device_state ADD COLUMN stay_latitude REAL;
        ALTER TABLE device_state ADD COLUMN stay_longitude REAL;
        ALTER TABLE device_state ADD COLUMN stay_variance REAL;
        ALTER TABLE device_state ADD COLUMN stay_since INTEGER;
        ALTER TABLE device_state ADD COLUMN stay_degree REAL;
        ALTER TABLE device_state ADD COLUMN stay_settled INTEGER;
        -- The remaining values of a possible outlier.
        ALTER TABLE device_state ADD COLUMN suspect_altitude REAL;
        ALTER TABLE device_state ADD COLUMN suspect_speed REAL;
        ALTER TABLE device_state ADD COLUMN suspect_course REAL;
        ALTER TABLE device_state ADD COLUMN suspect_battery REAL;
        -- The time of the phone's latest own report that changed something.
        ALTER TABLE device_state ADD COLUMN reported_at INTEGER;

        -- A replay does not reproduce decisions from before stays were detected.
        UPDATE device SET gaps = gaps | 4;
        """

    /// Counters of unusable input.
    private static let refusals = """
        CREATE TABLE refused_input (
            device TEXT NOT NULL,             -- the name in the input, known or not; empty: none
            kind TEXT NOT NULL,               -- Refusal.Kind
            field TEXT NOT NULL,
            reason TEXT NOT NULL,             -- the newest reason; English text, or JSON with all languages
            count INTEGER NOT NULL,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (device, kind, field)
        ) WITHOUT ROWID;
        -- The number of failures when a person dismissed the problem.
        ALTER TABLE problem ADD COLUMN dismissed_failures INTEGER;
        """

    /// The spans in which devices were seen by positions that are not stored any more.
    private static let seenSpans = """
        -- Spans of time in which a device was seen by positions that were removed, or never kept. A span begins and ends at the time of
        -- a position, and the positions in it were no further apart than the device's silent_after. Those of one device are disjoint.
        CREATE TABLE seen_span (
            device INTEGER NOT NULL REFERENCES device (key),
            begins INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            PRIMARY KEY (device, begins)
        ) WITHOUT ROWID;
        -- A device's exits by time. Each exit divides a span, so that the last position before the exit remains known.
        CREATE INDEX event_exit ON event (device, occurred_at) WHERE type = 'exit';

        -- Before this time, it is unknown when the device was seen, because positions were removed without spans. NULL: all is known.
        ALTER TABLE device ADD COLUMN seen_from INTEGER;
        UPDATE device SET seen_from = coalesce(
            (SELECT time + 1 FROM device_state WHERE device = device.key),
            (SELECT max(occurred_at) + 1 FROM event WHERE device = device.key AND type = 'exit'))
        WHERE gaps & 2 OR removed OR replay_after > 0;
        -- The oldest positions are removed first, so all is known from the first remaining one on.
        UPDATE device SET seen_from = kept.begins
        FROM (SELECT device, min(time) AS begins FROM fix GROUP BY device) kept
        WHERE kept.device = device.key AND kept.begins < seen_from;
        """

    /// Records that keep numbers and ids of events from being used twice.
    private static let generations = """
        -- The ranges of contiguous event numbers (`StoreGeneration`). The newest is the current one.
        CREATE TABLE generation (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            parent TEXT REFERENCES generation (id),
            branch INTEGER NOT NULL,
            start INTEGER NOT NULL,
            began_at INTEGER                  -- NULL: unknown
        );
        INSERT INTO generation (id, branch, start) VALUES (lower(hex(randomblob(8))), 0, 0);

        -- The newest event when an earlier device of this id was erased. It is part of the ids of the device's events.
        ALTER TABLE device ADD COLUMN ids_after INTEGER NOT NULL DEFAULT 0;
        """

    /// Records for messages of an MQTT broker: the encryption keys of devices, and the client identifier of this store.
    private static let ownTracks = """
        CREATE TABLE owntracks_key (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            key TEXT NOT NULL                 -- the secret key, as in the app's settings
        );
        INSERT INTO setting VALUES ('mqtt_client', 'picket' || lower(hex(randomblob(5))));
        """

    /// The sinks of events and positions, and the delivery progress of each. The sent data itself is read from `event` and `fix`.
    private static let sinks = """
        CREATE TABLE sink (
            id TEXT PRIMARY KEY,
            config TEXT NOT NULL,             -- JSON, including secrets
            paused_at INTEGER,                -- NULL: not paused
            paused_by TEXT,                   -- JSON: the problem that paused it; NULL: a person did
            cursor INTEGER NOT NULL,          -- the newest number that is done, of `event` or, for positions, of `fix`
            alarm_cursor INTEGER NOT NULL,    -- the same for alarms, which are sent before other events
            delivered INTEGER NOT NULL DEFAULT 0,
            delivered_at INTEGER              -- the time of the last delivery
        ) WITHOUT ROWID;

        -- The filters of a sink, each from an event number on. Earlier ones are kept to know what the sink was sent.
        CREATE TABLE sink_filter (
            sink TEXT NOT NULL REFERENCES sink (id) ON DELETE CASCADE,
            from_sequence INTEGER NOT NULL,
            filter TEXT,                      -- JSON with its time zone; NULL: nothing was sent
            PRIMARY KEY (sink, from_sequence)
        ) WITHOUT ROWID;

        -- Events that a sink refused permanently.
        CREATE TABLE sink_parked (
            sink TEXT NOT NULL REFERENCES sink (id) ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            parked_at INTEGER NOT NULL,
            problem TEXT NOT NULL,            -- JSON: code and parameters
            resend INTEGER NOT NULL DEFAULT 0,    -- 1: it will be sent again
            PRIMARY KEY (sink, sequence)
        ) WITHOUT ROWID;

        CREATE INDEX event_alarm ON event (sequence) WHERE type = 'alarm';
        """

    /// Alarms.
    private static let alarms = """
        CREATE TABLE alarm (
            sequence INTEGER PRIMARY KEY,     -- of the alarm's event
            device INTEGER NOT NULL REFERENCES device (key),
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,               -- the name that the device gives it
            inside TEXT NOT NULL,             -- JSON: a list of [id, name] of the geofences around the device
            has_position INTEGER NOT NULL,    -- 0: the event's coordinates are a placeholder
            emergency_number TEXT NOT NULL,
            acknowledged_at INTEGER,          -- NULL: not acknowledged
            acknowledged_by TEXT              -- NULL: no name was given
        );
        CREATE UNIQUE INDEX alarm_device ON alarm (device, time, kind);
        CREATE INDEX alarm_open ON alarm (sequence) WHERE acknowledged_at IS NULL;
        -- The secret from which the links of alarms are made.
        INSERT INTO setting VALUES ('alarm_secret', lower(hex(randomblob(16))));
        """

    /// Records for the waypoints of OwnTracks apps.
    private static let waypoints = """
        -- The number that identifies a region in an app on Android. A number is never used twice.
        CREATE TABLE waypoint_number (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            region TEXT NOT NULL UNIQUE
        );
        -- The waypoints to send to an app after its list was cleared, until the app has them.
        CREATE TABLE waypoint_list (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            list TEXT NOT NULL                -- JSON
        );
        """

    /// Presence rules and their missed events.
    private static let rules = """
        CREATE TABLE presence_rule (
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            config TEXT NOT NULL              -- JSON
        );

        -- The devices for which a rule holds now.
        CREATE TABLE presence_rule_device (
            rule INTEGER NOT NULL REFERENCES presence_rule (key) ON DELETE CASCADE,
            device INTEGER NOT NULL REFERENCES device (key),
            since INTEGER NOT NULL,           -- the rule is evaluated from this time on
            judged_to INTEGER NOT NULL,       -- the rule has been evaluated up to this time
            PRIMARY KEY (rule, device)
        ) WITHOUT ROWID;
        CREATE INDEX presence_rule_device_device ON presence_rule_device (device);

        -- The rule of a missed event or of its retraction.
        CREATE TABLE event_rule (
            sequence INTEGER PRIMARY KEY,     -- of the event
            device INTEGER NOT NULL REFERENCES device (key),
            rule INTEGER NOT NULL,            -- the key of the rule, which may have been removed
            occurred_at INTEGER NOT NULL,
            config TEXT NOT NULL,             -- JSON: the rule at that time
            has_position INTEGER NOT NULL     -- 0: the event's coordinates are a placeholder
        );
        CREATE INDEX event_rule_device ON event_rule (device, rule, occurred_at);
        """

    /// Preferences for the dashboard.
    private static let preferences = """
        CREATE TABLE preference (
            token TEXT PRIMARY KEY,           -- the id of a token; empty: requests without a token
            preferences TEXT NOT NULL         -- JSON
        ) WITHOUT ROWID;
        """

    /// An index of events by time, for lists that begin with the newest.
    private static let eventTimes = """
        CREATE INDEX event_time ON event (occurred_at);
        """

    /// Refused devices, and the items that the sample data created.
    private static let enrollment = """
        -- Devices that report without a token and that a person has hidden.
        CREATE TABLE refused_device (
            device TEXT PRIMARY KEY,          -- the name in the input, known or not
            refused_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        -- The objects that were created by the sample data, so that exactly these can be removed.
        CREATE TABLE sample_item (
            kind TEXT NOT NULL,               -- geofence or device
            id TEXT NOT NULL,
            content TEXT NOT NULL,            -- JSON: the object as it was created
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        """

    /// Columns with which the states of devices can be stored later than the positions that led to them.
    private static let writeBehind = """
        -- The number of the newest fix in the state. Later fixes are evaluated again after a crash.
        ALTER TABLE device_state ADD COLUMN applied INTEGER NOT NULL DEFAULT 0;
        -- Seconds by which the fix was behind the clock when it arrived; NULL: at most a minute.
        ALTER TABLE fix ADD COLUMN lag INTEGER;
        -- All fixes up to this number are in the states of their devices.
        INSERT INTO setting SELECT 'states_saved', ifnull(max(number), 0) FROM fix;
        """

    /// Indexes of events that are written later than the events. An index of SQLite itself would be written with each event.
    private static let eventIndexes = """
        DROP INDEX event_id;
        DROP INDEX event_device;
        DROP INDEX event_geofence;
        DROP INDEX event_visit;
        DROP INDEX event_exit;
        DROP INDEX event_time;

        CREATE TABLE event_by_device (
            device INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (device, sequence)
        ) WITHOUT ROWID;
        CREATE TABLE event_by_geofence (
            geofence INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (geofence, sequence)
        ) WITHOUT ROWID;
        CREATE TABLE event_by_time (
            occurred_at INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (occurred_at, sequence)
        ) WITHOUT ROWID;
        -- Exits only, to find the visit of an enter and the exits of a device.
        CREATE TABLE exit_by_enter (
            entered_at INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (entered_at, sequence)
        ) WITHOUT ROWID;
        CREATE TABLE exit_by_device (
            device INTEGER NOT NULL, occurred_at INTEGER NOT NULL, sequence INTEGER NOT NULL,
            PRIMARY KEY (device, occurred_at, sequence)
        ) WITHOUT ROWID;

        INSERT INTO event_by_device SELECT device, sequence FROM event ORDER BY 1, 2;
        INSERT INTO event_by_geofence SELECT geofence, sequence FROM event WHERE geofence IS NOT NULL ORDER BY 1, 2;
        INSERT INTO event_by_time SELECT occurred_at, sequence FROM event ORDER BY 1, 2;
        INSERT INTO exit_by_enter SELECT entered_at, sequence FROM event WHERE type = 'exit' AND entered_at IS NOT NULL ORDER BY 1, 2;
        INSERT INTO exit_by_device SELECT device, occurred_at, sequence FROM event WHERE type = 'exit' ORDER BY 1, 2, 3;
        -- The number of the newest event in the indexes.
        INSERT INTO setting SELECT 'events_indexed', ifnull(max(sequence), 0) FROM event;
        """

    /// The input log: the inputs of the engine apart from fixes.
    private static let inputLog = """
        -- Entries of the input log other than fixes and changes of geofences. `fix`, `input` and `fence_revision` share one sequence of
        -- numbers.
        CREATE TABLE input (
            number INTEGER NOT NULL,
            part INTEGER NOT NULL,            -- 0; for entries of earlier versions, which had no numbers: the order after the fix
            device INTEGER NOT NULL REFERENCES device (key),
            kind INTEGER NOT NULL,            -- 1: the device's rules changed; 2: a deadline fired; 3: a sign of life; 4: the phone's report
            at INTEGER,                       -- in the device's time: the end of the passed time, or the time of the entry
            geofence INTEGER, is_inside INTEGER,
            PRIMARY KEY (number, part)
        ) WITHOUT ROWID;
        CREATE INDEX input_device ON input (device, number, part);
        CREATE TABLE fence_revision (
            revision INTEGER PRIMARY KEY,
            number INTEGER NOT NULL,          -- of the entry in the input log
            part INTEGER NOT NULL
        );
        CREATE INDEX fence_revision_number ON fence_revision (number);

        -- Earlier entries are reconstructed from the stored rows.
        INSERT INTO fix_order SELECT device, time, number FROM fix
        WHERE number > (SELECT value FROM setting WHERE name = 'fixes_ordered') ORDER BY device, time, number;
        UPDATE setting SET value = (SELECT ifnull(max(number), 0) FROM fix) WHERE name = 'fixes_ordered';
        CREATE TEMP TABLE earlier (number, revision, sequence, device, kind, at, geofence, is_inside);
        -- A revision follows all fixes that were evaluated with the earlier revisions.
        CREATE TEMP TABLE judged (revision INTEGER PRIMARY KEY, number);
        INSERT INTO judged SELECT revision, max(number) FROM fix GROUP BY revision;
        CREATE TEMP TABLE begun (revision INTEGER PRIMARY KEY, number);
        INSERT INTO begun
        SELECT revision, ifnull((SELECT number FROM judged j WHERE j.revision < r.revision ORDER BY j.revision DESC LIMIT 1), 0)
        FROM (SELECT from_revision AS revision FROM geofence UNION SELECT to_revision FROM geofence WHERE to_revision IS NOT NULL) r;
        INSERT INTO earlier SELECT number, revision, -1, NULL, 0, NULL, NULL, NULL FROM begun;
        INSERT INTO earlier SELECT number, revision, sequence, device, 1, NULL, NULL, NULL FROM device_rules;
        -- A decision without a fix at its time was made by a deadline or a sign of life. A decision by a report is marked as such.
        INSERT INTO earlier
        SELECT max(
            ifnull((SELECT number FROM begun b WHERE b.revision <= e.revision ORDER BY b.revision DESC LIMIT 1), 0),
            ifnull((
                SELECT o.number FROM fix_order o CROSS JOIN fix f USING (number)
                WHERE o.device = e.device AND o.time <= e.decided_at AND f.late IS NULL ORDER BY o.time DESC, o.number DESC LIMIT 1), 0)),
        e.revision, e.sequence, e.device, e.kind, e.decided_at + (e.kind = 2), CASE e.kind WHEN 4 THEN e.geofence END,
        CASE e.kind WHEN 4 THEN e.type = 'enter' END
        FROM (
            SELECT *, CASE WHEN cause = 'reconciled' THEN occurred_at ELSE max(confirmed_at, fix_time) END AS decided_at,
            CASE WHEN cause = 'reconciled' THEN 4 WHEN type = 'returned' THEN 3 ELSE 2 END AS kind
            FROM event WHERE type IN ('enter', 'exit', 'dwell', 'silent', 'returned')
            AND cause IN ('moved', 'silence', 'corrected', 'reconciled')) e
        JOIN device d ON d.key = e.device
        WHERE NOT d.removed AND e.sequence > d.replay_after
        AND (e.kind = 4 OR NOT EXISTS (SELECT 1 FROM fix_order WHERE device = e.device AND time = e.decided_at));
        INSERT INTO earlier
        SELECT (SELECT ifnull(max(number), 0) FROM fix), (SELECT value FROM setting WHERE name = 'fence_revision'),
        (SELECT ifnull(max(sequence), 0) FROM event), device, 3, heard_at, NULL, NULL
        FROM device_state WHERE heard_at > max(time, ifnull(suspect_time, time));
        CREATE TEMP TABLE numbered AS
        SELECT *, row_number() OVER (PARTITION BY number ORDER BY revision, sequence, device) AS part FROM earlier;
        INSERT INTO fence_revision SELECT revision, number, part FROM numbered WHERE kind = 0 ORDER BY revision;
        INSERT INTO input SELECT number, part, device, kind, at, geofence, is_inside FROM numbered WHERE kind > 0 ORDER BY number, part;
        DROP TABLE temp.numbered;
        DROP TABLE temp.earlier;
        DROP TABLE temp.begun;
        DROP TABLE temp.judged;
        ALTER TABLE device_rules DROP COLUMN until;
        ALTER TABLE device_rules DROP COLUMN revision;

        -- The first entry of the input log that is not in the checkpoint.
        ALTER TABLE checkpoint ADD COLUMN next INTEGER NOT NULL DEFAULT 0;
        UPDATE checkpoint SET next = ifnull((
            SELECT o.number FROM fix_order o CROSS JOIN fix f USING (number)
            WHERE o.device = checkpoint.device AND o.time > checkpoint.time AND f.late IS NULL ORDER BY o.time, o.number LIMIT 1),
            (SELECT ifnull(max(number), 0) + 1 FROM fix));
        -- Signs of life without an event are not stored.
        UPDATE device SET gaps = (gaps & ~16) | 4 WHERE gaps & 16;
        """

    /// Removes the references from events to devices, and adds an index of geofences that name devices. Without this, erasing a device
    /// would read all events to check their references, and all geofences to find those that name the device.
    ///
    /// Removing a reference from the definition of a table leaves its rows unchanged:
    /// https://www.sqlite.org/lang_altertable.html#otheralter
    private static let erasing = """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, ' REFERENCES device (key)', '') WHERE type = 'table' AND name = 'event';
        PRAGMA writable_schema = RESET;
        CREATE INDEX geofence_devices ON geofence (key, from_revision) WHERE devices IS NOT NULL;
        """

    /// Restrictions of tokens to several devices and to groups.
    private static let tokenScopes = """
        ALTER TABLE token ADD COLUMN devices TEXT;   -- JSON lists; NULL: not restricted, or to `device` alone
        ALTER TABLE token ADD COLUMN groups TEXT;
        """

    /// A kind of input by which a geofence holds for earlier positions of a device.
    private static let backdatings = """
        -- Of an entry of the kind 5, by which the geofence as it was then holds for the device's earlier fixes: after which fix; NULL: for all.
        -- Its `at` is the time of that fix.
        ALTER TABLE input ADD COLUMN after INTEGER;
        CREATE INDEX input_backdating ON input (device, number) WHERE kind = 5;
        """

    /// Values for devices without values of their own.
    private static let deviceDefaults = """
        CREATE TABLE device_default (
            name TEXT PRIMARY KEY,            -- of a group; empty: the settings of the service, for all devices
            config TEXT NOT NULL              -- a JSON object
        ) WITHOUT ROWID;
        -- `policy`, `silent_after`, `keep_positions` and `quiet_hours` of a device are the values that apply to it, whatever their source.
        -- One exception: `keep_positions` is NULL if the value of the settings applies.
        ALTER TABLE device ADD COLUMN quiet_hours TEXT;   -- a JSON list; NULL: none
        ALTER TABLE device ADD COLUMN inherited TEXT;     -- a JSON object: the values that are not its own, with their sources; NULL:
                                                          -- none, or only a `silent_after` of 21,600, which nobody has set
        ALTER TABLE device_rules ADD COLUMN quiet_hours TEXT;
        """

    /// Brings the names that SQL compares into Unicode's normal form C; see `String.inNormalForm`. Of the devices whose ids differ in form
    /// only, the one in normal form keeps its id, and the others get their number behind it. A removed device leaves its id to one that
    /// reports. What names a renamed device by its exact bytes names it by its new id.
    private static let normalForm = """
        UPDATE device SET id = id || ' (' || key || ')'
        WHERE removed AND id IN (SELECT nfc(id) FROM device WHERE NOT removed AND id <> nfc(id));
        CREATE TEMP TABLE former AS SELECT key, id FROM device WHERE id <> nfc(id);
        UPDATE OR IGNORE device SET id = nfc(id) WHERE id <> nfc(id) AND NOT removed;
        UPDATE OR IGNORE device SET id = nfc(id) WHERE id <> nfc(id);
        UPDATE OR IGNORE device SET id = nfc(id) || ' (' || key || ')' WHERE id <> nfc(id);
        -- The new ids of renamed devices, until the file of the simulated phones has them as well.
        CREATE TABLE IF NOT EXISTS renamed_device (
            old TEXT PRIMARY KEY,
            new TEXT NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO renamed_device
            SELECT former.id, device.id FROM former JOIN device USING (key) WHERE device.id <> nfc(former.id);
        CREATE TEMP TABLE renamed AS SELECT old, new FROM renamed_device;
        -- Whether the names in the file of the simulated phones are still to be brought into this form.
        INSERT OR REPLACE INTO setting VALUES ('phones_to_rename', 1);
        UPDATE token SET device = (SELECT new FROM renamed WHERE old = device) WHERE device IN (SELECT old FROM renamed);
        UPDATE token
        SET devices = (SELECT json_group_array(coalesce((SELECT new FROM renamed WHERE old = value), value)) FROM json_each(devices))
        WHERE EXISTS (SELECT 1 FROM json_each(devices) WHERE value IN (SELECT old FROM renamed));
        UPDATE geofence
        SET devices = (SELECT json_group_array(coalesce((SELECT new FROM renamed WHERE old = value), value)) FROM json_each(devices))
        WHERE EXISTS (SELECT 1 FROM json_each(devices) WHERE value IN (SELECT old FROM renamed));
        UPDATE presence_rule
        SET config = json_set(config, '$.deviceId', (SELECT new FROM renamed WHERE old = json_extract(config, '$.deviceId')))
        WHERE json_extract(config, '$.deviceId') IN (SELECT old FROM renamed);
        UPDATE OR REPLACE refused_device
        SET device = (SELECT new FROM renamed WHERE old = device) WHERE device IN (SELECT old FROM renamed);
        UPDATE OR REPLACE refused_input
        SET device = (SELECT new FROM renamed WHERE old = device) WHERE device IN (SELECT old FROM renamed);
        UPDATE OR REPLACE problem
        SET source = (SELECT replace(source, '/' || old, '/' || new) FROM renamed
            WHERE source IN ('intake/' || old, 'registry/' || old))
        WHERE source IN (SELECT 'intake/' || old FROM renamed UNION ALL SELECT 'registry/' || old FROM renamed);
        UPDATE OR REPLACE sample_item SET id = (SELECT new FROM renamed WHERE old = id)
        WHERE kind = 'device' AND id IN (SELECT old FROM renamed);
        DROP TABLE renamed;
        DROP TABLE former;
        UPDATE device SET name = nfc(name) WHERE name <> nfc(name);
        UPDATE geofence SET name = nfc(name) WHERE name <> nfc(name);
        UPDATE device SET groups = nfc(groups) WHERE groups <> nfc(groups);
        UPDATE device_rules SET groups = nfc(groups) WHERE groups <> nfc(groups);
        UPDATE geofence SET devices = nfc(devices), groups = nfc(groups)
        WHERE devices <> nfc(devices) OR groups <> nfc(groups);
        UPDATE token SET device = nfc(device), devices = nfc(devices), groups = nfc(groups)
        WHERE device <> nfc(device) OR devices <> nfc(devices) OR groups <> nfc(groups);
        UPDATE presence_rule SET config = nfc(config) WHERE config <> nfc(config);
        UPDATE OR REPLACE refused_device SET device = nfc(device) WHERE device <> nfc(device);
        UPDATE OR REPLACE refused_input SET device = nfc(device) WHERE device <> nfc(device);
        UPDATE OR REPLACE problem SET source = nfc(source) WHERE source <> nfc(source);
        UPDATE OR REPLACE sample_item SET id = nfc(id) WHERE id <> nfc(id);
        """

    /// Journals of registrations that could not be read, the newest of each device.
    private static let damagedJournals = """
        CREATE TABLE damaged_registry_journal (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            set_aside_at INTEGER NOT NULL,
            journal TEXT NOT NULL             -- as it was stored
        );
        """

    /// Requests the replays of late fixes that earlier versions evaluated only on request, and remembers when devices were removed.
    private static let lateReplays = """
        -- The newest event when a device was removed. Later ones belong to a device that was added again with this id.
        CREATE TABLE IF NOT EXISTS device_removal (
            device INTEGER NOT NULL REFERENCES device (key),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (device, sequence)
        ) WITHOUT ROWID;
        INSERT OR IGNORE INTO device_removal SELECT key, replay_after FROM device WHERE replay_after > 0;
        UPDATE device SET replay_from = late.since
        FROM (SELECT device AS key, min(time) AS since FROM fix WHERE late & 7 IN (1, 2, 3) GROUP BY device) late
        WHERE device.key = late.key AND NOT device.removed AND ifnull(device.replay_from, late.since + 1) > late.since;
        """

    /// The time of the newest fix of a stay.
    private static let stayTimes = """
        ALTER TABLE device_state ADD COLUMN stay_last INTEGER;
        UPDATE device_state SET stay_last = time;

        -- A replay does not reproduce decisions from before the doubt about a fix depended on the time since the last one. Late fixes that
        -- are older can be evaluated nevertheless (32: events were recorded by an earlier version).
        UPDATE device SET gaps = gaps | 32;
        """

    /// The zone of the times that a device sends without an offset from UTC.
    private static let inputTimeZones = """
        ALTER TABLE device ADD COLUMN input_time_zone TEXT;   -- a name in the IANA database; NULL: UTC
        """

    /// An index of the geofences by name, because an import recognizes geofences without ids by their names.
    private static let geofenceNames = """
        CREATE INDEX geofence_name ON geofence (name) WHERE to_revision IS NULL;
        """

    /// When the system of an app said that it watches none of the app's regions any more.
    private static let regionLosses = """
        ALTER TABLE registry_report ADD COLUMN lost_at INTEGER;
        -- Whether the app has got the operations that register the regions again.
        ALTER TABLE registry_report ADD COLUMN is_loss_answered INTEGER NOT NULL DEFAULT 0;
        """

    /// The geofences of an import that are not saved yet.
    private static let stagedGeofences = """
        CREATE TABLE staged_geofence (
            number INTEGER PRIMARY KEY,       -- the position in the import
            geofence TEXT NOT NULL,           -- JSON
            is_new_name INTEGER NOT NULL      -- 1: refused if another geofence has its id
        );
        """

    /// The messages that sinks retain at brokers.
    private static let retainedTopics = """
        -- A broker, and the settings of a sink that name the topics there.
        CREATE TABLE retained_place (
            key INTEGER PRIMARY KEY,
            sink TEXT NOT NULL,               -- it may be removed
            broker TEXT NOT NULL,             -- the URL without the sign-in
            topics TEXT NOT NULL,             -- the template of the topics, or the prefix and the base of an announcement
            url TEXT NOT NULL,                -- with the sign-in
            unwanted_since INTEGER,           -- NULL: the sink has these settings
            UNIQUE (sink, broker, topics)
        );
        CREATE TABLE retained_topic (
            place INTEGER NOT NULL REFERENCES retained_place (key) ON DELETE CASCADE,
            topic TEXT NOT NULL,
            device TEXT,                      -- the id of the device; NULL: of no device, or of an erased one, or announced
            unwanted INTEGER NOT NULL DEFAULT 0,    -- 1: to be removed from the broker although the place is wanted
            PRIMARY KEY (place, topic)
        ) WITHOUT ROWID;
        CREATE INDEX retained_topic_topic ON retained_topic (topic);
        CREATE INDEX retained_topic_unwanted ON retained_topic (place) WHERE unwanted = 1;
        CREATE INDEX retained_topic_device ON retained_topic (device) WHERE device IS NOT NULL;
        """
}
