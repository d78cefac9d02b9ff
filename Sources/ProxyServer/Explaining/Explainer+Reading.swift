import Dialects
import ImagePlan

extension Explainer {
    /// What a target in another language, or with parameters in its path, means in Edgeprint's own; none for a target that is in it.
    func readingSections(_ request: ExplainedTarget, _ own: OwnTarget) -> [Explanation.Section] {
        guard own.bytes != request.bytes || own.foreign != nil else { return [] }
        let name = RequestPath.name(in: request.path)
        let key =
            if own.foreign == nil {
                "sources.\(name).path-style"
            } else {
                loaded.configuration.dialect == nil ? "sources.\(name).dialect" : "dialect"
            }
        let language = own.foreign?.dialect.rawValue ?? "path style"
        func text(_ bytes: [UInt8]) -> JSONValue { .string(String(decoding: bytes, as: UTF8.self)) }
        return [
            Explanation.Section(
                name: "translation",
                facts: [
                    Explanation.Fact("language", .string(language), .setting(loaded.origin(of: key))),
                    Explanation.Fact("request", text(request.bytes), .path),
                    Explanation.Fact("edgeprint", text(own.bytes)),
                ]
            )
        ]
    }
}
