/// The tables of the queue, as the ordered steps that lead to them.
///
/// A step is never changed once a release has it; a new one is added behind it. Step n leads from
/// `user_version` n to n + 1 and says so in its last line. Times are milliseconds since the epoch.
enum Schema {
    /// "Door" in ASCII: tells the file from other programs' databases.
    static let applicationID: Int64 = 0x446F_6F72

    static let steps: [StaticString] = [first, second, third, fourth, fifth, sixth]

    private static let first: StaticString = """
        PRAGMA application_id = 0x446F6F72;

        CREATE TABLE installation (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            secret BLOB NOT NULL
        ) STRICT;

        CREATE TABLE accounts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            user TEXT NOT NULL UNIQUE,
            notify_push INTEGER NOT NULL DEFAULT 1
        ) STRICT;

        -- The UIDVALIDITY first seen for each folder.
        CREATE TABLE folders (
            account INTEGER NOT NULL REFERENCES accounts (id),
            folder TEXT NOT NULL,
            uid_validity INTEGER NOT NULL,
            PRIMARY KEY (account, folder)
        ) STRICT, WITHOUT ROWID;

        -- The ways by which devices are reached, each kept from the first registration on.
        CREATE TABLE lanes (
            id INTEGER PRIMARY KEY,
            environment TEXT NOT NULL,
            topic TEXT NOT NULL,
            UNIQUE (environment, topic)
        ) STRICT;

        CREATE TABLE devices (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES accounts (id),
            channel TEXT NOT NULL,
            token BLOB NOT NULL,
            topic TEXT NOT NULL,
            environment TEXT NOT NULL,
            platform TEXT NOT NULL,
            label TEXT NOT NULL,
            app_version TEXT,
            locale TEXT,
            account_reference TEXT,
            enabled_folders TEXT NOT NULL,  -- one a line
            created_at INTEGER NOT NULL,
            registered_at INTEGER NOT NULL,
            last_seen_at INTEGER,
            last_failure TEXT,
            suspect_since INTEGER,
            removed_at INTEGER,             -- from here on a tombstone: the token is cut
            removed_reason TEXT
        ) STRICT;
        CREATE UNIQUE INDEX devices_live ON devices (channel, topic, token, account) WHERE removed_at IS NULL;
        CREATE INDEX devices_by_account ON devices (account) WHERE removed_at IS NULL;

        CREATE TABLE notices (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            owner_uid INTEGER NOT NULL,
            spool_name BLOB NOT NULL,
            user TEXT NOT NULL,
            folder TEXT NOT NULL,
            uid INTEGER NOT NULL,
            uid_validity INTEGER,
            uid_hint INTEGER,
            filed TEXT,
            message_id TEXT NOT NULL,
            at INTEGER NOT NULL,
            inserted_at INTEGER NOT NULL,
            decided_at INTEGER,             -- fanned out, or ended here with a reason
            end TEXT,
            reason TEXT,
            UNIQUE (owner_uid, spool_name)
        ) STRICT;
        CREATE INDEX notices_waiting ON notices (id) WHERE decided_at IS NULL;
        CREATE INDEX notices_decided ON notices (decided_at) WHERE decided_at IS NOT NULL;

        CREATE TABLE deliveries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            notice INTEGER NOT NULL REFERENCES notices (id),
            device INTEGER NOT NULL REFERENCES devices (id),
            lane INTEGER NOT NULL REFERENCES lanes (id),  -- the device's, as long as it is open
            apns_id TEXT NOT NULL,
            collapse_id TEXT,
            expiration INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            next_attempt_at INTEGER NOT NULL,
            ended_at INTEGER,
            end TEXT,
            reason TEXT,                    -- of the end, or of the last deferral
            UNIQUE (notice, device)
        ) STRICT;
        -- The lane first, so that what waits on one costs the others nothing. The last two ride along so that
        -- the index answers alone, without the rows.
        CREATE INDEX deliveries_due ON deliveries (lane, next_attempt_at, id, expiration, ended_at)
            WHERE ended_at IS NULL;
        CREATE INDEX deliveries_by_device ON deliveries (device);

        -- How many wakes ended how, since the queue was made: the rows themselves are pruned.
        CREATE TABLE ends (
            end TEXT NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (end, reason)
        ) STRICT, WITHOUT ROWID;

        PRAGMA user_version = 1;
        """

