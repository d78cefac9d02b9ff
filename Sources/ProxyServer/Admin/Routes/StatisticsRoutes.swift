import HTTPKit

/// `GET /metrics`: the statistics as Prometheus text.
struct MetricsRoute: AdminRoute {
    let reader: StatisticsReader
    let survey: CoderSurvey

    /// Seconds after the start in which no worker is asked for its coders, since requests need the processors.
    private static let calm = 15

    func answer(_ request: AdminRequest) -> AdminAnswer {
        let reading = reader.read(coders: survey.known.map { CoderList($0) })
        // A scrape does not wait for a worker: it has the version of libvips from the next one on.
        if reading.coders == nil, reading.uptime >= Self.calm { survey.tryOnce() }
        return .now(.admin(Exposition(StatisticsTable.all, of: reading).text, type: Exposition.contentType))
    }
}

/// `GET /stats`: the statistics, and what the coders can read and write, as JSON.
struct StatsRoute: AdminRoute {
    let reader: StatisticsReader
    let survey: CoderSurvey

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .later { complete in
            survey.whenKnown { found in
                complete(.admin(JSONValue(StatisticsTable.all, of: reader.read(coders: found.map { CoderList($0) }))))
            }
        }
    }
}
