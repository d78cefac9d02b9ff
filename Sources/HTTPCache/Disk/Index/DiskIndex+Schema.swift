extension DiskIndex {
    /// The migrations; migration n takes a database from version n to n + 1.
    ///
    /// A released migration is never edited.
    ///
    /// `used` orders by recency and only grows, even if the wall clock goes back; `accessed_at` is for ages and operators.
    static let migrations: [SQLiteMigration] = [
        """
        CREATE TABLE origins (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            source TEXT NOT NULL,
            url TEXT NOT NULL,
            digest BLOB NOT NULL,
            length INTEGER NOT NULL,
            format INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            frames INTEGER NOT NULL,
            orientation INTEGER NOT NULL,
            has_alpha INTEGER,
            entity_tag TEXT,
            last_modified TEXT,
            cache_control TEXT,
            response_time INTEGER NOT NULL,
            initial_age INTEGER NOT NULL,
            lifetime INTEGER NOT NULL,
            advertised_lifetime INTEGER NOT NULL,
            has_body INTEGER NOT NULL,
            used INTEGER NOT NULL,
            accessed_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX origins_by_use ON origins (used, length) WHERE has_body = 1;
        CREATE TABLE variants (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            origin INTEGER NOT NULL,
            origin_digest BLOB NOT NULL,
            plan TEXT NOT NULL,
            format INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            frames INTEGER NOT NULL,
            length INTEGER NOT NULL,
            digest BLOB NOT NULL,
            used INTEGER NOT NULL,
            accessed_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX variants_by_use ON variants (used, length);
        CREATE INDEX variants_by_origin ON variants (origin);
        CREATE TABLE totals (
            class INTEGER PRIMARY KEY,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT;
        INSERT INTO totals VALUES (0, 0, 0), (1, 0, 0);
        """,
        // The size of the trailer that ends a content file; version 1 had none. An empty index may replace a lost one: until
        // `rebuilding` is empty, files without rows are adopted, not deleted.
        """
        ALTER TABLE origins ADD COLUMN trailer INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE variants ADD COLUMN trailer INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE rebuilding (id INTEGER PRIMARY KEY) STRICT;
        INSERT INTO rebuilding SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM origins);
        CREATE TABLE removed (
            kind INTEGER NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (kind, value)
        ) STRICT, WITHOUT ROWID;
        """,
        // The tags that purges select by. A trigger deletes an origin's tags with its row.
        """
        ALTER TABLE origins ADD COLUMN tags TEXT NOT NULL DEFAULT '';
        ALTER TABLE variants ADD COLUMN presets TEXT NOT NULL DEFAULT '';
        CREATE INDEX origins_by_place ON origins (source, url);
        CREATE TABLE tags (
            tag TEXT NOT NULL,
            origin INTEGER NOT NULL,
            PRIMARY KEY (tag, origin)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tags_by_origin ON tags (origin);
        CREATE TRIGGER origins_lose_tags AFTER DELETE ON origins BEGIN
            DELETE FROM tags WHERE origin = OLD.id;
        END;
        """,
        // Cache-Control for clients, if the origin also sent CDN-Cache-Control.
        "ALTER TABLE origins ADD COLUMN client_cache_control TEXT;",
        // Failures that survive a restart. Numbers are never reused, so the oldest rows have the lowest.
        """
        CREATE TABLE failures (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key BLOB NOT NULL UNIQUE,
            origin BLOB NOT NULL,
            source TEXT NOT NULL,
            identity TEXT NOT NULL,
            url TEXT NOT NULL,
            plan TEXT,
            kind TEXT NOT NULL,
            error TEXT NOT NULL,
            payload TEXT NOT NULL,
            failures INTEGER NOT NULL,
            until INTEGER NOT NULL,
            has_stored INTEGER NOT NULL
        ) STRICT;
        """,
        // 0 is an original, 1 the responses of a raw source's URL.
        "ALTER TABLE origins ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;",
        // The indexes for purges by age and by preset. A row for a body in the seed is kept although it has no body here.
        """
        ALTER TABLE origins ADD COLUMN for_seed INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX origins_by_confirmation ON origins (response_time);
        CREATE INDEX variants_by_plan ON variants (plan, presets);
        """,
        // A preview for pages to show while the image loads; NULL until computed.
        "ALTER TABLE origins ADD COLUMN placeholder TEXT;",
        // Whether a variant is WebP that is served until the AVIF is made.
        "ALTER TABLE variants ADD COLUMN stand_in INTEGER NOT NULL DEFAULT 0;",
        // The auxiliary images of variants: by number, and as keys and digests, which remain when the original's row is deleted.
        // An original's row is deleted with the last variant that needs it.
        """
        ALTER TABLE variants ADD COLUMN ingredients BLOB;
        CREATE TABLE ingredients (
            variant INTEGER NOT NULL,
            origin INTEGER NOT NULL,
            digest BLOB NOT NULL,
            PRIMARY KEY (variant, origin)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ingredients_by_origin ON ingredients (origin);
        CREATE TRIGGER variants_lose_ingredients AFTER DELETE ON variants BEGIN
            DELETE FROM ingredients WHERE variant = OLD.id;
        END;
        CREATE TRIGGER origins_lose_ingredients AFTER DELETE ON origins BEGIN
            DELETE FROM ingredients WHERE origin = OLD.id;
        END;
        CREATE TRIGGER ingredients_lose_origins AFTER DELETE ON ingredients BEGIN
            DELETE FROM origins WHERE id = OLD.origin AND has_body = 0 AND for_seed = 0
            AND NOT EXISTS (SELECT 1 FROM variants WHERE origin = OLD.origin)
            AND NOT EXISTS (SELECT 1 FROM ingredients WHERE origin = OLD.origin);
        END;
        """,
        // Each record as one value, with columns only for what queries use.
        .code(moveRecords),
        // Mezzanines were rows of their own among the originals: an entity tag of 64 hexadecimal digits without quotes, the digest
        // of the body that they were made from, marked them. They are made again, as variants. The tags are those of the entity
        // tag's field line, and of the field that layouts before 11 wrote.
        """
        DELETE FROM origins WHERE EXISTS (
            SELECT 1 FROM (
                SELECT substr(record, instr(record, x'001800000045455461673A') + 11, 64) AS value
                WHERE instr(record, x'001800000045455461673A') > 0
                UNION ALL SELECT substr(record, instr(record, x'000C00000040') + 6, 64)
                WHERE instr(record, x'000C00000040') > 0
            ) WHERE length(value) = 64 AND CAST(value AS TEXT) NOT GLOB '*[^0-9a-f]*'
        ) AND NOT EXISTS (SELECT 1 FROM variants WHERE origin = origins.id);
        UPDATE totals SET entries = (SELECT count(*) FROM origins WHERE has_body = 1),
            bytes = (SELECT coalesce(sum(length), 0) FROM origins WHERE has_body = 1) WHERE class = 0;
        """,
        // What a variant's request comes to with its original, and rows whose file is another name of another row's file.
        """
        ALTER TABLE origins ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE variants ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE variants ADD COLUMN resolved BLOB;
        CREATE INDEX origins_by_digest ON origins (digest) WHERE has_body = 1;
        CREATE INDEX variants_by_digest ON variants (digest);
        CREATE INDEX origins_by_link ON origins (digest, length) WHERE linked = 1;
        CREATE INDEX variants_by_link ON variants (digest, length) WHERE linked = 1;
        CREATE INDEX variants_by_resolved ON variants (resolved) WHERE resolved IS NOT NULL;
        """,
        // The namespace of each entry's source, for quotas; existing entries have none. Eviction takes the oldest of a namespace.
        """
        ALTER TABLE origins ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
        ALTER TABLE variants ADD COLUMN namespace TEXT NOT NULL DEFAULT '';
        DROP INDEX origins_by_use;
        DROP INDEX variants_by_use;
        CREATE INDEX origins_by_use ON origins (namespace, used, length) WHERE has_body = 1;
        CREATE INDEX variants_by_use ON variants (namespace, used, length);
        CREATE TABLE namespace_totals (
            namespace TEXT NOT NULL,
            class INTEGER NOT NULL,
            entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (namespace, class)
        ) STRICT, WITHOUT ROWID;
        """,
        // In a cluster: how far the log of purges has been carried out, and what of it was known when originals were requested.
        """
        ALTER TABLE origins ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE origins ADD COLUMN era INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE purge_position (
            id INTEGER PRIMARY KEY,
            sequence INTEGER NOT NULL,
            mark TEXT NOT NULL,
            era INTEGER NOT NULL
        ) STRICT;
        """,
    ]
}
