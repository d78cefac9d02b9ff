import Foundation
import ImagePipeline

/// Completes names of sources for the shell, as the configuration has them that the words before name.
enum SourceNames {
    /// Names, for `--source`.
    @Sendable
    static func completeName(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        (names(words) + ["fetch"]).filter { $0.hasPrefix(prefix) }
    }

    /// Paths up to the source's name, for `explain`.
    @Sendable
    static func completePath(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        (names(words).map { "/\($0)/" } + ["/fetch?url="]).filter { $0.hasPrefix(prefix) }
    }

    /// Empty where the configuration cannot be read: a completion is no place for its problems.
    static func names(
        _ words: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        var flags = ConfigurationLoader.Flags()
        for (word, next) in zip(words, words.dropFirst()) where word == "--config" { flags.config = next }
        for word in words where word.hasPrefix("--config=") { flags.config = String(word.dropFirst(9)) }
        let loader = ConfigurationLoader(environment: environment, flags: flags)
        return ((try? loader.load())?.sources ?? []).map(\.rule.name)
    }
}
