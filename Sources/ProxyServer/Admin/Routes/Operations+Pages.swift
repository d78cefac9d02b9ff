private typealias Parameter = AdminOperation.Parameter
private typealias Member = AdminOperation.Member

extension AdminOperation {
    /// A page for browsers.
    static func page(_ summary: String, parameters: [AdminOperation.Parameter] = [], errors: [Int] = []) -> Self {
        AdminOperation(
            summary: summary,
            parameters: parameters,
            answers: [.init(summary: "The page.", types: ["text/html"])],
            errors: errors,
            isOfPages: true
        )
    }
}

extension AssetRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "A file of the web application.",
            rest: "{name}",
            parameters: name == nil ? [Parameter(name: "name", summary: "The file's name.", isRequired: true)] : [],
            answers: [
                .init(summary: "The file.", types: ["text/css", "text/javascript", "image/svg+xml"]),
                .init(status: 304, summary: "The client has it already.", types: []),
            ],
            errors: [404],
            isOfPages: true
        )
    }
}

extension OverlayRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The script that marks images of a page which are larger than shown, or not negotiated.",
            answers: [
                .init(summary: "The script.", types: ["text/javascript"]),
                .init(status: 304, summary: "The client has it already.", types: []),
            ],
            isOfPages: true
        )
    }
}

extension SignInRoute {
    var operation: AdminOperation {
        var operation = AdminOperation.page("The page that asks for the token.")
        operation.answers.append(.init(status: 303, summary: "No token is needed, or there is a session.", types: []))
        return operation
    }
}

extension StartSessionRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Starts a session, whose cookie has the rights of the token.",
            content: .init(
                type: "application/x-www-form-urlencoded",
                members: [
                    Member(name: "token", kind: .string, isRequired: true),
                    Member(name: "next", kind: .string, summary: "The path of the page that follows."),
                ],
                summary: "The form of GET /login."
            ),
            answers: [
                .init(status: 303, summary: "The session has started.", types: []),
                .init(status: 401, summary: "The token is wrong.", types: ["text/html"]),
                .init(status: 403, summary: "The form is not of this server.", types: ["text/html"]),
            ],
            isOfPages: true
        )
    }
}

extension EndSessionRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Ends all sessions.",
            answers: [.init(status: 303, summary: "They are over.", types: [])],
            isOfPages: true
        )
    }
}

extension PlaygroundPageRoute {
    var operation: AdminOperation { .page("The page on which operators try plans.") }
}

extension PlaygroundSetupRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "What the playground needs of the configuration; no secrets.",
            answers: [
                .init(
                    summary: "Names of sources and presets, limits, and the Accept fields of widespread clients.",
                    members: [
                        Member(name: "sources", kind: .array, isRequired: true),
                        Member(name: "presets", kind: .array, isRequired: true),
                        Member(name: "signing", kind: .boolean, isRequired: true),
                        Member(name: "required", kind: .boolean, isRequired: true),
                        Member(name: "pictures", kind: .integer, isRequired: true),
                        Member(name: "bytes", kind: .integer, isRequired: true), Member(name: "port", kind: .integer),
                        Member(name: "clients", kind: .array, isRequired: true),
                    ]
                )
            ],
            isOfPages: true
        )
    }
}

extension AddPictureRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Keeps an image for ten minutes, in memory.",
            content: .init(type: "application/octet-stream", summary: "The bytes of the image."),
            answers: [
                .init(
                    status: 201,
                    summary: "The image is kept.",
                    members: [
                        Member(name: "id", kind: .string, isRequired: true),
                        Member(name: "format", kind: .string, isRequired: true),
                        Member(name: "bytes", kind: .integer, isRequired: true),
                        Member(name: "width", kind: .integer, isRequired: true),
                        Member(name: "height", kind: .integer, isRequired: true),
                        Member(name: "seconds", kind: .integer, summary: "Its lifetime.", isRequired: true),
                    ]
                )
            ],
            errors: [400, 413, 415, 422, 503],
            isOfPages: true
        )
    }
}

extension RemovePictureRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Removes an image that was kept for the playground.",
            rest: "{id}",
            parameters: [Parameter(name: "id", summary: "The id of the image.", isRequired: true)],
            answers: [.init(status: 204, summary: "It is removed.", types: [])],
            errors: [404],
            isOfPages: true
        )
    }
}

extension PlaygroundImageRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "An image as the public listener would make it, without signature; it is not stored.",
            parameters: [
                Parameter(name: "path", summary: "The percent-encoded path and query of a request."),
                Parameter(name: "picture", summary: "The id of an image that was sent here, in place of path."),
                Parameter(name: "query", summary: "The percent-encoded query for picture."),
                Parameter(name: "accept", summary: "The client's Accept field."),
            ],
            answers: [.init(summary: "The image.", types: ["image/*"])],
            errors: [400, 404, 413, 415, 422, 502, 503, 504],
            isOfPages: true
        )
    }
}

extension PlaygroundSignRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "Signs the path and query of a request with the first key of its site.",
            content: .init(
                members: [
                    Member(name: "path", kind: .string, summary: "The path and query.", isRequired: true),
                    Member(name: "seconds", kind: .integer, summary: "How long the signature is valid."),
                ],
                summary: "The request, and its lifetime."
            ),
            answers: [
                .init(
                    summary: "The signed request.",
                    members: [Member(name: "path", kind: .string, isRequired: true)]
                )
            ],
            errors: [400, 404, 409],
            isOfPages: true
        )
    }
}

extension LanguageRoute {
    var operation: AdminOperation {
        AdminOperation(
            summary: "The parameters of requests, with their ranges and choices.",
            answers: [
                .init(
                    summary: "Each parameter with its form.",
                    members: [
                        Member(name: "steps", kind: .array, isRequired: true),
                        Member(name: "attributes", kind: .array, isRequired: true),
                        Member(name: "settings", kind: .array, isRequired: true),
                        Member(name: "maximumSteps", kind: .integer, isRequired: true),
                    ]
                )
            ]
        )
    }
}
