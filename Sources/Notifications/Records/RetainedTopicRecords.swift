import Delivery
import Model
import SQLite
import Store

/// The topics at which sinks have retained messages, so that those that are no longer wanted are removed from brokers, even after
/// an outage or a restart.
extension PicketStore {
    /// A topic at which a sink retains a message.
    struct RetainedTopic: Hashable, Sendable {
        var topic: String
        /// The id of the device whose state it is; nil for a message of an announcement.
        var device: String?

        init(_ topic: String, device: String? = nil) {
            self.topic = topic
            self.device = device
        }
    }

    /// A place from which messages have to be removed.
    struct UnwantedPlace: Sendable {
        var key: Int64
        /// The id of the sink, which may be removed.
        var sink: String
        var place: RetainedPlace
        /// Since when the whole place is unwanted; nil if only some of its topics are.
        var since: Instant?
    }

    /// Records where a sink retains messages from now on, and that its other places are unwanted.
    ///
    /// - Parameter place: Nil if the sink is removed, or retains nothing.
    func setRetainedPlace(
        _ place: RetainedPlace?, ofSink id: String, at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            """
            UPDATE retained_place SET url = iif(broker = ?2, ?4, url),
            unwanted_since = iif(broker = ?2 AND topics = ?3, NULL, ifnull(unwanted_since, ?5)) WHERE sink = ?1
            """, id, StoredValue.text(place?.broker ?? ""), StoredValue.text(place?.topics ?? ""),
            StoredValue.text(place?.url ?? ""), now.milliseconds, in: transaction)
    }

    /// Records topics at which a sink retains messages, or will in a moment.
    ///
    /// - Parameter place: The place, which the sink may no longer want if its settings have changed since.
    func addRetained(
        _ topics: some Sequence<RetainedTopic>, at place: RetainedPlace, ofSink id: String, areWanted: Bool = true,
        at now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        let isCurrent = try sink(id: id)?.sink.retainedPlace?.isSame(as: place) ?? false
        let unwantedSince = isCurrent ? nil : now.milliseconds
        try attempt { () throws(SQLiteError) in
            let key =
                try statement(
                    """
                    INSERT INTO retained_place (sink, broker, topics, url, unwanted_since) VALUES (?,?,?,?,?)
                    ON CONFLICT (sink, broker, topics) DO UPDATE SET sink = excluded.sink RETURNING key
                    """, id, StoredValue.text(place.broker), StoredValue.text(place.topics), StoredValue.text(place.url),
                    unwantedSince, in: transaction
                ).values(Int64.self).first ?? 0
            let row = try statement(
                """
                INSERT INTO retained_topic (place, topic, device, unwanted) VALUES (?,?,?,?)
                ON CONFLICT (place, topic) DO UPDATE SET device = excluded.device, unwanted = excluded.unwanted
                WHERE device IS NOT excluded.device OR unwanted <> excluded.unwanted
                """, in: transaction)
            let device = try statement("SELECT 1 FROM device WHERE id = ?")
            for topic in topics {
                var isErased = false
                if let id = topic.device {
                    device.bind(1, id)
                    // The device may have been erased while the message was sent.
                    isErased = try !device.hasRow()
                }
                try row.run(key, StoredValue.text(topic.topic), isErased ? nil : topic.device, isErased || !areWanted)
            }
        }
    }

    /// The recorded topics of a sink at its place that are wanted.
    func retainedTopics(ofSink id: String, at place: RetainedPlace) throws(Problem) -> Set<String> {
        Set(
            try values(
                """
                SELECT topic FROM retained_topic WHERE NOT unwanted
                AND place = (SELECT key FROM retained_place WHERE sink = ? AND broker = ? AND topics = ?)
                """, id, StoredValue.text(place.broker), StoredValue.text(place.topics), as: String.self))
    }

    /// The places with messages to remove.
    func unwantedPlaces() throws(Problem) -> [UnwantedPlace] {
        try rows(
            """
            SELECT key, sink, broker, topics, url, unwanted_since FROM retained_place p WHERE unwanted_since IS NOT NULL
            OR EXISTS (SELECT 1 FROM retained_topic t WHERE t.place = p.key AND t.unwanted = 1)
            """, as: Int64.self, String.self, String.self, String.self, String.self, Instant?.self
        ).map { key, sink, broker, topics, url, since in
            UnwantedPlace(key: key, sink: sink, place: .init(url: url, broker: broker, topics: topics), since: since)
        }
    }

    /// Topics whose messages have to be removed from a place: configurations before the states that they name, so that no entity gets an
    /// empty state, and availability last.
    ///
    /// - Returns: Each topic, and whether another sink retains a wanted message there.
    func unwantedTopics(
        of place: UnwantedPlace, limit: Int
    ) throws(Problem) -> [(topic: String, isWantedByOther: Bool)] {
        try rows(
            """
            SELECT topic, EXISTS (
                SELECT 1 FROM retained_topic o JOIN retained_place p ON p.key = o.place WHERE o.topic = t.topic
                AND o.place <> t.place AND NOT o.unwanted AND p.unwanted_since IS NULL AND p.broker = ?3)
            FROM retained_topic t WHERE place = ?1 AND (unwanted = 1 OR ?4)
            ORDER BY CASE WHEN topic LIKE '%/config' THEN 0 WHEN topic LIKE '%/status' THEN 2 ELSE 1 END, topic LIMIT ?2
            """, place.key, limit, StoredValue.text(place.place.broker), place.since != nil, as: String.self, Bool.self
        ).map { (topic: $0, isWantedByOther: $1) }
    }

    /// Removes the records of topics that are still unwanted, and of their place if nothing is left of it.
    func removeUnwanted(_ topics: [String], of place: Int64, in transaction: borrowing Transaction) throws(Problem) {
        for topic in topics {
            try execute(
                """
                DELETE FROM retained_topic WHERE place = ?1 AND topic = ?2
                AND (unwanted OR (SELECT unwanted_since FROM retained_place WHERE key = ?1) IS NOT NULL)
                """, place, StoredValue.text(topic), in: transaction)
        }
        try execute(
            """
            DELETE FROM retained_place WHERE key = ?1 AND unwanted_since IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM retained_topic WHERE place = ?1)
            """, place, in: transaction)
    }

    /// Removes the records of a place whose messages cannot be removed from the broker.
    func forgetRetainedPlace(_ key: Int64, in transaction: borrowing Transaction) throws(Problem) {
        try execute("DELETE FROM retained_place WHERE key = ?", key, in: transaction)
    }
}
