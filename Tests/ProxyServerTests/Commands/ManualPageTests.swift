import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ManualPageTests {
    static let page = URL(filePath: Checkout.path("deploy/edgeprint.8"))

    @Test func `has an entry for every command`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let start = try #require(text.firstRange(of: ".SH COMMANDS")).upperBound
        let end = try #require(text[start...].firstRange(of: ".SH OPTIONS")).lowerBound
        let entries = text[start..<end].split(separator: "\n").filter { $0.hasPrefix(".B ") || $0.hasPrefix(".BI ") }
        // "check\-url\~ url" is check-url.
        let names = entries.map { entry in
            let word = entry.split(separator: " ")[1].prefix { $0 != "~" }
            return word.filter { $0 != "\\" }
        }
        for (command, _) in CommandLineTests.commands { #expect(names.contains(command), "\(command)") }
    }

    @Test func `states the addresses that serve accepts as its help does`() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
            .replacing(/\\f[BIPR]/, with: "").replacing("\\-", with: "-").replacing("\\~ ", with: " ")
        let help = ServeCommand.helpMessage()
        for option in ["--listen host:port|unix:/path", "--admin host:port|unix:/path|off"] {
            #expect(page.contains(".BI \(option)\n"), "\(option)")
            let words = option.split(separator: " ")
            #expect(help.contains("\(words[0]) <\(words[1])>"), "\(option)")
        }
    }

    @Test func `is formatted without warnings`() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/man") else { return }
        let run = try CommandRun(
            program: "/usr/bin/man",
            ["-l", "--warnings", Self.page.path],
            environment: ["MANPAGER": "cat", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"]
        )
        #expect(run.code == 0)
        #expect(run.errors.isEmpty, "\(run.errors)")
        // A container without manual pages may have replaced the program.
        guard run.output.contains("EDGEPRINT(8)") else { return }
        for section in ["SYNOPSIS", "COMMANDS", "FILES", "SIGNALS", "EXIT STATUS", "SEE ALSO"] {
            #expect(run.output.contains(section), "\(section)")
        }
    }
}
