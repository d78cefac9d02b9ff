import HTTPKit

/// The OpenAPI 3.1 document of the admin listener, generated from its table of routes.
struct OpenAPIDocument {
    let json: JSONValue

    /// - Parameter routes: method, path and route, as in the table; `*` at a path's end is a prefix route.
    init(_ routes: [(HTTPMethod, String, any AdminRoute)]) {
        var paths: [JSONValue.Member] = []
        for (method, path, route) in routes {
            let operation = route.operation
            let full = path.hasSuffix("*") ? String(path.dropLast()) + operation.rest : path
            let member = JSONValue.Member("\(method)", Self.operation(operation, "\(method)", full, route))
            if let index = paths.firstIndex(where: { $0.name == full }), case .object(let others) = paths[index].value {
                paths[index].value = .object(others + [member])
            } else {
                paths.append(.init(full, .object([member])))
            }
        }
        json = .object([
            .init("openapi", .string("3.1.0")),
            .init(
                "info",
                .object([
                    .init("title", .string("Edgeprint admin API")), .init("version", .string(Version.text)),
                    .init(
                        "description",
                        .string(
                            "Health, statistics, purging, warming and inspection of a running daemon, on admin.listen. Errors are "
                                + "problem details (RFC 9457)."
                        )
                    ),
                ])
            ),
            .init("servers", .array([.object([.init("url", .string("/"))])])),
            .init("security", .array([.object([.init("token", .array([]))])])),
            .init("tags", .array([Self.tag])), .init("paths", .object(paths)), .init("components", Self.components),
        ])
    }

    private static let tag = JSONValue.object([
        .init("name", .string("pages")),
        .init(
            "description",
            .string("Pages, forms and files of the web application, which may change in any release.")
        ),
    ])

    private static func operation(
        _ operation: AdminOperation,
        _ method: String,
        _ path: String,
        _ route: any AdminRoute
    ) -> JSONValue {
        let words = path.split { !$0.isLetter }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        var members: [JSONValue.Member] = [
            .init("operationId", .string(method + words)), .init("summary", .string(operation.summary)),
        ]
        if operation.isOfPages { members.append(.init("tags", .array([tag["name"] ?? .null]))) }
        if !operation.parameters.isEmpty {
            let parameters = operation.parameters.map { parameter($0, isInPath: path.contains("{\($0.name)}")) }
            members.append(.init("parameters", .array(parameters)))
        }
        if let content = operation.content {
            let schema = content.members.isEmpty ? JSONValue.object([]) : object(content.members)
            members.append(
                .init(
                    "requestBody",
                    .object([
                        .init("description", .string(content.summary)), .init("required", .bool(true)),
                        .init("content", .object([.init(content.type, .object([.init("schema", schema)]))])),
                    ])
                )
            )
        }
        members.append(.init("responses", .object(operation.answers.map(answer) + errors(of: operation, route))))
        if route.isOpen { members.append(.init("security", .array([]))) }
        return .object(members)
    }

    private static func parameter(_ parameter: AdminOperation.Parameter, isInPath: Bool) -> JSONValue {
        var schema: [JSONValue.Member] = [.init("type", .string("string"))]
        if !parameter.words.isEmpty { schema.append(.init("enum", .array(parameter.words.map(JSONValue.string)))) }
        return .object([
            .init("name", .string(parameter.name)), .init("in", .string(isInPath ? "path" : "query")),
            .init("required", .bool(isInPath || parameter.isRequired)),
            .init("description", .string(parameter.summary)), .init("schema", .object(schema)),
        ])
    }

    private static func answer(_ answer: AdminOperation.Answer) -> JSONValue.Member {
        var members: [JSONValue.Member] = [.init("description", .string(answer.summary))]
        if !answer.types.isEmpty {
            let content = answer.types.map { type -> JSONValue.Member in
                let isJSON = type == "application/json"
                let schema = isJSON ? object(answer.members) : .object([.init("type", .string("string"))])
                return .init(type, .object([.init("schema", schema)]))
            }
            members.append(.init("content", .object(content)))
        }
        return .init("\(answer.status)", .object(members))
    }

    private static func object(_ members: [AdminOperation.Member]) -> JSONValue {
        let properties = members.map { member -> JSONValue.Member in
            let summary: [JSONValue.Member] =
                member.summary.isEmpty ? [] : [.init("description", .string(member.summary))]
            let kinds = [member.kind, member.alternative].compactMap { $0.map { JSONValue.string($0.rawValue) } }
            return .init(member.name, .object([.init("type", kinds.count == 1 ? kinds[0] : .array(kinds))] + summary))
        }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return .object(
            [.init("type", .string("object"))]
                + (properties.isEmpty ? [] : [.init("properties", .object(properties))])
                + (required.isEmpty ? [] : [.init("required", .array(required))])
        )
    }

    /// The errors of an operation: its own, and those of missing rights.
    private static func errors(of operation: AdminOperation, _ route: any AdminRoute) -> [JSONValue.Member] {
        let statuses = operation.errors + (route.isOpen ? [] : [401, 403])
        return statuses.sorted().map { status in
            .init("\(status)", .object([.init("$ref", .string("#/components/responses/Problem"))]))
        }
    }

    private static let components = JSONValue.object([
        .init(
            "securitySchemes",
            .object([
                .init(
                    "token",
                    .object([
                        .init("type", .string("http")), .init("scheme", .string("bearer")),
                        .init(
                            "description",
                            .string("admin.token; none is required without one, and over a Unix socket.")
                        ),
                    ])
                )
            ])
        ),
        .init(
            "schemas",
            .object([
                .init(
                    "Problem",
                    object([
                        AdminOperation.Member(name: "title", kind: .string, isRequired: true),
                        AdminOperation.Member(name: "status", kind: .integer, isRequired: true),
                        AdminOperation.Member(name: "detail", kind: .string, summary: "What is wrong, and what to do."),
                        AdminOperation.Member(name: "id", kind: .string, summary: "The id of the request."),
                        AdminOperation.Member(name: "parameter", kind: .string, summary: "The parameter or member."),
                    ])
                )
            ])
        ),
        .init(
            "responses",
            .object([
                .init(
                    "Problem",
                    .object([
                        .init("description", .string("An error.")),
                        .init(
                            "content",
                            .object([
                                .init(
                                    "application/problem+json",
                                    .object([
                                        .init(
                                            "schema",
                                            .object([.init("$ref", .string("#/components/schemas/Problem"))])
                                        )
                                    ])
                                )
                            ])
                        ),
                    ])
                )
            ])
        ),
    ])
}

/// `GET /openapi.json`: the routes of the listener as an OpenAPI 3.1 document.
struct OpenAPIRoute: AdminRoute {
    /// The response, made once.
    private let response: Response

    /// - Parameter routes: all other routes.
    init(_ routes: [(HTTPMethod, String, any AdminRoute)]) {
        // The document describes this route, too, for which any response will do.
        let itself: any AdminRoute = OpenAPIRoute(response: Response(status: 200))
        response = .admin(OpenAPIDocument(routes + [(.get, Self.path, itself)]).json)
    }

    private init(response: Response) { self.response = response }

    static let path = "/openapi.json"

    var operation: AdminOperation {
        AdminOperation(summary: "This document.", answers: [.init(summary: "OpenAPI 3.1.")])
    }

    func answer(_ request: AdminRequest) -> AdminAnswer { .now(response) }
}
