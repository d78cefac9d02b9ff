import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct InitCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String..., input: String = "") throws -> CommandRun {
        try CommandRun(["init", "--directory", folder.path] + arguments, input: input)
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return unsafe stat(folder.path + "/" + name, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }

    @Test func `writes a configuration that is valid, with a secret key and a schema`() throws {
        let run = try run("--source", "photos=https://photos.example.com/originals", "--source", "/srv/my images")
        #expect(run.code == 0 && run.errors.isEmpty, "\(run)")
        #expect(TemporaryFolder.names(in: folder.path) == ["edgeprint.schema.json", "edgeprint.yaml", "signing.key"])
        #expect(mode("signing.key") == 0o600)
        let check = try CommandRun(["check", "--config", folder.path + "/edgeprint.yaml"])
        #expect(check.code == 0 && check.errors.isEmpty, "\(check.errors)")
        #expect(check.output.contains("url: \"https://photos.example.com/originals/\""), "\(check.output)")
        #expect(check.output.contains("url: \"file:///srv/my%20images/\""), "\(check.output)")
        #expect(check.output.contains("keys: [\"[redacted]\"]"), "\(check.output)")
        let key = try text("signing.key").trimmingCharacters(in: .newlines)
        #expect(key.count == 64 && SigningKey(hexadecimal: key) != nil)
        #expect(!(try text("edgeprint.yaml")).contains(key) && !run.output.contains(key))
        #expect(try text("edgeprint.yaml").hasPrefix("# yaml-language-server: $schema=edgeprint.schema.json\n"))
        #expect(JSONValue(parsing: try text("edgeprint.schema.json"))?["title"] != nil)
    }

    @Test func `a server starts with what was written, and verifies what edgeprint url signs with the key`() throws {
        let images = try TemporaryFolder()
        let picture = TestImages.gradient(width: 16, height: 12)
        try Data(picture).write(to: URL(filePath: images.path + "/a.png"))
        #expect(try run("--source", images.path).code == 0)
        let daemon = try DaemonProcess(
            try text("edgeprint.yaml"),
            in: folder,
            listeners: "",
            environment: [
                "EDGEPRINT_LISTEN": "127.0.0.1:0", "EDGEPRINT_ADMIN_LISTEN": "127.0.0.1:0",
                "EDGEPRINT_SIGNING_REQUIRED": "true", "EDGEPRINT_OVERLOAD_QUEUE_TIME": "1m",
            ]
        )
        let client = try RawHTTPClient(port: daemon.port, timeoutMilliseconds: 20_000)
        let url = try CommandRun(
            ["url", "images/a.png", "preset=thumb", "format=png", "--config", daemon.configurationFile]
        )
        let path = url.output.trimmingCharacters(in: .newlines)
        #expect(url.code == 0 && path.contains("sig="), "\(url)")
        #expect(try client.get(path).status == 200)
        #expect(try client.get("/images/a.png?preset=thumb&format=png").status == 403)
    }

    @Test func `every key has a comment, and every secret a file of its own`() throws {
        #expect(try run("--source", "/srv/images").code == 0)
        var isCommented = false
        for line in try text("edgeprint.yaml").split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("#") {
                isCommented = true
            } else if !line.hasSuffix(":"), !line.hasPrefix("variants"), !line.hasPrefix("url") {
                #expect(isCommented, "\(line)")
                isCommented = false
            }
        }
    }

    @Test func `a bucket gets a region that is valid, and must be replaced`() throws {
        let run = try run("--source", "photos=s3://pictures/originals", "--source", "/srv/images")
        #expect(run.code == 0 && run.output.contains("\nnext: replace us-east-1 in sources.photos.region"), "\(run)")
        let file = folder.path + "/edgeprint.yaml"
        #expect(run.output.hasSuffix("\n      edgeprint serve --config \(file)\n"), "\(run)")
        let check = try CommandRun(["check", "--config", file])
        #expect(check.code == 0 && check.errors.isEmpty, "\(check.errors)")
        #expect(try text("edgeprint.yaml").split(separator: "\n").count { $0 == "    region: us-east-1" } == 1)
    }

    @Test func `asks nothing without a terminal, and writes a configuration without sources`() throws {
        let run = try run(input: "https://never.example.com/\n")
        #expect(run.code == 0 && !run.errors.contains("?") && !run.errors.contains("Location"), "\(run)")
        let configuration = try text("edgeprint.yaml")
        #expect(configuration.contains("sources: {}") && !configuration.contains("never.example.com"))
        #expect(try CommandRun(["check", "--config", folder.path + "/edgeprint.yaml"]).code == 0)
        // The commented example is valid as it is.
        let shown = configuration.replacing("sources: {}\n#  images:\n#    url", with: "sources:\n  images:\n    url")
        #expect(shown != configuration)
        try shown.write(toFile: folder.path + "/shown.yaml", atomically: false, encoding: .utf8)
        #expect(try CommandRun(["check", "--config", folder.path + "/shown.yaml"]).code == 0)
    }

    @Test func `asks for the location of the images on a terminal`() throws {
        let terminal = try PseudoTerminal(["init", "--directory", folder.path])
        try terminal.wait(for: "empty for none yet): ")
        terminal.type("https://asked.example.com/\n")
        #expect(terminal.end() == 0)
        #expect(try text("edgeprint.yaml").contains("url: \"https://asked.example.com/\""))
    }

    @Test(arguments: ["edgeprint.yaml", "signing.key", "edgeprint.schema.json"])
    func `overwrites nothing, and then writes nothing`(name: String) throws {
        let path = folder.path + "/" + name
        try "mine".write(toFile: path, atomically: false, encoding: .utf8)
        let run = try run("--source", "/srv/images")
        #expect(run.code == 1 && run.errors == "edgeprint: \(path) exists already, and is not overwritten\n", "\(run)")
        #expect(try text(name) == "mine" && TemporaryFolder.names(in: folder.path) == [name])
    }

    @Test func `two configurations have different keys`() throws {
        let other = try TemporaryFolder()
        #expect(try run().code == 0)
        #expect(try CommandRun(["init", "--directory", other.path]).code == 0)
        #expect(try text("signing.key") != String(contentsOfFile: other.path + "/signing.key", encoding: .utf8))
    }

    @Test(arguments: [
        ("Photos=/srv", "'Photos' is not a valid source name"), ("fetch=/srv", "is reserved"), ("photos=", "is empty"),
        ("ftp://x/", "is not the location of images"), ("https://u:p@x/", "is not the location of images"),
    ])
    func `names what is wrong with a source`(source: String, problem: String) throws {
        let run = try run("--source", source)
        #expect(run.code == 1 && run.errors.contains(problem), "\(run)")
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
    }

    @Test func `a folder that cannot be written to is reported, and a second source of a name`() throws {
        let run = try CommandRun(["init", "--directory", folder.path + "/nowhere"])
        #expect(run.code == 1 && run.errors.contains("nowhere/signing.key"), "\(run)")
        #expect(run.errors.hasSuffix("; make its folder first: mkdir -p \(folder.path)/nowhere\n"), "\(run)")
        #expect(try self.run("--source", "/a", "--source", "/b").errors.contains("two sources are named 'images'"))
    }
}
