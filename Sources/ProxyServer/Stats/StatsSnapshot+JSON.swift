extension StatsSnapshot {
    /// The object that `GET /stats` answers; `hitRatio` is worked out for who only reads.
    var json: JSONValue {
        .object([
            .init("version", .string(version)), .init("uptime", .number(uptime)), .init("ready", .bool(ready)),
            .init("hitRatio", requests.hitRatio.map { .decimal(($0 * 10_000).rounded() / 10_000) } ?? .null),
            .init("requests", requests.json), .init("memory", memory.json),
            .init("raw", raw?.json ?? .null), .init("memoryPressure", memoryPressure.json), .init("disk", disk.json),
            .init("transfers", transfers.json), .init("workers", workers.json), .init("connections", connections.json),
            .init(
                "flights",
                .numbers([("variants", flights.variants), ("originals", flights.originals)])
            ),
            .init("coders", coders?.json ?? .null),
        ])
    }
}

extension JSONValue {
    /// An object of whole numbers.
    fileprivate static func numbers(_ members: [(String, Int)]) -> JSONValue {
        .object(members.map { .init($0.0, .number($0.1)) })
    }

    /// An object of counts in the order of their names.
    fileprivate static func counts(_ counts: [String: Int]) -> JSONValue {
        numbers(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// An object with further members behind its own.
    fileprivate func with(_ more: [Member]) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members + more)
    }
}

extension StatsSnapshot.Requests {
    fileprivate var json: JSONValue {
        JSONValue.numbers([("total", total), ("inFlight", inFlight), ("bytes", bytes)])
            .with([.init("results", .counts(results)), .init("statuses", .counts(statuses))])
    }
}

extension StatsSnapshot.Tier {
    fileprivate var json: JSONValue {
        .numbers([
            ("entries", entries), ("bytes", bytes), ("quota", quota), ("hits", hits), ("misses", misses),
            ("evictions", evictions),
        ])
    }
}

extension StatsSnapshot.MemoryPressure {
    fileprivate var json: JSONValue {
        JSONValue.numbers([("allowed", allowed), ("steps", steps)])
            .with([
                .init("stalled", stalled.map(JSONValue.decimal) ?? .null),
                .init("groupUsed", groupUsed.map(JSONValue.number) ?? .null),
                .init("groupLimit", groupLimit.map(JSONValue.number) ?? .null),
            ])
    }
}

extension StatsSnapshot.Disk {
    fileprivate var json: JSONValue {
        JSONValue.object([
            .init("health", .string(health)), .init("originals", originals.json), .init("variants", variants.json),
        ]).with([
            .init("stores", .number(stores)), .init("drops", .number(drops)),
            .init("originalDrops", .number(originalDrops)), .init("variantDrops", .number(variantDrops)),
            .init("errors", .number(errors)),
            .init("queuedWrites", .number(queuedWrites)), .init("queuedBytes", .number(queuedBytes)),
        ])
    }
}

extension StatsSnapshot.Transfers {
    fileprivate var json: JSONValue {
        JSONValue.numbers([
            ("requests", requests), ("bytes", bytes), ("active", active), ("waiting", waiting),
            ("newConnections", newConnections), ("reusedConnections", reusedConnections),
        ]).with([.init("outcomes", .counts(outcomes))])
    }
}

extension StatsSnapshot.Workers {
    fileprivate var json: JSONValue {
        .numbers([
            ("slots", slots), ("ready", ready), ("busy", busy), ("queued", queued), ("jobs", jobs), ("starts", starts),
            ("restarts", restarts), ("retirements", retirements), ("deadly", deadly), ("timeouts", timeouts),
            ("retries", retries), ("residentBytes", residentBytes),
        ])
    }
}

extension StatsSnapshot.Connections {
    fileprivate var json: JSONValue {
        .numbers([
            ("open", open), ("limit", limit), ("accepted", accepted), ("turnedAway", turnedAway),
            ("timedOut", timedOut),
        ])
    }
}
