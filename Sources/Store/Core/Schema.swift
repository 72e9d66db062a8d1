import SQLite

/// The tables of the store.
///
/// Times are in milliseconds since 1970, lengths in meters, angles in degrees. From the first release on, a step is never changed: a new
/// version of the schema is a further step, which leads from the version before, and all steps are kept.
enum Schema {
    static let migrations = Migrations([
        [
            settings, geofences, devices, positions, inputs, events, registrations, access, sinks, retainedTopics, problems,
            samples,
        ]
        .joined(separator: "\n"),
        lastUses,
        labels,
        geocoderAnswers,
    ])

    private static let settings = """
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value NOT NULL
        ) WITHOUT ROWID;

        INSERT INTO setting VALUES
            ('fence_revision', 0),
            ('fixes_ordered', 0),             -- all fixes up to this number are in `fix_order`
            ('events_indexed', 0),            -- the newest event in the indexes of events
            ('states_saved', 0),              -- all inputs up to this number are in the states of their devices
            ('mqtt_client', 'picket' || lower(hex(randomblob(5)))),
            ('alarm_secret', lower(hex(randomblob(16))));   -- the secret of the store; see `PicketStore.storeSecret`

        -- The ranges of contiguous event numbers (`StoreEpochs`). The newest is the current one.
        CREATE TABLE generation (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            parent TEXT REFERENCES generation (id),
            branch INTEGER NOT NULL,
            start INTEGER NOT NULL,
            began_at INTEGER                  -- NULL: unknown
        );
        INSERT INTO generation (id, branch, start) VALUES (lower(hex(randomblob(8))), 0, 0);

        -- Preferences for the dashboard.
        CREATE TABLE preference (
            token TEXT PRIMARY KEY,           -- the id of a token; empty: requests without a token
            preferences TEXT NOT NULL         -- JSON
        ) WITHOUT ROWID;
        """

    /// Old versions of a geofence are kept, because a fix and an event name the revision by which they were evaluated.
    private static let geofences = """
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
        -- An import recognizes geofences without ids by their names.
        CREATE INDEX geofence_name ON geofence (name) WHERE to_revision IS NULL;
        -- The geofences that name devices, for the erasure of a device.
        CREATE INDEX geofence_devices ON geofence (key, from_revision) WHERE devices IS NOT NULL;

        -- The geofences of an import that are not saved yet.
        CREATE TABLE staged_geofence (
            number INTEGER PRIMARY KEY,       -- the position in the import
            geofence TEXT NOT NULL,           -- JSON
            is_new_name INTEGER NOT NULL      -- 1: refused if another geofence has its id
        );
        """

