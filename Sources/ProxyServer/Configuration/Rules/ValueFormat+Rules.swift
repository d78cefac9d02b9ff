import HTTPCache
import HTTPSemantics
import ImagePipeline
import ImagePlan
import LinuxSystem
import OriginTransfer

extension ValueFormat where Value == PathGlob {
    /// A pattern of paths.
    static var pathGlob: ValueFormat {
        let expectation = "a path pattern such as avatars/**"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                guard case .scalar(let text) = node.content else {
                    problems.expected(expectation, node)
                    return nil
                }
                do throws(PathGlob.Defect) {
                    return try PathGlob(text)
                } catch {
                    problems.add("'\(text.prefix(64))' \(error.reason)", at: node.place)
                    return nil
                }
            },
            write: { .quoted($0.text) }
        )
    }
}

extension ValueFormat where Value == PathTemplate {
    /// A rewritten path.
    static var pathTemplate: ValueFormat {
        .scalar(
            "a path without a leading slash or a query, such as legacy/$1 ($1 to $9, and $$ for a $)",
            parse: PathTemplate.init
        ) {
            .quoted($0.text)
        }
    }
}

extension ValueFormat where Value == ImageFormat {
    /// A format by name.
    static var imageFormat: ValueFormat {
        let names = FormatPolicy.formats.map { "\($0)" }
        let expectation = "one of " + names.joined(separator: ", ")
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                guard case .scalar(let text) = node.content else {
                    problems.expected(expectation, node)
                    return nil
                }
                let name = text.lowercased() == "jpg" ? "jpeg" : text.lowercased()
                if let format = FormatPolicy.formats.first(where: { "\($0)" == name }) { return format }
                problems.expected(expectation, node, hint: NearestName.hint(name, among: names))
                return nil
            },
            write: { .plain("\($0)") },
            schema: .words(names + ["jpg"])
        )
    }
}

extension ValueFormat where Value == Bool {
    /// `true`; the opposite of `deny` is `allow`, not `deny: false`.
    static var yes: ValueFormat {
        .scalar("true", schema: .flag) {
            ["true", "on", "yes"].contains($0.lowercased()) ? true : nil
        } write: {
            $0 ? .plain("true") : nil
        }
    }
}

/// A map of names to values or `null`.
private func readMap<Element>(
    _ node: TreeNode,
    _ problems: inout ValueProblems,
    expectation: String,
    _ read: (TreeEntry, String?, inout ValueProblems) -> Element?
) -> [Element]? {
    guard case .map(let entries) = node.content else {
        problems.add("expected \(expectation)", at: node.place)
        return nil
    }
    let elements = entries.compactMap { entry -> Element? in
        switch entry.value.content {
        case .null: return read(entry, nil, &problems)
        case .scalar(let text): return read(entry, text, &problems)
        case .list, .map:
            problems.add("expected a value, or null", at: entry.value.place, path: [entry.key])
            return nil
        }
    }
    return elements.count == entries.count ? elements : nil
}

extension ValueFormat where Value == [RuleEffects.Field] {
    /// Header fields with patterns of their values.
    static var fieldPatterns: ValueFormat {
        let expectation = "a map of header fields to patterns, such as { X-Client: \"app/*\" }"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                readMap(node, &problems, expectation: expectation) { entry, text, problems in
                    guard FieldLine(entry.key, "") != nil else {
                        problems.add("is not a valid field name", at: entry.place, path: [entry.key])
                        return nil
                    }
                    guard let text, !text.isEmpty else {
                        problems.add(
                            "expected a pattern; \"*\" matches every value",
                            at: entry.place,
                            path: [entry.key]
                        )
                        return nil
                    }
                    return RuleEffects.Field(name: entry.key.lowercased(), value: Glob(text))
                }
            },
            write: { .map($0.map { ($0.name, .quoted($0.value.text)) }) },
            schema: .map(of: .scalar)
        )
    }
}

extension ValueFormat where Value == [FieldEdit] {
    /// Edits of requests to the origin.
    static var requestEdits: ValueFormat {
        edits(isShown: { ValueFormat<[HeaderField]>.isPlain(HeaderField(name: $0.name, value: "")) }) { edit in
            let own = ValueFormat<[HeaderField]>.ownFields.union(["proxy-authorization", "via", "cdn-loop"])
            if own.contains(edit.key) { return "is a field that the server sets itself" }
            guard edit.value == nil, ["host", "accept", "user-agent"].contains(edit.key) else { return nil }
            return "is always sent; set another value"
        }
    }

