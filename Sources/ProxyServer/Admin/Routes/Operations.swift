/// What the routes take and answer, for `GET /openapi.json`.
private typealias Parameter = AdminOperation.Parameter
private typealias Member = AdminOperation.Member

extension AdminOperation.Parameter {
    fileprivate static let path = Self(
        name: "path",
        summary: "The percent-encoded path and query of a request.",
        isRequired: true
    )
    fileprivate static let accept = Self(name: "accept", summary: "The client's Accept field.")
    fileprivate static let site = Self(name: "site", summary: "A site; by default that of the path's prefix.")
    fileprivate static let header = Self(name: "header", summary: "A field of the client, as \"Name: value\".")
}

extension HealthRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Tells that the process responds.",
            answers: [.init(summary: "It does.", types: ["text/plain"])]
        )
    }
}

extension ReadinessRoute {
    var operation: AdminOperation {
        let members = [
            Member(name: "ready", kind: .boolean, isRequired: true), Member(name: "disk", kind: .string),
            Member(name: "workers", kind: .string), Member(name: "sandbox", kind: .object),
        ]
        return AdminOperation(
            summary: "Tells whether the daemon accepts traffic.",
            answers: [
                .init(summary: "It does.", members: members),
                .init(status: 503, summary: "It is starting or draining, or no worker can start.", members: members),
            ]
        )
    }
}

extension MetricsRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The statistics as Prometheus text.",
            answers: [.init(summary: "Text format, version 0.0.4.", types: ["text/plain"])]
        )
    }
}

extension StatsRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The statistics, and what the coders can read and write.",
            answers: [
                .init(
                    summary: "Numbers since the start of the daemon.",
                    members: [
                        Member(name: "version", kind: .string, isRequired: true),
                        Member(name: "uptime", kind: .integer, summary: "Seconds.", isRequired: true),
                        Member(name: "requests", kind: .object), Member(name: "memory", kind: .object),
                        Member(name: "disk", kind: .object), Member(name: "transfers", kind: .object),
                        Member(name: "workers", kind: .object), Member(name: "connections", kind: .object),
                    ]
                )
            ]
        )
    }
}

extension ExplainRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Shows how a request is resolved, without fetching anything.",
            parameters: [
                .path, .accept, .header, .site,
                Parameter(name: "format", summary: "The form of the explanation.", words: ["json", "text"]),
                Parameter(name: "all", summary: "1 includes defaults.", words: ["0", "1"]),
            ],
            answers: [
                .init(
                    summary: "The explanation; for a request that would be refused, its member problem has the error.",
                    types: ["application/json", "text/plain"]
                )
            ],
            errors: [400, 404, 421]
        )
    }
}

extension KeyRoute {
    var operation: AdminOperation {
        var url = Parameter.path
        url.name = "url"
        return AdminOperation(
            summary: "The cache key of a request.",
            parameters: [url, .accept, .header, .site],
            answers: [
                .init(
                    summary: "Hexadecimal SHA-256 digests.",
                    members: [
                        Member(name: "key", kind: .string, isRequired: true),
                        Member(name: "original", kind: .string, isRequired: true),
                    ]
                )
            ],
            errors: [400, 404, 421]
        )
    }
}

extension PurgeRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Purges what exactly one of the members selects, and responds when it is gone.",
            content: .init(
                members: [
                    Member(name: "url", kind: .string, summary: "The path of a request, or the URL of an original."),
                    Member(name: "prefix", kind: .string, summary: "The beginning of paths or URLs."),
                    Member(name: "source", kind: .string, summary: "The name of a source, or fetch."),
                    Member(name: "tag", kind: .string, alternative: .array, summary: "A tag of originals, or several."),
                    Member(name: "preset", kind: .string, summary: "The name of a preset; selects variants only."),
                    Member(
                        name: "older-than",
                        kind: .string,
                        alternative: .integer,
                        summary: "The time since the last validation: seconds, or a text such as 30d."
                    ),
                    Member(name: "expired", kind: .boolean, summary: "Stale originals."),
                    Member(name: "all", kind: .boolean, summary: "Everything."),
                    Member(name: "site", kind: .string, summary: "Only of this site."),
                    Member(name: "tier", kind: .string, summary: "Only memory or only disk."),
                    Member(name: "soft", kind: .boolean, summary: "Mark as stale instead of removing."),
                    Member(name: "dry", kind: .boolean, summary: "Only count."),
                ],
                summary: "What is purged, and how."
            ),
            answers: [
                .init(
                    summary:
                        "What was purged; with pending, the rest is hidden, and removed once the disk works again.",
                    members: ["originals", "variants", "bytes", "memory"].map { Member(name: $0, kind: .integer) }
                )
            ],
            errors: [400, 404, 503]
        )
    }
}

extension HasRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Tells which tiers hold a variant and its original.",
            parameters: [.path, .accept, .site],
            answers: [
                .init(
                    summary: "The copies.",
                    members: [
                        Member(name: "path", kind: .string, isRequired: true),
                        Member(name: "cached", kind: .boolean, isRequired: true),
                        Member(name: "variants", kind: .array, isRequired: true),
                        Member(name: "original", kind: .object, isRequired: true),
                    ]
                )
            ],
            errors: [400, 404, 503]
        )
    }
}

extension EntryRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The stored bytes of a variant, with its fields.",
            parameters: [.path, .accept, .site],
            answers: [.init(summary: "The bytes.", types: ["image/*"])],
            errors: [400, 404, 503]
        )
    }
}

extension PutOriginalRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary:
                "Stores an original as if its origin had just sent it, with Cache-Control, ETag and Last-Modified.",
            parameters: [.path, .site],
            content: .init(type: "application/octet-stream", summary: "The bytes of the image."),
            answers: [
                .init(status: 201, summary: "It is stored on disk.", types: []),
                .init(status: 204, summary: "It has replaced another one.", types: []),
            ],
            errors: [400, 404, 413, 415, 422, 503]
        )
    }
}