    /// Devices, their groups and their states.
    private static let devices = """
        -- `policy`, `silent_after`, `keep_positions` and `quiet_hours` of a device are the values that apply to it, whatever their source.
        -- One exception: `keep_positions` is NULL if the value of the settings applies.
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
            removed INTEGER NOT NULL DEFAULT 0,
            keep_positions REAL,              -- seconds; NULL: as long as the store does
            gaps INTEGER NOT NULL DEFAULT 0,  -- flags; why a replay may differ (ReplayGaps)
            replay_after INTEGER NOT NULL DEFAULT 0,   -- events up to this one belong to a removed device of this id
            replay_from INTEGER,              -- the time of the earliest late fix that waits for a replay; NULL: none
            ids_after INTEGER NOT NULL DEFAULT 0,      -- the newest event when an earlier device of this id was erased; it is part of
                                              -- the ids of the device's events
            quiet_hours TEXT,                 -- a JSON list; NULL: none
            inherited TEXT,                   -- a JSON object: the values that are not its own, with their sources; NULL: none, or only
                                              -- a `silent_after` of 21,600, which nobody has set
            input_time_zone TEXT              -- of times without an offset from UTC, a name in the IANA database; NULL: UTC
        );
        CREATE INDEX device_auto_repair ON device (id) WHERE auto_repair = 1;
        CREATE INDEX device_replay ON device (replay_from) WHERE replay_from IS NOT NULL;

        -- Values for devices without values of their own.
        CREATE TABLE device_default (
            name TEXT PRIMARY KEY,            -- of a group; empty: the settings of the service, for all devices
            config TEXT NOT NULL              -- a JSON object
        ) WITHOUT ROWID;

        -- The newest event when a device was removed. Later ones belong to a device that was added again with this id.
        CREATE TABLE device_removal (
            device INTEGER NOT NULL REFERENCES device (key),
            sequence INTEGER NOT NULL,
            PRIMARY KEY (device, sequence)
        ) WITHOUT ROWID;

        -- The state of a device in the engine, which can be stored later than the positions that led to it.
        CREATE TABLE device_state (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            time INTEGER NOT NULL,            -- of the newest fix
            latitude REAL NOT NULL, longitude REAL NOT NULL,
            accuracy REAL, altitude REAL, speed REAL, course REAL, battery REAL,
            deadline INTEGER,                 -- the next one
            heard_at INTEGER,                 -- the newest sign of life; NULL: the newest fix
            reached INTEGER,                  -- deadlines before this time have fired; NULL: none
            is_silent INTEGER,
            lag REAL,                         -- seconds by which its time is behind the clock; NULL: none
            -- A possible outlier, which counts only when the next fix confirms it.
            suspect_time INTEGER, suspect_latitude REAL, suspect_longitude REAL, suspect_accuracy REAL,
            -- The place where a device stays, or may begin to stay.
            stay_latitude REAL, stay_longitude REAL, stay_variance REAL, stay_since INTEGER, stay_degree REAL, stay_settled INTEGER,
            suspect_altitude REAL, suspect_speed REAL, suspect_course REAL, suspect_battery REAL,
            reported_at INTEGER,              -- of the phone's latest own report that changed something
            applied INTEGER NOT NULL DEFAULT 0,   -- the number of the newest input in the state; later ones are evaluated again after a
                                              -- crash
            stay_last INTEGER                 -- the time of the newest fix of the stay
        );

        -- The geofences that a device is inside of, or about to enter or exit.
        CREATE TABLE presence (
            device INTEGER NOT NULL REFERENCES device (key),
            geofence INTEGER NOT NULL,
            phase INTEGER NOT NULL,
            entered_at INTEGER, enter_cause TEXT, has_dwelt INTEGER,
            pending_count INTEGER, pending_time INTEGER, pending_latitude REAL, pending_longitude REAL, pending_accuracy REAL,
            pending_crossed_at INTEGER,
            pending_left_at INTEGER,          -- during a pass through a geofence: the time of the exit
            -- During an enter: the fix before it.
            before_time INTEGER, before_latitude REAL, before_longitude REAL, before_accuracy REAL,
            PRIMARY KEY (device, geofence)
        ) WITHOUT ROWID;
        CREATE INDEX presence_geofence ON presence (geofence);
        CREATE INDEX presence_visit ON presence (entered_at) WHERE entered_at IS NOT NULL;

        CREATE TABLE checkpoint (
            device INTEGER NOT NULL REFERENCES device (key),
            time INTEGER NOT NULL,            -- of the newest fix in the state
            revision INTEGER NOT NULL,        -- of the fences
            sequence INTEGER NOT NULL,        -- later decisions are events after this one
            state TEXT NOT NULL,              -- JSON (StateText)
            next INTEGER NOT NULL DEFAULT 0,  -- the first entry of the input log that is not in the checkpoint
            PRIMARY KEY (device, time)
        ) WITHOUT ROWID;
        CREATE INDEX checkpoint_time ON checkpoint (time);
        """

