private typealias Parameter = AdminOperation.Parameter
private typealias Member = AdminOperation.Member

extension LivePageRoute {
    var operation: AdminOperation {
        .page(
            "The Live page: what the server is doing, and forms to purge, warm and switch sources.",
            parameters: [
                Parameter(name: "notice", summary: "The id of the result of a form."),
                Parameter(name: "explain", summary: "The path of a request that is explained."),
            ],
            errors: [503]
        )
    }
}

extension LiveStreamRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "What the Live page shows; once a second if Accept names text/event-stream.",
            answers: [
                .init(
                    summary: "Numbers to draw, and fragments of the page.",
                    types: ["application/json", "text/event-stream"],
                    members: [
                        Member(name: "now", kind: .integer, summary: "Milliseconds.", isRequired: true),
                        Member(name: "requests", kind: .object, isRequired: true),
                        Member(name: "bytes", kind: .integer, isRequired: true),
                        Member(name: "lanes", kind: .array, isRequired: true),
                        Member(name: "html", kind: .object, isRequired: true),
                    ]
                )
            ],
            errors: [503],
            isOfPages: true
        )
    }
}

extension FormRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "A form of the Live page. \(route.operation.summary)",
            content: .init(type: "application/x-www-form-urlencoded", summary: "The fields of the form."),
            answers: [
                .init(
                    summary: "The result, if Accept names application/json.",
                    members: [
                        Member(name: "text", kind: .string, isRequired: true),
                        Member(name: "error", kind: .boolean, isRequired: true),
                        Member(name: "job", kind: .integer, summary: "The number of a warm job."),
                    ]
                ),
                .init(status: 303, summary: "The Live page shows the result.", types: []),
            ],
            isOfPages: true
        )
    }
}
