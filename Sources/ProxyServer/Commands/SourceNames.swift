import Foundation
import ImagePipeline

/// Completes source names in the shell, from the configuration that the command line selects.
enum SourceNames {
    /// Names, for `--source`.
    @Sendable
    static func completeName(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        (names(words) + ["fetch"]).filter { $0.hasPrefix(prefix) }
    }

    /// Paths up to the source's name, for `explain` and `url`.
    @Sendable
    static func completePath(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        (names(words).map { "/\($0)/" } + ["/fetch?url="]).filter { $0.hasPrefix(prefix) }
    }

    /// The configured names; empty if the configuration cannot be read, as a completion cannot report errors.
    static func names(
        _ words: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        (ShellWords.configuration(words, environment: environment)?.sources ?? []).map(\.rule.name)
    }
}

/// Completes preset names in the shell, from the configuration that the command line selects.
enum PresetNames {
    /// Names, for `--preset`.
    @Sendable
    static func complete(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let configuration = ShellWords.configuration(words, environment: ProcessInfo.processInfo.environment)
        return (configuration?.presets ?? []).map(\.name).filter { $0.hasPrefix(prefix) }
    }
}

/// Reads the words of a command line that is being completed.
enum ShellWords {
    /// The configuration that they select, or `nil` if it cannot be read.
    static func configuration(_ words: [String], environment: [String: String]) -> Configuration? {
        var flags = ConfigurationLoader.Flags()
        for (word, next) in zip(words, words.dropFirst()) where word == "--config" { flags.config = next }
        for word in words where word.hasPrefix("--config=") { flags.config = String(word.dropFirst(9)) }
        return try? ConfigurationLoader(environment: environment, flags: flags).load()
    }
}
