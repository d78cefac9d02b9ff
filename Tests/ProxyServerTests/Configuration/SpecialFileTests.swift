import Foundation
import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

/// Pipes and other special files as configuration files and values.
@Suite(.timeLimit(.minutes(1)))
struct SpecialFileTests {
    private let folder: TemporaryFolder
    /// A FIFO without a writer.
    private let fifo: String

    init() throws {
        folder = try TemporaryFolder()
        fifo = folder.path + "/fifo"
        try checked("mkfifo") { [fifo] in unsafe mkfifo(fifo, 0o600) }
    }

    private func loader(_ yaml: String) throws -> ConfigurationLoader {
        let file = folder.path + "/edgeprint.yaml"
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: file))
        return ConfigurationLoader(environment: [:], flags: ConfigurationLoader.Flags(config: file))
    }

    /// Loads on a thread of its own: opening a FIFO would wait for a writer, without end.
    private func loaded(_ loader: ConfigurationLoader) throws -> Configuration {
        let ended = Signal<Result<Configuration, ConfigurationError>?>(nil)
        try SystemThread.start(name: "load") {
            let result: Result<Configuration, ConfigurationError>
            do throws(ConfigurationError) { result = .success(try loader.load()) } catch { result = .failure(error) }
            ended.update { $0 = result }
        }
        return try #require(try ended.wait { $0 != nil }).get()
    }

    @Test func `a value's file must be a regular one, also behind a link`() throws {
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fifo)
        for path in [fifo, link] {
            let loader = try loader("admin: { token: !file \(path) }")
            let error = try #require(#expect(throws: ConfigurationError.self) { try loaded(loader) })
            #expect(error.description.contains("admin.token: \(path) is a pipe or another special file"), "\(error)")
        }
        let token = folder.path + "/token"
        try Data("hunter2".utf8).write(to: URL(fileURLWithPath: token))
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: token)
        #expect(try loader("admin: { token: !file \(link) }").load().admin.token.value == "hunter2")
    }

    @Test func `the configuration may come from a pipe, but not on a reload`() throws {
        let loader = ConfigurationLoader(environment: [:], flags: ConfigurationLoader.Flags(config: fifo))
        let error = try #require(#expect(throws: ConfigurationError.self) { try loaded(loader.forReload) })
        #expect(error.description.contains("\(fifo): is a pipe or another special file"), "\(error)")
        for path in ["/dev/stdin", "/dev/fd/0"] {
            let run = try CommandRun(
                program: "/bin/sh",
                [
                    "-c", "printf 'cache: { memory: 3MiB }\\n' | \"$0\" check --config \(path)",
                    DaemonProcess.buildFolder + "/edgeprint",
                ]
            )
            #expect(run.code == 0 && run.output.contains("memory: 3MiB"), "\(run)")
        }
    }

    @Test func `an empty configuration may be /dev/null, also on a reload`() throws {
        let loader = ConfigurationLoader(environment: [:], flags: ConfigurationLoader.Flags(config: "/dev/null"))
        #expect(try loader.load() == Configuration())
        #expect(try loader.forReload.load() == Configuration())
    }
}
