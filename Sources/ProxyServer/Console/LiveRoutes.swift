import HTTPKit
import ImagePipeline
import ImagePlan

/// `GET /`: the *Live* page.
///
/// `notice=ID` shows the result of a form, `explain=PATH` how a request would be resolved.
struct LivePageRoute: AdminRoute {
    let reader: LiveReader
    let notices: Notices

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .later { [self] complete in
            // Rendering takes milliseconds, and reads the state of processes.
            let isTaken = reader.statistics.pipeline.submit { complete(.page(page(request).text)) }
            if !isTaken { complete(Response(Problem.diskQueueFull)) }
        }
    }

    private func page(_ request: AdminRequest) -> LivePage {
        let notice = request.parameter("notice").flatMap(notices.find)
        var page = LivePage(reading: reader.read(isFresh: notice != nil), canSignOut: request.hasSession)
        page.notice = notice
        if let path = request.parameter("explain"), !path.isEmpty {
            page.path = path
            page.explanation = explanation(of: path)
        }
        return page
    }

    private func explanation(of path: String) -> String {
        do throws(Problem) {
            let place = try ExplainedSite(path, named: nil, in: reader.statistics.live.loaded)
            var whole = try place.explainer(reader.statistics.time).explain(place.target)
            whole.target = ShownTarget.text(Array(path.utf8))
            return ShownTarget.withoutInternalHosts(whole.withoutDefaults.text)
        } catch {
            return error.detail
        }
    }
}

/// `GET /live`: what the *Live* page shows, as JSON, or once a second as server-sent events if the client accepts these.
struct LiveStreamRoute: AdminRoute {
    let reader: LiveReader
    let hub: EventHub

    func answer(_ request: AdminRequest) -> AdminAnswer {
        .later { [reader, hub] complete in
            // Rendering takes milliseconds, and reads the state of processes.
            let isTaken = reader.statistics.pipeline.submit {
                guard request.acceptsEvents else {
                    return complete(.admin(reader.document() + "\n", type: "application/json"))
                }
                complete(hub.subscribe(to: .live, while: request.isStillSignedIn) { reader.document() })
            }
            if !isTaken { complete(Response(Problem.diskQueueFull)) }
        }
    }
}
