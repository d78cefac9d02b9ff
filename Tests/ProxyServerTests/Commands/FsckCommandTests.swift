import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct FsckCommandTests {
    private let picture = TestImages.gradient(width: 64, height: 48)

    /// A daemon with an original and two variants on disk.
    private func rig() throws -> EndToEndRig {
        let rig = try EndToEndRig { [picture] _, connection in
            connection.respond("200 OK", ["Cache-Control: max-age=600"], body: picture)
        }
        for width in [4, 8] { #expect(try rig.get("/photos/a.png?w=\(width)&format=png").status == 200) }
        try rig.waitUntil("edgeprint_cache_entries{tier=\"variants\"}", is: 2)
        return rig
    }

    private func fsck(_ rig: EndToEndRig, _ arguments: String...) throws -> CommandRun {
        try CommandRun(["fsck", "--cache-path", rig.folder.path + "/cache"] + arguments)
    }

    private func bodies(_ rig: EndToEndRig) -> [String] {
        let root = rig.folder.path + "/cache"
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasPrefix("variants/") && $0.utf8.count > 80 }.map { "\(root)/\($0)" }.sorted()
    }

    @Test func `refuses a folder in use, and finds it sound once the daemon has stopped`() throws {
        let rig = try rig()
        let held = try fsck(rig, "--repair")
        #expect(held.code == 1)
        #expect(held.errors.contains("is in use by a daemon") && held.output.isEmpty)
        rig.daemon.signal(SIGTERM)
        #expect(rig.daemon.waitForExit() == 0)
        let sound = try fsck(rig)
        #expect(sound.code == 0, "\(sound.output)\(sound.errors)")
        #expect(sound.output.contains("1 original (") && sound.output.contains("2 variants ("))
        #expect(sound.output.hasSuffix("sound\n"))
        #expect(sound.errors.isEmpty, "no progress unless on a terminal")
    }

    @Test func `removes a corrupt body, and the daemon then fetches the image again`() throws {
        let rig = try rig()
        let before = try rig.get("/photos/a.png?w=4&format=png").body
        rig.daemon.killNow()
        for path in bodies(rig) {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes[bytes.count / 2] ^= 0x10
            try bytes.write(to: URL(fileURLWithPath: path))
        }
        let report = try fsck(rig)
        #expect(report.code == 1)
        #expect(report.output.contains("the checksum is wrong"))
        #expect(report.output.contains("2 faults; edgeprint fsck --repair removes them"), "\(report.output)")
        let json = try fsck(rig, "--json")
        #expect(json.code == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(object["sound"] as? Bool == false)
        #expect((object["found"] as? [String: Int])?["checksum"] == 2)
        #expect((object["findings"] as? [[String: Any]])?.count == 2)
        let repair = try fsck(rig, "--repair")
        #expect(repair.code == 0, "\(repair.output)\(repair.errors)")
        #expect(repair.output.contains("; removed") && repair.output.contains("2 faults repaired; the folder is sound"))
        #expect(bodies(rig).isEmpty)
        #expect(try fsck(rig).code == 0)
        try rig.restartAfterKill()
        let again = try rig.get("/photos/a.png?w=4&format=png")
        #expect(again.body == before)
        #expect(again["Cache-Status"] == "edgeprint; hit; detail=original")
    }

    @Test func `refuses a folder that is not a cache`() throws {
        let folder = try TemporaryFolder()
        try Data("thesis".utf8).write(to: URL(fileURLWithPath: folder.path + "/thesis.txt"))
        let run = try CommandRun(["fsck", "--repair", "--cache-path", folder.path])
        #expect(run.code == 1)
        #expect(run.errors.contains("is not a cache folder of Edgeprint"))
        #expect(TemporaryFolder.names(in: folder.path) == ["thesis.txt"])
        let nowhere = try CommandRun(["fsck", "--cache-path", folder.path + "/nowhere"])
        #expect(nowhere.code == 1)
        #expect(nowhere.errors.contains("the folder \(folder.path)/nowhere does not exist"))
    }
}