    /// Fixes are appended in the order of their receipt, which is the fastest for a disk. The table `fix_order` orders them by device and
    /// time and is written later.
    private static let positions = """
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
            attributes TEXT,                  -- JSON object
            lag INTEGER                       -- seconds by which it was behind the clock when it arrived; NULL: at most a minute
        );
        CREATE TABLE fix_order (
            device INTEGER NOT NULL,
            time INTEGER NOT NULL,
            number INTEGER NOT NULL,
            PRIMARY KEY (device, time, number)
        ) WITHOUT ROWID;

        -- Spans of time in which a device was seen by positions that were removed, or never kept. A span begins and ends at the time of
        -- a position, and the positions in it were no further apart than the device's silent_after. Those of one device are disjoint.
        CREATE TABLE seen_span (
            device INTEGER NOT NULL REFERENCES device (key),
            begins INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            PRIMARY KEY (device, begins)
        ) WITHOUT ROWID;

        -- Messages of phones other than positions.
        CREATE TABLE evidence (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device (key),
            at INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            body TEXT NOT NULL                -- JSON, as the device sent it
        );
        CREATE INDEX evidence_device ON evidence (device, at);
        """

    /// The input log: the inputs of the engine. `fix`, `input` and `fence_revision` share one sequence of numbers.
    private static let inputs = """
        -- Entries of the input log other than fixes and changes of geofences.
        CREATE TABLE input (
            number INTEGER PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device (key),
            kind INTEGER NOT NULL,            -- 1: the device's rules changed; 2: a deadline fired; 3: a sign of life; 4: the phone's report;
                                              -- 5: a geofence as it was then holds for earlier fixes of the device
            at INTEGER,                       -- in the device's time: the end of the passed time, or the time of the entry
            geofence INTEGER, is_inside INTEGER,
            after INTEGER                     -- of the kind 5: it holds for the fixes after this one, whose time is `at`; NULL: for all
        );
        CREATE INDEX input_device ON input (device, number);
        CREATE INDEX input_backdating ON input (device, number) WHERE kind = 5;

        CREATE TABLE fence_revision (
            revision INTEGER PRIMARY KEY,
            number INTEGER NOT NULL           -- of the entry in the input log
        );
        CREATE INDEX fence_revision_number ON fence_revision (number);

        -- The rules of a device before each change. The current rules are in `device`.
        CREATE TABLE device_rules (
            change INTEGER PRIMARY KEY,       -- ascending
            device INTEGER NOT NULL REFERENCES device (key),
            number INTEGER NOT NULL,          -- of the newest fix in the store at the change
            sequence INTEGER NOT NULL,        -- of the newest event at the change
            groups TEXT, policy TEXT, silent_after REAL NOT NULL, quiet_hours TEXT
        );
        CREATE INDEX device_rules_device ON device_rules (device, change);
        """

