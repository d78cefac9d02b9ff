import HTTPKit
import ImagePipeline
import Testing
import LinuxSystem
import OriginTransfer

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct ConfigurationChangeTests {
    private func change(_ old: String, _ new: String) throws -> ConfigurationChange {
        ConfigurationChange(from: try load(old), to: try load(new))
    }

    @Test func `finds no change between equal configurations`() throws {
        let yaml = "sources: { a: { url: \"https://a.example/\" } }\npresets: { p: \"w=1\" }"
        let change = try change(yaml, yaml)
        #expect(change.applied.isEmpty && change.needingRestart.isEmpty)
        #expect(try change.effective == load(yaml))
    }

    @Test(arguments: [
        ("sources: { a: { url: \"https://a.example/\" } }", "sources"), ("presets: { p: \"w=1\" }", "presets"),
        ("limits: { queue: 7 }", "limits.queue"), ("workers: { decode-bytes: 1GiB }", "workers.decode-bytes"),
        ("overload: { queue-time: 5s }", "overload.queue-time"), ("cache: { memory: 1MiB }", "cache.memory"),
        ("cache: { variants: 1MiB }", "cache.variants"), ("log: { level: debug }", "log.level"),
        ("admin: { token: abc }", "admin.token"), ("remote: { allow: [a.example] }", "remote.allow"),
        ("signing: { keys: [\(String(repeating: "ab", count: 16))] }", "signing.keys"),
        ("timeouts: { idle: 1s }", "timeouts.idle"), ("purge: { allow: [unix] }", "purge.allow"),
    ])
    func `applies keys that need no restart`(yaml: String, key: String) throws {
        let change = try change("{}", yaml)
        #expect(change.applied == [key])
        #expect(change.needingRestart.isEmpty)
        #expect(try change.effective == load(yaml))
    }

    @Test(arguments: [
        ("listen: 127.0.0.1:9", "listen"), ("admin: { listen: off }", "admin.listen"),
        ("cache: { path: /a }", "cache.path"), ("workers: { count: 7 }", "workers.count"),
        ("log: { format: text }", "log.format"),
    ])
    func `keeps the old values of keys that need a restart`(yaml: String, key: String) throws {
        let change = try change("{}", yaml)
        #expect(change.applied.isEmpty)
        #expect(change.needingRestart == [key])
        #expect(change.effective == Configuration())
    }

    @Test func `reports both kinds of keys separately`() throws {
        let change = try change("{}", "cache: { path: /a, memory: 5MiB }")
        #expect(change.applied == ["cache.memory"])
        #expect(change.needingRestart == ["cache.path"])
        #expect(change.effective.cache.memorySize == .bytes(5 << 20))
        #expect(change.effective.cache.path == Configuration().cache.path)
    }

    @Test func `detects a change of every key`() {
        for setting in ConfigurationSchema.root.settings {
            #expect(!setting.differs(Configuration(), Configuration()), "\(setting.name)")
        }
    }

    @Test func `keeps the token while the listener stays beyond loopback until a restart`() throws {
        let change = try change("admin: { listen: \"0.0.0.0:8081\", token: abc }", "admin: { listen: off }")
        #expect(change.effective.admin.listen == [.tcp(host: "0.0.0.0", port: 8081)])
        #expect(change.effective.admin.token.value == "abc")
        #expect(change.needingRestart == ["admin.listen", "admin.token"])
    }
}