    /// Edits of responses to clients.
    static var responseEdits: ValueFormat {
        edits(isShown: { _ in true }) { edit in
            if framing.contains(edit.key) { return "frames or describes the content, and is set by the server" }
            if guards.contains(edit.key) { return "protects clients, and cannot be changed by a rule" }
            return nil
        }
    }

    /// Fields that concern the connection, frame the message, or describe its content and how it may be reused.
    private static var framing: Set<String> {
        [
            "accept-ranges", "age", "cache-status", "connection", "content-encoding", "content-length", "content-range",
            "content-type", "date", "etag", "keep-alive", "last-modified", "proxy-authenticate", "proxy-connection",
            "te",
            "trailer", "transfer-encoding", "upgrade", "vary", "via",
        ]
    }

    /// Fields that keep content from being interpreted as more than an image.
    private static var guards: Set<String> { ["content-security-policy", "x-content-type-options"] }

    private static func edits(
        isShown: @escaping @Sendable (FieldEdit) -> Bool,
        refusal: @escaping @Sendable (FieldEdit) -> String?
    ) -> ValueFormat {
        let expectation = "a map of header fields to values, or to null to remove them"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                readMap(node, &problems, expectation: expectation) { entry, text, problems in
                    let edit = FieldEdit(name: entry.key, value: text)
                    // The value may be a secret and is not shown.
                    guard FieldLine(entry.key, "") != nil else {
                        problems.add("is not a valid field name", at: entry.place, path: [entry.key])
                        return nil
                    }
                    guard FieldLine(entry.key, text ?? "") != nil else {
                        problems.add("must not contain control characters", at: entry.place, path: [entry.key])
                        return nil
                    }
                    if let refusal = refusal(edit) {
                        problems.add(refusal, at: entry.place, path: [entry.key])
                        return nil
                    }
                    return edit
                }
            },
            write: { edits in
                .map(
                    edits.map { edit in
                        let value = edit.value.map { isShown(edit) ? $0 : Secret.redacted }
                        return (edit.name, value.map(YAMLValue.quoted) ?? .plain("null"))
                    }
                )
            },
            schema: .map(of: .either([.scalar, .null]))
        )
    }
}

extension ValueFormat where Value == [QueryEdit] {
    /// Edits of the query for the origin.
    static var queryEdits: ValueFormat {
        let expectation = "a map of query parameters to values, or to null to remove them"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                readMap(node, &problems, expectation: expectation) { entry, text, problems in
                    let scalars = (entry.key + (text ?? "")).unicodeScalars
                    guard !entry.key.isEmpty, scalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
                        problems.add("must not contain control characters", at: entry.place, path: [entry.key])
                        return nil
                    }
                    return QueryEdit(name: entry.key, value: text)
                }
            },
            write: { .map($0.map { ($0.name, $0.value.map(YAMLValue.quoted) ?? .plain("null")) }) },
            schema: .map(of: .either([.scalar, .null]))
        )
    }
}

extension ValueFormat where Value == [StatusTreatment] {
    /// Statuses of the origin and those as which they are treated.
    static var statuses: ValueFormat {
        let expectation = "a map of statuses such as { 403: 404 }"
        return ValueFormat(
            expectation: expectation,
            read: { node, problems in
                readMap(node, &problems, expectation: expectation) { entry, text, problems in
                    // Partial, unmodified and redirecting responses have meanings that a rule cannot give or take away.
                    guard let origin = Int(entry.key), (200...599).contains(origin), origin != 206,
                        !(300...399).contains(origin)
                    else {
                        problems.add(
                            "expected a status of the origin from 200 to 599, except 206 and 3xx",
                            at: entry.place,
                            path: [entry.key]
                        )
                        return nil
                    }
                    guard let text, let treated = Int(text), treated == 200 || (400...599).contains(treated) else {
                        problems.add("expected 200, or a status from 400 to 599", at: entry.place, path: [entry.key])
                        return nil
                    }
                    return StatusTreatment(origin: origin, treated: treated)
                }
            },
            write: { .map($0.map { ("\($0.origin)", .plain("\($0.treated)")) }) },
            schema: .map(of: .either([.integer(200...200), .integer(400...599)]))
        )
    }
}