    /// What is remembered of a device's troubles, and what a delivery gave way to.
    private static let second: StaticString = """
        ALTER TABLE installation ADD COLUMN swept_at INTEGER;

        ALTER TABLE devices ADD COLUMN last_failed_at INTEGER;
        ALTER TABLE devices ADD COLUMN suspect_under TEXT;         -- the way by which the doubt arose
        ALTER TABLE devices ADD COLUMN strikes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN disabled_at INTEGER;
        ALTER TABLE devices ADD COLUMN throttled_until INTEGER;
        ALTER TABLE devices ADD COLUMN throttles INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN token_hash BLOB;            -- a tombstone's, keyed
        UPDATE devices SET last_failed_at = suspect_since;
        CREATE INDEX devices_suspect ON devices (suspect_under)
            WHERE suspect_since IS NOT NULL AND removed_at IS NULL;
        CREATE INDEX devices_throttled ON devices (throttled_until) WHERE throttled_until IS NOT NULL;

        ALTER TABLE deliveries ADD COLUMN superseded_by INTEGER;   -- a delivery, which may be pruned before
        -- The notice's, once more: so that the newest of one device and folder is found by an index.
        ALTER TABLE deliveries ADD COLUMN folder TEXT NOT NULL DEFAULT '';
        UPDATE deliveries SET folder = (SELECT folder FROM notices WHERE notices.id = notice);
        DROP INDEX deliveries_by_device;
        CREATE INDEX deliveries_by_device ON deliveries (device, folder);
        -- First tries and others apart, so that neither is looked for among the other. The last three ride along
        -- so that the index answers alone, without the rows.
        DROP INDEX deliveries_due;
        CREATE INDEX deliveries_due
            ON deliveries (lane, attempts > 0, next_attempt_at, id, attempts, expiration, ended_at)
            WHERE ended_at IS NULL;

        PRAGMA user_version = 2;
        """

    /// What dispatch had in hand when it died.
    private static let third: StaticString = """
        ALTER TABLE installation ADD COLUMN dispatching INTEGER NOT NULL DEFAULT 0;  -- 1 until it ends as it should

        -- After a death: what has been taken in hand since, and what was in hand then.
        CREATE TABLE watched (
            delivery INTEGER PRIMARY KEY,   -- which may have ended and be pruned
            in_hand INTEGER NOT NULL,
            deaths INTEGER NOT NULL
        ) STRICT;

        PRAGMA user_version = 3;
        """

    /// Device tokens that the file alone doesn't tell; those that are there are sealed by the first who has the key.
    private static let fourth: StaticString = """
        ALTER TABLE installation ADD COLUMN key_check BLOB;                     -- tells the key from others
        ALTER TABLE installation ADD COLUMN wiping INTEGER NOT NULL DEFAULT 0;  -- 1 while traces of plain ones may be left

        -- Of a sealed one `token` holds the first bytes, by which a person knows it, and `token_hash` is what it is
        -- looked up by; both stay with the tombstone.
        ALTER TABLE devices ADD COLUMN sealed_token BLOB;
        DROP INDEX devices_live;
        CREATE UNIQUE INDEX devices_live ON devices (channel, topic, token_hash, account) WHERE removed_at IS NULL;

        PRAGMA user_version = 4;
        """

    /// What one account has in the queue, so that it is counted without the others'.
    private static let fifth: StaticString = """
        -- The last column rides along in two of them, so that the index answers alone, without the rows.
        DROP INDEX notices_waiting;
        CREATE INDEX notices_waiting ON notices (user, decided_at) WHERE decided_at IS NULL;
        CREATE INDEX notices_decided_by_user ON notices (user, decided_at) WHERE decided_at IS NOT NULL;
        CREATE INDEX deliveries_open ON deliveries (device, ended_at) WHERE ended_at IS NULL;

        PRAGMA user_version = 5;
        """

    /// How a mail's place is known.
    private static let sixth: StaticString = """
        ALTER TABLE notices ADD COLUMN uid_source TEXT;  -- or why the uid isn't; NULL where nobody looked

        PRAGMA user_version = 6;
        """
}
