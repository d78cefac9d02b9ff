private typealias Member = AdminOperation.Member

extension AdminOperation.Parameter {
    fileprivate static let job = Self(name: "id", summary: "The number of a job.", isRequired: true)
}

extension AdminOperation.Member {
    /// The progress of a warm job.
    fileprivate static let progress = [
        Member(name: "id", kind: .integer, isRequired: true),
        Member(name: "state", kind: .string, summary: "running, done or cancelled.", isRequired: true),
        Member(name: "total", kind: .integer, isRequired: true), Member(name: "done", kind: .integer, isRequired: true),
        Member(name: "skipped", kind: .integer, isRequired: true),
        Member(name: "failed", kind: .integer, isRequired: true), Member(name: "created", kind: .string),
        Member(name: "ended", kind: .string), Member(name: "failures", kind: .array),
    ]
}

extension WarmRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Starts a job that makes and stores each combination of URL, preset and format.",
            content: .init(
                members: [
                    Member(name: "urls", kind: .array, summary: "Paths of requests, or URLs.", isRequired: true),
                    Member(name: "presets", kind: .array, summary: "Names of presets."),
                    Member(name: "formats", kind: .array, summary: "Values of format."),
                    Member(name: "site", kind: .string, summary: "The site of the URLs."),
                ],
                summary: "The job."
            ),
            answers: [
                .init(
                    status: 202,
                    summary: "The job has started; Location is its address.",
                    members: [
                        Member(name: "id", kind: .integer, isRequired: true),
                        Member(name: "total", kind: .integer, isRequired: true),
                    ]
                )
            ],
            errors: [400, 404, 413, 503]
        )
    }
}

extension WarmListRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The warm jobs, the newest first.",
            answers: [.init(summary: "The jobs.", members: [Member(name: "jobs", kind: .array, isRequired: true)])]
        )
    }
}

extension WarmReportRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The progress of a warm job; as a stream of events if Accept names text/event-stream.",
            rest: "{id}",
            parameters: [.job],
            answers: [
                .init(
                    summary: "The progress.",
                    types: ["application/json", "text/event-stream"],
                    members: Member.progress
                )
            ],
            errors: [404, 503]
        )
    }
}

extension WarmCancelRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Cancels a warm job.",
            rest: "{id}",
            parameters: [.job],
            answers: [.init(summary: "The job as it is now.", members: Member.progress)],
            errors: [404]
        )
    }
}

extension NegativeRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The cached failures, those with the longest remaining lifetime first.",
            answers: [.init(summary: "Up to 1,000 of them.", members: Member.list)]
        )
    }
}

extension ForgetFailuresRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Removes cached failures and closes circuit breakers: all, or those of a URL or a source.",
            parameters: [
                .init(name: "url", summary: "The percent-encoded path of a request, or the URL of an original."),
                .init(name: "source", summary: "The name of a source."),
                .init(name: "site", summary: "Only of this site."),
            ],
            answers: [
                .init(summary: "Their number.", members: [Member(name: "forgotten", kind: .integer, isRequired: true)])
            ],
            errors: [400, 404]
        )
    }
}

extension EventsRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "What happens to transfers and tiers, as server-sent events.",
            answers: [.init(summary: "A stream without end.", types: ["text/event-stream"])],
            errors: [503]
        )
    }
}

extension InFlightRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The work in progress; once a second if Accept names text/event-stream.",
            answers: [
                .init(
                    summary: "Up to 1,000 entries of each kind.",
                    types: ["application/json", "text/event-stream"],
                    members: Member.list
                )
            ],
            errors: [503]
        )
    }
}

extension SourceSwitchRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Stops or restarts requests to a source's origin.",
            rest: "{name}/{action}",
            parameters: [
                .init(name: "name", summary: "The name of a source, SITE/NAME for one of a site.", isRequired: true),
                .init(
                    name: "action",
                    summary: "What happens to the source.",
                    isRequired: true,
                    words: ["suspend", "offline", "resume"]
                ),
            ],
            answers: [
                .init(
                    summary: "The source as it is now.",
                    members: [
                        Member(name: "source", kind: .string, isRequired: true),
                        Member(name: "suspended", kind: .boolean, isRequired: true),
                        Member(name: "offline", kind: .boolean, isRequired: true),
                    ]
                )
            ],
            errors: [404, 409]
        )
    }
}

extension AdminOperation.Member {
    /// A bounded list of entries.
    fileprivate static let list = [
        Member(name: "total", kind: .integer, isRequired: true),
        Member(name: "entries", kind: .array, isRequired: true),
    ]
}
