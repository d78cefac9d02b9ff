import HTTPKit

/// `GET /metrics`: the statistics as Prometheus text.
struct MetricsRoute: AdminRoute {
    let reader: StatisticsReader

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .now(.admin(Exposition(StatisticsTable.all, of: reader.read()).text, type: Exposition.contentType))
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
