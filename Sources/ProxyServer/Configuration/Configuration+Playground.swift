import HTTPCache
import ImagePipeline

extension Configuration {
    /// The pictures that operators send to the playground.
    struct Playground: Sendable, Equatable {
        /// The name of their source, which no configured one can have.
        static let source = ".playground"

        /// The maximum number; 0 for none.
        var pictures = 8
        /// The maximum bytes of all; `nil` to derive it from `limits.memory`.
        var memory: Int?
    }

    /// The source rule of the pictures of the playground, of which nothing is stored.
    var playgroundRule: SourceRule {
        var rule = SourceRule(inheriting: self, named: Playground.source)
        rule.cache = CachePolicy(.none)
        rule.keepsMezzanines = false
        rule.serialization = .none
        rule.placeholder = .none
        return rule
    }

    /// The settings of placeholders.
    struct Placeholders: Sendable, Equatable {
        /// The longest side of a plain image of `/placeholder/`; 0 for none.
        var largest = 4_096
        /// The maximum images made after their placeholder was sent.
        var behind = 64
    }
}
