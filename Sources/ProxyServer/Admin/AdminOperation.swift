/// What a route of the admin listener takes and answers, for the document of `GET /openapi.json`.
///
/// Method and path are those under which the route is in the table of routes, so that each fact is written once.
struct AdminOperation: Sendable {
    /// A parameter of the query, or a part of the path.
    struct Parameter: Sendable {
        var name: String
        var summary: String
        var isRequired = false
        /// The values that it may have; empty for any text.
        var words: [String] = []
    }

    /// The content of a request.
    struct Content: Sendable {
        /// The media type.
        var type = "application/json"
        /// The members of a JSON object; empty for other types.
        var members: [Member] = []
        var summary = ""
    }

    /// A member of a JSON object.
    struct Member: Sendable {
        /// Types of values in JSON Schema.
        enum Kind: String, Sendable {
            case string, integer, number, boolean, object, array
        }

        var name: String
        var kind: Kind
        /// Another type that the value may have.
        var alternative: Kind?
        var summary = ""
        var isRequired = false
    }

    /// A response other than an error.
    struct Answer: Sendable {
        var status = 200
        var summary: String
        /// The media types; empty for a response without content.
        var types = ["application/json"]
        /// The members of the JSON object, as far as programs may rely on them.
        var members: [Member] = []
    }

    /// The operation in a sentence.
    var summary: String
    /// The path after the prefix of a prefix route, such as `{id}`; empty for others.
    var rest = ""
    var parameters: [Parameter] = []
    var content: Content?
    var answers: [Answer]
    /// The statuses of its errors, beside those of all routes; their content is `application/problem+json`.
    var errors: [Int] = []
    /// Whether it is a page, a form or a file of the web application, which may change in any release.
    var isOfPages = false
}
