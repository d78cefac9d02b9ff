import HTTPKit

/// `GET /stats`: the statistics and the supported formats, as JSON.
struct StatsRoute: AdminRoute {
    let reader: StatsReader

    let survey: CoderSurvey

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .later { complete in
            survey.whenKnown { found in
                var snapshot = reader.snapshot()
                snapshot.coders = found.map { StatsSnapshot.Coders($0) }
                complete(.admin(snapshot.json))
            }
        }
    }
}