    /// Events have no foreign key to their device, because with one, the erasure of a device would read all events.
    private static let events = """
        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            device INTEGER NOT NULL,
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
        CREATE UNIQUE INDEX event_retracts ON event (retracts) WHERE retracts IS NOT NULL;
        CREATE INDEX event_alarm ON event (sequence) WHERE type = 'alarm';

        -- Indexes of events that are written later than the events. An index of SQLite itself would be written with each event.
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

    /// The regions that phones watch: journals, repairs, the history of health, and what apps report.
    private static let registrations = """
        CREATE TABLE registry_journal (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            journal TEXT NOT NULL             -- JSON
        );
        -- Journals that could not be read, the newest of each device.
        CREATE TABLE damaged_registry_journal (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            set_aside_at INTEGER NOT NULL,
            journal TEXT NOT NULL             -- as it was stored
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

        -- The last report of an app about its regions.
        CREATE TABLE registry_report (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            received_at INTEGER NOT NULL,
            report TEXT NOT NULL,             -- JSON
            lost_at INTEGER,                  -- when the app's system said that it watches none of the app's regions any more
            is_loss_answered INTEGER NOT NULL DEFAULT 0   -- whether the app has got the operations that register the regions again
        );

        -- The number that identifies a region in an OwnTracks app on Android. A number is never used twice.
        CREATE TABLE waypoint_number (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            region TEXT NOT NULL UNIQUE
        );
        -- The waypoints to send to an OwnTracks app after its list was cleared, until the app has them.
        CREATE TABLE waypoint_list (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            list TEXT NOT NULL                -- JSON
        );
        CREATE TABLE owntracks_key (
            device INTEGER PRIMARY KEY REFERENCES device (key),
            key TEXT NOT NULL                 -- the secret key, as in the app's settings
        );
        """

    private static let access = """
        CREATE TABLE token (
            id TEXT PRIMARY KEY,              -- a public id, not the secret
            name TEXT NOT NULL,
            role TEXT NOT NULL,
            device TEXT,                      -- the only device that it may report for
            hash TEXT NOT NULL UNIQUE,        -- SHA-256 of the secret, in hexadecimal
            made_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER,               -- NULL: not revoked; revoked tokens are kept as a record of access
            devices TEXT, groups TEXT         -- JSON lists; NULL: not restricted, or to `device` alone
        ) WITHOUT ROWID;

        -- Devices that report without a token and that a person has hidden.
        CREATE TABLE refused_device (
            device TEXT PRIMARY KEY,          -- the name in the input, known or not
            refused_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        """

    private static let lastUses = """
        ALTER TABLE token ADD COLUMN last_used_at INTEGER;
        ALTER TABLE token ADD COLUMN last_device TEXT;   -- the device for which it last reported
        """

    /// Labels of geofences, and rules that are about several geofences.
    private static let labels = """
        ALTER TABLE geofence ADD COLUMN labels TEXT;      -- a JSON list; NULL: empty
        CREATE INDEX geofence_labels ON geofence (key) WHERE to_revision IS NULL AND labels IS NOT NULL;

        -- The devices and geofences for which a rule holds now.
        CREATE TABLE presence_rule_target (
            rule INTEGER NOT NULL REFERENCES presence_rule (key) ON DELETE CASCADE,
            device INTEGER NOT NULL REFERENCES device (key),
            geofence INTEGER NOT NULL,
            since INTEGER NOT NULL,           -- the rule is evaluated from this time on
            evaluated_to INTEGER NOT NULL,    -- the rule has been evaluated up to this time
            PRIMARY KEY (rule, device, geofence)
        ) WITHOUT ROWID;
        CREATE INDEX presence_rule_target_device ON presence_rule_target (device);
        INSERT INTO presence_rule_target
            SELECT t.rule, t.device, g.key, t.since, t.judged_to FROM presence_rule_device t
            JOIN presence_rule r ON r.key = t.rule
            JOIN geofence g ON g.id = json_extract(r.config, '$.geofenceId') AND g.to_revision IS NULL;
        DROP TABLE presence_rule_device;
        """

    private static let geocoderAnswers = """
        -- What a geocoder has answered, so that it is not asked again.
        CREATE TABLE geocoder_answer (
            question TEXT NOT NULL,           -- GeocoderQuestion.key
            language TEXT NOT NULL,
            answer TEXT NOT NULL,             -- JSON: an address, or a list of places; null or an empty list: nothing was found
            answered_at INTEGER NOT NULL,
            PRIMARY KEY (question, language)
        ) WITHOUT ROWID;
        CREATE INDEX geocoder_answer_time ON geocoder_answer (answered_at);

        -- It is not known which device was at the place of an answer. So none is kept when a device is erased.
        CREATE TRIGGER geocoder_answer_of_erased AFTER DELETE ON device BEGIN
            DELETE FROM geocoder_answer;
        END;
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
        """

    private static let problems = """
        -- The open problem of each source.
        CREATE TABLE problem (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source TEXT NOT NULL UNIQUE,
            code TEXT NOT NULL,
            words TEXT NOT NULL,              -- JSON: the problem in each language
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            failures INTEGER NOT NULL,        -- the number of consecutive failures
            dismissed_at INTEGER,
            dismissed_failures INTEGER        -- the number of failures when a person dismissed the problem
        );

        -- Counters of unusable input.
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

        -- What an erased device has left at brokers is removed.
        CREATE TRIGGER retained_topic_of_erased AFTER DELETE ON device BEGIN
            UPDATE retained_topic SET unwanted = 1, device = NULL WHERE device = OLD.id;
        END;
        """

    private static let samples = """
        -- The objects that were created by the sample data, so that exactly these can be removed.
        CREATE TABLE sample_item (
            kind TEXT NOT NULL,               -- geofence or device
            id TEXT NOT NULL,
            content TEXT NOT NULL,            -- JSON: the object as it was created
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        """
}
