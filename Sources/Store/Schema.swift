import SQLite

/// The tables of the store, as the migration steps that created them.
///
/// Times are in milliseconds since 1970, lengths in meters, angles in degrees.
enum Schema {
    static let migrations = Migrations([
        first, registrations, service, replay, stays, refusals, seenSpans, generations, ownTracks, sinks, alarms, waypoints,
        rules, preferences, eventTimes, enrollment, writeBehind,
        eventIndexes, inputLog, erasing, backdatings,
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
            to_revision INTEGER,              -- the first revision that it is no more part of; NULL: still is
            id TEXT NOT NULL,
            name TEXT NOT NULL,
            latitude REAL, longitude REAL, radius REAL,   -- a circle
            geometry TEXT,                    -- else GeoJSON
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

        -- What the engine knows of a device: its newest fix, and when something happens without one.
        CREATE TABLE device_state (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            time INTEGER NOT NULL,
            latitude REAL NOT NULL, longitude REAL NOT NULL,
            accuracy REAL, altitude REAL, speed REAL, course REAL, battery REAL,
            deadline INTEGER
        );

        -- The fences that a device is not simply outside of.
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
            late INTEGER,                     -- 1: older than the device's newest when it came; 2: than a deadline alone; not judged
                                              -- then; 4 is added when a replay has judged it; 8: its device says that it is not
                                              -- valid, and it is never judged
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
            is_healthy INTEGER,               -- NULL: nobody knew
            summary TEXT NOT NULL
        );
        CREATE INDEX health_device ON health (device, number);
        """

    /// Tokens, messages of phones other than positions, signs of life, and events without a geofence.
    private static let service = """
        CREATE TABLE token (
            id TEXT PRIMARY KEY,              -- to speak of it; no secret
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            device TEXT,                      -- the only device that it may report for
            hash TEXT NOT NULL UNIQUE,        -- SHA-256 of the secret, in hexadecimal
            made_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER                -- a revoked one stays on record, so that who had access can be told
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
        ALTER TABLE device ADD COLUMN gaps INTEGER NOT NULL DEFAULT 0;   -- why a replay may differ (ReplayGaps)
        ALTER TABLE device ADD COLUMN replay_after INTEGER NOT NULL DEFAULT 0;  -- events up to here are of a life that is over
        UPDATE device SET gaps = 4;          -- nobody kept a note of it before
        ALTER TABLE device_state ADD COLUMN heard_at INTEGER;  -- the newest sign of life; NULL: the newest fix
        ALTER TABLE device_state ADD COLUMN reached INTEGER;   -- deadlines before this moment have fired; NULL: none has
        ALTER TABLE device_state ADD COLUMN is_silent INTEGER;
        ALTER TABLE device_state ADD COLUMN lag REAL;            -- seconds that its own time is behind the clock; NULL: none

        CREATE TABLE new_event (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            device INTEGER NOT NULL REFERENCES device (key),
            geofence INTEGER,                 -- NULL: about the device alone
            revision INTEGER NOT NULL,
            occurred_at INTEGER NOT NULL,
            recorded_at INTEGER NOT NULL,
            confirmed_at INTEGER NOT NULL,
            crossed_at INTEGER,
            cause TEXT NOT NULL,
            inferred INTEGER NOT NULL,
            fix_time INTEGER NOT NULL, fix_latitude REAL NOT NULL, fix_longitude REAL NOT NULL, fix_accuracy REAL,
            entered_at INTEGER,               -- of silent and returned: the last sign of life before the silence
            enter_cause TEXT,
            retracts TEXT
        );
        INSERT INTO new_event SELECT * FROM event;
        DROP TABLE event;
        ALTER TABLE new_event RENAME TO event;
        CREATE UNIQUE INDEX event_id ON event (id);
        CREATE INDEX event_device ON event (device, sequence);
        CREATE INDEX event_geofence ON event (geofence, sequence);
        -- Visits by their enter: those that ended, and those that are open.
        CREATE INDEX event_visit ON event (entered_at) WHERE type = 'exit';
        CREATE INDEX presence_visit ON presence (entered_at) WHERE entered_at IS NOT NULL;

        -- What an app of one's own last said of its regions.
        CREATE TABLE registry_report (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            received_at INTEGER NOT NULL,
            report TEXT NOT NULL              -- JSON
        );

        -- Problems that stand until they are resolved or dismissed: the newest of each source.
        CREATE TABLE problem (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source TEXT NOT NULL UNIQUE,
            code TEXT NOT NULL,
            words TEXT NOT NULL,              -- JSON: what people are shown, by language
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            failures INTEGER NOT NULL,        -- one after the other, without a success between
            dismissed_at INTEGER
        );
        """

    /// Records for replays of late fixes: checkpoints, earlier rules, and pending replays.
    private static let replay = """
        CREATE TABLE checkpoint (
            device INTEGER NOT NULL REFERENCES device (key),
            time INTEGER NOT NULL,            -- of the newest fix that is in it
            revision INTEGER NOT NULL,        -- of the fences
            sequence INTEGER NOT NULL,        -- what was decided after it is on record after this event
            state TEXT NOT NULL,              -- JSON (StateText)
            PRIMARY KEY (device, time)
        ) WITHOUT ROWID;
        CREATE INDEX checkpoint_time ON checkpoint (time);

        -- What a device was judged by up to a change of it; what holds now is in `device`.
        CREATE TABLE device_rules (
            change INTEGER PRIMARY KEY,       -- grows
            device INTEGER NOT NULL REFERENCES device (key),
            until INTEGER NOT NULL,           -- the time of the device's newest fix at the change, believed or not
            number INTEGER NOT NULL,          -- of the newest fix in the store at the change
            revision INTEGER NOT NULL,        -- of the fences at the change
            sequence INTEGER NOT NULL,        -- of the newest event at the change
            groups TEXT, policy TEXT, silent_after REAL NOT NULL
        );
        CREATE INDEX device_rules_device ON device_rules (device, change);

        -- While a device passes through a fence: when it left. While it enters: the fix before.
        ALTER TABLE presence ADD COLUMN pending_left_at INTEGER;
        ALTER TABLE presence ADD COLUMN before_time INTEGER;
        ALTER TABLE presence ADD COLUMN before_latitude REAL;
        ALTER TABLE presence ADD COLUMN before_longitude REAL;
        ALTER TABLE presence ADD COLUMN before_accuracy REAL;
        -- A fix that is not believed until the next one agrees with it.
        ALTER TABLE device_state ADD COLUMN suspect_time INTEGER;
        ALTER TABLE device_state ADD COLUMN suspect_latitude REAL;
        ALTER TABLE device_state ADD COLUMN suspect_longitude REAL;
        ALTER TABLE device_state ADD COLUMN suspect_accuracy REAL;

        -- What was decided before jumps were rejected and ways through fences counted, a replay does not give again.
        UPDATE device SET gaps = gaps | 4;

        ALTER TABLE device ADD COLUMN replay_from INTEGER;   -- the earliest late fix that waits for a replay; NULL: none
        CREATE INDEX device_replay ON device (replay_from) WHERE replay_from IS NOT NULL;
        CREATE UNIQUE INDEX event_retracts ON event (retracts) WHERE retracts IS NOT NULL;
        """

    /// The places where devices stay.
    private static let stays = """
        -- The place where a device stays, or may be about to; see `Stay`.
        ALTER TABLE device_state ADD COLUMN stay_latitude REAL;
        ALTER TABLE device_state ADD COLUMN stay_longitude REAL;
        ALTER TABLE device_state ADD COLUMN stay_variance REAL;
        ALTER TABLE device_state ADD COLUMN stay_since INTEGER;
        ALTER TABLE device_state ADD COLUMN stay_degree REAL;
        ALTER TABLE device_state ADD COLUMN stay_settled INTEGER;
        -- What else a fix tells that is not believed yet.
        ALTER TABLE device_state ADD COLUMN suspect_altitude REAL;
        ALTER TABLE device_state ADD COLUMN suspect_speed REAL;
        ALTER TABLE device_state ADD COLUMN suspect_course REAL;
        ALTER TABLE device_state ADD COLUMN suspect_battery REAL;
        -- The moment of the latest report by the phone itself that told something new.
        ALTER TABLE device_state ADD COLUMN reported_at INTEGER;

        -- What was decided before stays were known, a replay does not give again.
        UPDATE device SET gaps = gaps | 4;
        """

    /// Counters of unusable input.
    private static let refusals = """
        CREATE TABLE refused_input (
            device TEXT NOT NULL,             -- as it names itself; it need not be known. Empty: nothing says which it is
            kind TEXT NOT NULL,               -- Refusal.Kind
            field TEXT NOT NULL,
            reason TEXT NOT NULL,             -- of the newest, in English
            count INTEGER NOT NULL,
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            PRIMARY KEY (device, kind, field)
        ) WITHOUT ROWID;
        -- How many failures there were when a person dismissed the problem.
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
        -- A device's exits by time: they part its spans, so that the last position before an exit stays known.
        CREATE INDEX event_exit ON event (device, occurred_at) WHERE type = 'exit';

        -- Before this moment, it is not known when the device was seen: positions were removed and no spans were kept. NULL: all is known.
        ALTER TABLE device ADD COLUMN seen_from INTEGER;
        UPDATE device SET seen_from = coalesce(
            (SELECT time + 1 FROM device_state WHERE device = device.key),
            (SELECT max(occurred_at) + 1 FROM event WHERE device = device.key AND type = 'exit'))
        WHERE gaps & 2 OR removed OR replay_after > 0;
        -- Positions are removed from the oldest on: from the first that is left, all is known.
        UPDATE device SET seen_from = kept.begins
        FROM (SELECT device, min(time) AS begins FROM fix GROUP BY device) kept
        WHERE kept.device = device.key AND kept.begins < seen_from;
        """

    /// Records that keep numbers and ids of events from being used twice.
    private static let generations = """
        -- The stretches in which events are numbered one after the other (`StoreGeneration`). The newest is the current one.
        CREATE TABLE generation (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            parent TEXT REFERENCES generation (id),
            branch INTEGER NOT NULL,
            start INTEGER NOT NULL,
            began_at INTEGER                  -- NULL: unknown
        );
        INSERT INTO generation (id, branch, start) VALUES (lower(hex(randomblob(8))), 0, 0);

        -- The newest event when a device was erased before this one was made. It is a part of the ids of the device's events.
        ALTER TABLE device ADD COLUMN ids_after INTEGER NOT NULL DEFAULT 0;
        """

    /// Records for messages of an MQTT broker: the encryption keys of devices, and the client identifier of this store.
    private static let ownTracks = """
        CREATE TABLE owntracks_key (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            key TEXT NOT NULL                 -- a secret, as it is in the app's settings
        );
        INSERT INTO setting VALUES ('mqtt_client', 'picket' || lower(hex(randomblob(5))));
        """

    /// The sinks of events and positions, and the delivery progress of each. The sent data itself is read from `event` and `fix`.
    private static let sinks = """
        CREATE TABLE sink (
            id TEXT PRIMARY KEY,
            config TEXT NOT NULL,             -- JSON, secrets and all
            paused_at INTEGER,                -- NULL: it is not paused
            paused_by TEXT,                   -- JSON: the problem that paused it; NULL: a person did
            cursor INTEGER NOT NULL,          -- everything up to this number is done: of `event`, or of `fix` for positions
            alarm_cursor INTEGER NOT NULL,    -- the same for alarms, which go ahead
            delivered INTEGER NOT NULL DEFAULT 0,
            delivered_at INTEGER              -- when the last was
        ) WITHOUT ROWID;

        -- The filter that events were or are judged by, from a number on. Kept, so that it is known what a sink was sent.
        CREATE TABLE sink_filter (
            sink TEXT NOT NULL REFERENCES sink (id) ON DELETE CASCADE,
            from_sequence INTEGER NOT NULL,
            filter TEXT,                      -- JSON with its time zone; NULL: nothing was sent
            PRIMARY KEY (sink, from_sequence)
        ) WITHOUT ROWID;

        -- Events that a sink refused for good.
        CREATE TABLE sink_parked (
            sink TEXT NOT NULL REFERENCES sink (id) ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            parked_at INTEGER NOT NULL,
            problem TEXT NOT NULL,            -- JSON: code and parameters
            resend INTEGER NOT NULL DEFAULT 0,    -- 1: to be sent again
            PRIMARY KEY (sink, sequence)
        ) WITHOUT ROWID;

        CREATE INDEX event_alarm ON event (sequence) WHERE type = 'alarm';
        """

    /// Alarms.
    private static let alarms = """
        CREATE TABLE alarm (
            sequence INTEGER PRIMARY KEY,     -- of its event
            device INTEGER NOT NULL REFERENCES device (key),
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,               -- as the device calls it
            inside TEXT NOT NULL,             -- JSON: a list of [id, name] of the geofences that it was in
            has_position INTEGER NOT NULL,    -- 0: the event's place is made up
            emergency_number TEXT NOT NULL,
            acknowledged_at INTEGER,          -- NULL: nobody has
            acknowledged_by TEXT              -- NULL: they do not say
        );
        CREATE UNIQUE INDEX alarm_device ON alarm (device, time, kind);
        CREATE INDEX alarm_open ON alarm (sequence) WHERE acknowledged_at IS NULL;
        -- By which the links of alarms are made.
        INSERT INTO setting VALUES ('alarm_secret', lower(hex(randomblob(16))));
        """

    /// Records for the waypoints of OwnTracks apps.
    private static let waypoints = """
        -- The number by which an app on Android knows a region. It is never given twice.
        CREATE TABLE waypoint_number (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            region TEXT NOT NULL UNIQUE
        );
        -- The waypoints that an app is to have when its list has been cleared, until it has them.
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

        -- The devices that a rule holds for now.
        CREATE TABLE presence_rule_device (
            rule INTEGER NOT NULL REFERENCES presence_rule (key) ON DELETE CASCADE,
            device INTEGER NOT NULL REFERENCES device (key),
            since INTEGER NOT NULL,           -- nothing before it is judged
            judged_to INTEGER NOT NULL,       -- all that was due by then is judged
            PRIMARY KEY (rule, device)
        ) WITHOUT ROWID;
        CREATE INDEX presence_rule_device_device ON presence_rule_device (device);

        -- What a missed event is about, and the retraction of one.
        CREATE TABLE event_rule (
            sequence INTEGER PRIMARY KEY,     -- of the event
            device INTEGER NOT NULL REFERENCES device (key),
            rule INTEGER NOT NULL,            -- its key; the rule may be gone
            occurred_at INTEGER NOT NULL,
            config TEXT NOT NULL,             -- JSON: the rule as it was
            has_position INTEGER NOT NULL     -- 0: the event's place is made up
        );
        CREATE INDEX event_rule_device ON event_rule (device, rule, occurred_at);
        """

    /// Preferences for the dashboard.
    private static let preferences = """
        CREATE TABLE preference (
            token TEXT PRIMARY KEY,           -- a token's id; empty: whoever shows none
            preferences TEXT NOT NULL         -- JSON
        ) WITHOUT ROWID;
        """

    /// An index of events by time, for lists that begin with the newest.
    private static let eventTimes = """
        CREATE INDEX event_time ON event (occurred_at);
        """

    /// Refused devices, and the items that the sample data created.
    private static let enrollment = """
        -- Devices that report without a token, and that a person does not want to see.
        CREATE TABLE refused_device (
            device TEXT PRIMARY KEY,          -- as it names itself; it need not be known
            refused_at INTEGER NOT NULL
        ) WITHOUT ROWID;

        -- What the sample data made, so that it can be removed, and nothing else.
        CREATE TABLE sample_item (
            kind TEXT NOT NULL,               -- geofence or device
            id TEXT NOT NULL,
            content TEXT NOT NULL,            -- JSON, as it was made
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        """

    /// Columns with which the states of devices can be stored later than the positions that led to them.
    private static let writeBehind = """
        -- The newest fix that is in the state, by its number. Those after it are judged again after a crash.
        ALTER TABLE device_state ADD COLUMN applied INTEGER NOT NULL DEFAULT 0;
        -- Seconds that the fix was behind the clock when it came; NULL: a minute at most.
        ALTER TABLE fix ADD COLUMN lag INTEGER;
        -- Every fix up to this number is in the state of its device.
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
        -- Exits alone: visits by their enter, and when devices left geofences.
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
        -- All events up to this one are in the indexes.
        INSERT INTO setting SELECT 'events_indexed', ifnull(max(sequence), 0) FROM event;
        """

    /// The input log: the inputs of the engine apart from fixes.
    private static let inputLog = """
        -- Entries of the input log that are no fixes and no changes of the geofences. Fixes, these and `fence_revision` take their numbers
        -- from one sequence.
        CREATE TABLE input (
            number INTEGER NOT NULL,
            part INTEGER NOT NULL,            -- 0; of entries from before they had numbers: their order after the fix of that number
            device INTEGER NOT NULL REFERENCES device (key),
            kind INTEGER NOT NULL,            -- 1: other rules hold; 2: time has passed; 3: a sign of life; 4: the phone's own report
            at INTEGER,                       -- in the device's own time: up to then, or then
            geofence INTEGER, is_inside INTEGER,
            PRIMARY KEY (number, part)
        ) WITHOUT ROWID;
        CREATE INDEX input_device ON input (device, number, part);
        CREATE TABLE fence_revision (
            revision INTEGER PRIMARY KEY,
            number INTEGER NOT NULL,          -- of its entry in the input log
            part INTEGER NOT NULL
        );
        CREATE INDEX fence_revision_number ON fence_revision (number);

        -- What came before is put together from what is on record of it.
        INSERT INTO fix_order SELECT device, time, number FROM fix
        WHERE number > (SELECT value FROM setting WHERE name = 'fixes_ordered') ORDER BY device, time, number;
        UPDATE setting SET value = (SELECT ifnull(max(number), 0) FROM fix) WHERE name = 'fixes_ordered';
        CREATE TEMP TABLE earlier (number, revision, sequence, device, kind, at, geofence, is_inside);
        -- A revision came after all fixes that were judged by the ones before.
        CREATE TEMP TABLE judged (revision INTEGER PRIMARY KEY, number);
        INSERT INTO judged SELECT revision, max(number) FROM fix GROUP BY revision;
        CREATE TEMP TABLE begun (revision INTEGER PRIMARY KEY, number);
        INSERT INTO begun
        SELECT revision, ifnull((SELECT number FROM judged j WHERE j.revision < r.revision ORDER BY j.revision DESC LIMIT 1), 0)
        FROM (SELECT from_revision AS revision FROM geofence UNION SELECT to_revision FROM geofence WHERE to_revision IS NOT NULL) r;
        INSERT INTO earlier SELECT number, revision, -1, NULL, 0, NULL, NULL, NULL FROM begun;
        INSERT INTO earlier SELECT number, revision, sequence, device, 1, NULL, NULL, NULL FROM device_rules;
        -- A decision that was sure when no fix came was made by the clock or at a sign of life; a report says so itself.
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

        -- The first entry of the input log that is not in it.
        ALTER TABLE checkpoint ADD COLUMN next INTEGER NOT NULL DEFAULT 0;
        UPDATE checkpoint SET next = ifnull((
            SELECT o.number FROM fix_order o CROSS JOIN fix f USING (number)
            WHERE o.device = checkpoint.device AND o.time > checkpoint.time AND f.late IS NULL ORDER BY o.time, o.number LIMIT 1),
            (SELECT ifnull(max(number), 0) + 1 FROM fix));
        -- Of signs of life that made no event, nothing is on record.
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

    /// A kind of input by which a geofence holds for earlier positions of a device.
    private static let backdatings = """
        -- Of an entry of the kind 5, by which the geofence as it was then holds for the device's earlier fixes: after which fix; NULL: for all.
        -- Its `at` is the time of that fix.
        ALTER TABLE input ADD COLUMN after INTEGER;
        CREATE INDEX input_backdating ON input (device, number) WHERE kind = 5;
        """
}
