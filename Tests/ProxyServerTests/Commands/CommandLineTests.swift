import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct CommandLineTests {
    /// Every command by its name.
    static let commands = Edgeprint.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) }

    @Test func `names every command once`() {
        let names = Self.commands.map(\.0)
        #expect(Set(names).count == names.count)
        #expect(!names.contains(""))
        #expect(Set(["serve", "check", "explain", "check-url"]).isSubset(of: names))
    }

    @Test func `shows examples and exit codes in the help of every command`() throws {
        for (name, command) in Self.commands {
            let discussion = command.configuration.discussion.lowercased()
            #expect(!command.configuration.abstract.isEmpty, "\(name)")
            #expect(discussion.contains("example") && discussion.contains("edgeprint \(name)"), "\(name): examples")
            #expect(discussion.contains("exit"), "\(name): exit codes")
            let help = try CommandRun([name, "--help"])
            #expect(help.code == 0)
            #expect(help.output.contains("USAGE: edgeprint \(name)"), "\(help.output)")
            // The usage line must not be wrapped.
            let lines = help.output.split(separator: "\n").filter { !$0.hasPrefix("USAGE") }
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(name): lines")
        }
        let help = try CommandRun(["--help"]).output
        for (name, _) in Self.commands { #expect(help.contains("\n  \(name) "), "\(name)") }
        #expect(help.contains("EXAMPLES") && help.contains("EXIT STATUS"))
    }

    @Test func `distinguishes an invalid command line from an invalid configuration`() throws {
        let option = try CommandRun(["check", "--confg", "x"])
        #expect(option.code == 64)
        #expect(option.errors.contains("Did you mean '--config'?"), "\(option.errors)")
        let command = try CommandRun(["chekc"])
        #expect(command.code == 64)
        #expect(command.errors.contains("did you mean 'check'?"), "\(command.errors)")
        #expect(try CommandRun(["serve", "chekc"]).code == 64)
        for arguments in [["--lissten", "x"], ["serve", "--lissten", "x"]] {
            let serve = try CommandRun(arguments)
            #expect(serve.code == 64)
            let text = "Unknown option '--lissten'. Did you mean '--listen'?"
            #expect(serve.errors.contains(text) && !serve.errors.contains("no command"), "\(serve.errors)")
        }
        for arguments in [["--listen", "127.0.0.1:1", "chekc"], ["chekc", "--schema"]] {
            let command = try CommandRun(arguments)
            #expect(command.code == 64 && command.errors.contains("did you mean 'check'?"), "\(command.errors)")
        }
        #expect(try CommandRun(["explain"]).code == 64)
        let file = try CommandRun(["check", "--config", "/nowhere/edgeprint.yaml"])
        #expect(file.code == 1)
        #expect(file.errors == "edgeprint: /nowhere/edgeprint.yaml: there is no such file\n")
        #expect(file.output.isEmpty)
        let version = try CommandRun(["--version"])
        #expect(version.code == 0)
        #expect(version.output == "\(Version.text)\n")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `generates completions that name every command`(_ shell: String) throws {
        let run = try CommandRun(["--generate-completion-script", shell])
        #expect(run.code == 0)
        for (name, _) in Self.commands { #expect(run.output.contains(name), "\(name)") }
        // Which options take a file, and which a folder.
        #expect(run.output.contains("yaml"))
        let folder = try TemporaryFolder()
        let script = folder.path + "/completion"
        try Data(run.output.utf8).write(to: URL(fileURLWithPath: script))
        let program = "/usr/bin/\(shell)"
        guard shell == "bash" || FileManager.default.isExecutableFile(atPath: program) else { return }
        let check = try CommandRun(program: program, ["-n", script])
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test func `completes names of configured sources`() throws {
        let file = try ConfigurationText(
            "sources: { photos: { url: \"file:///srv/\" }, posters: { url: \"file:///srv/\" } }"
        )
        let words = ["edgeprint", "check-url", "--config", file.path, "--source", "ph"]
        #expect(SourceNames.names(words, environment: [:]) == ["photos", "posters"])
        #expect(SourceNames.names(["--config=\(file.path)"], environment: [:]) == ["photos", "posters"])
        #expect(SourceNames.names([], environment: ["EDGEPRINT_CONFIG": file.path]) == ["photos", "posters"])
        #expect(SourceNames.names(["--config", "/nowhere"], environment: [:]).isEmpty)
        // As in a shell: runs the real script for completions of --source.
        let script = """
            source <("$BINARY" --generate-completion-script bash)
            COMP_WORDS=(edgeprint check-url --config "$FILE" --source p) COMP_CWORD=5 COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}
            export PATH="$(dirname "$BINARY"):$PATH"
            $(complete -p edgeprint | sed 's/.*-F \\([^ ]*\\).*/\\1/') edgeprint p --source
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let environment = ["BINARY": DaemonProcess.buildFolder + "/edgeprint", "FILE": file.path]
        let run = try CommandRun(program: "/bin/bash", ["-c", script], environment: environment)
        #expect(run.output == "photos\nposters\n", "\(run.errors)")
    }
}
