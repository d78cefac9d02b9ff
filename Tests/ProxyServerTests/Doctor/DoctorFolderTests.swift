import Glibc
import HTTPCache
import HTTPKit
import ImagePipeline
import LinuxSystem
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct DoctorFolderTests {
    private let cache = "/var/cache/edgeprint"
    private let disk = FileSystemStatus(
        type: 0xEF53,
        freeBytes: 30 << 30,
        freeFiles: 1_000_000,
        isReadOnly: false
    )

    private func stored(locked: Bool = false, bytes: Int = 0, version: Int? = 1) -> DiskFolderState {
        var statistics = DiskStatistics()
        statistics.variants.bytes = bytes
        return .cache(.init(isLocked: locked, version: version, statistics: statistics))
    }

    @Test func `distinguishes usable cache folders from unusable ones`() {
        let check = CacheFolderCheck(path: cache)
        #expect(check.complaint { _ in } == "")
        let denied = check.complaint { $0.denials["/"] = EACCES }
        #expect(denied.contains("cannot be created in /: access: Permission denied") && denied.contains("install -d"))
        #expect(
            check.complaint { $0.statuses["/var"] = FileStatus(kind: .file, mode: 0) }.contains(
                "/var is not a folder"
            )
        )
        #expect(check.complaint { $0.folders[cache] = .notFolder }.contains("is not a folder"))
        #expect(check.complaint { $0.folders[cache] = .foreign }.contains("set cache.path to an empty folder"))
        #expect(
            check.complaint {
                $0.folders[cache] = .free; $0.denials[cache] = EROFS
            }.contains("Read-only")
        )
        #expect(check.complaint { $0.folders[cache] = stored(version: 99) }.contains("newer release"))
        let damaged = DiskFolderState.cache(.init(isLocked: false, version: nil, statistics: nil))
        #expect(check.complaint { $0.folders[cache] = damaged }.contains("fsck --repair"))
        var probe = RecordedProbe()
        probe.folders[cache] = stored(locked: true)
        #expect(check.findings(probe).first?.message.contains("in use by a daemon") == true)
    }

    @Test func `says that there is no disk cache if it is off`() {
        let findings = CacheFolderCheck(path: "").findings(RecordedProbe())
        #expect(findings.map(\.severity) == [.ok] && findings[0].message.contains("off (cache.path)"))
        let source = ConfiguredSource(rule: SourceRule(name: "local", location: .file(root: "/srv")))
        var probe = RecordedProbe()
        probe.statuses["/srv"] = FileStatus(kind: .folder, mode: 0o755)
        #expect(SourceFolderCheck(sources: [source], cachePath: "").findings(probe).map(\.severity) == [.ok])
    }

    @Test(arguments: [
        (0x0102_1994, "tmpfs"), (0x6969, "NFS"), (0x794C_7630, "overlayfs"), (0xFE53_4D42, "SMB"),
    ])
    func `warns about file systems without persistence or locks`(_ type: Int64, _ name: String) {
        var system = disk
        system.type = type
        let told = CacheFolderCheck(path: cache).complaint { probe in
            probe.folders[cache] = stored()
            probe.fileSystems[cache] = system
        }
        #expect(told.hasPrefix("warning: \(cache) is on \(name)"), "\(told)")
        system.isReadOnly = true
        #expect(
            CacheFolderCheck(path: cache).complaint { probe in
                probe.folders[cache] = .free
                probe.fileSystems[cache] = system
            }.hasPrefix("failure")
        )
    }

    @Test func `compares free space and inodes with what the quotas may still use`() {
        var settings = Configuration.Cache()
        settings.path = cache
        let check = DiskSpaceCheck(cache: settings)
        func told(free: Int, used: Int, files: Int?) -> String {
            check.complaint { probe in
                var system = disk
                system.freeBytes = free
                system.freeFiles = files
                probe.fileSystems = ["/var": system]
                probe.folders[cache] = stored(bytes: used)
            }
        }
        #expect(told(free: 21 << 30, used: 0, files: nil) == "")
        #expect(told(free: 19 << 30, used: 0, files: nil).contains("19 GiB free at /var"))
        #expect(told(free: 19 << 30, used: 2 << 30, files: nil) == "")
        #expect(told(free: 30 << 30, used: 0, files: 1000).contains("1000 inodes free"))
    }

    @Test func `does not report a unit's private folder as broken`() {
        let folder = CacheFolderCheck(path: cache)
        let hidden = folder.complaint { $0.folders[cache] = .unreadable(Errno(EACCES, "open")) }
        #expect(hidden.hasPrefix("warning") && hidden.contains("run edgeprint doctor as root"), "\(hidden)")
        let address = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
        let held = ListenCheck(address: address, cachePath: cache).complaint { probe in
            probe.bindErrors[address] = EADDRINUSE
            probe.folders[cache] = .unreadable(Errno(EACCES, "open"))
        }
        #expect(held.hasPrefix("warning") && held.contains("as root"), "\(held)")
    }

    @Test func `distinguishes addresses of the running daemon from those of other processes`() {
        let address = ListenAddress.tcp(host: "127.0.0.1", port: 8080)
        let check = ListenCheck(address: address, cachePath: cache)
        #expect(check.told() == ["ok listen 127.0.0.1:8080"])
        let stranger = check.complaint { $0.bindErrors[address] = EADDRINUSE }
        #expect(stranger.contains("another process") && stranger.contains("sport = :8080"))
        #expect(
            check.complaint { probe in
                probe.bindErrors[address] = EADDRINUSE
                probe.folders[cache] = stored(locked: true)
            } == ""
        )
        #expect(check.complaint { $0.bindErrors[address] = EACCES }.contains("CAP_NET_BIND_SERVICE"))
        #expect(check.complaint { $0.bindErrors[address] = EADDRNOTAVAIL }.contains("not an address of this machine"))
    }

    @Test func `distinguishes a live socket file from a stale one`() {
        let path = "/run/edgeprint/a.sock"
        let address = ListenAddress.unix(path: path)
        let check = ListenCheck(address: address, cachePath: cache)
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n"
        let socket = FileStatus(kind: .socket, mode: 0o666)
        #expect(check.complaint { $0.bindErrors[address] = EACCES }.contains("RuntimeDirectory="))
        var probe = RecordedProbe()
        probe.bindErrors[address] = EADDRINUSE
        probe.statuses[path] = socket
        #expect(check.findings(probe).first?.message.contains("left over from a stopped daemon") == true)
        // Connected, but not listening.
        probe.texts["/proc/net/unix"] = table + "0: 00000003 00000000 00000000 0001 03 22 \(path)\n"
        #expect(check.findings(probe).first?.severity == .ok)
        probe.texts["/proc/net/unix"] = table + "0: 00000002 00000000 00010000 0001 01 22 \(path)\n"
        #expect(check.findings(probe).first?.severity == .failure)
        probe.folders[cache] = stored(locked: true)
        #expect(check.findings(probe).first?.severity == .ok)
        probe.texts["/proc/net/unix"] = table
        probe.statuses[path] = FileStatus(kind: .file, mode: 0o644)
        #expect(check.findings(probe).first?.severity == .failure)
    }

    @Test func `checks folders of sources, and that they do not overlap with the cache`() throws {
        let sources = try load(
            """
            sources:
              local: { url: "file:///srv/images" }
              photos: { url: "https://photos.example.com/a/" }
            """
        ).sources
        let check = SourceFolderCheck(sources: sources, cachePath: cache)
        let folder = FileStatus(kind: .folder, mode: 0o755)
        #expect(check.told { $0.statuses["/srv/images"] = folder } == ["ok source local", "ok source photos"])
        #expect(check.complaint { _ in }.contains("/srv/images does not exist"))
        #expect(
            check.complaint { probe in
                probe.statuses["/srv/images"] = folder
                probe.denials["/srv/images"] = EACCES
            }.contains("chmod o+rx")
        )
        for real in [cache, cache + "/originals", "/var", "/"] {
            let told = check.complaint { probe in
                probe.statuses["/srv/images"] = folder
                probe.realPaths["/srv/images"] = real
            }
            #expect(told.contains("overlap"), "\(real)")
        }
        #expect(SourceFolderCheck(sources: [], cachePath: cache).told() == ["note sources"])
    }

    @Test func `checks the token's strength, and who can read the file with secrets`() throws {
        func check(_ token: String, key: String = "") throws -> SecretCheck {
            let configuration = try load(
                "admin: { token: \"\(token)\" }\nsigning: { keys: [\(key)] }"
            )
            return SecretCheck(
                LoadedConfiguration(
                    configuration: configuration,
                    places: ["admin.token": .file("/etc/edgeprint.yaml", line: 1)]
                )
            )
        }
        let good = "9d1f0c7a5b3e8d2466"
        #expect(try check(good).complaint { _ in } == "")
        #expect(try check("changeme").complaint { _ in }.hasPrefix("failure"))
        #expect(try check("abcabcabcabcabcabcabc").complaint { _ in }.contains("openssl rand -hex 32"))
        #expect(try check("9d1f0c7a").complaint { _ in }.hasPrefix("warning"))
        func told(_ mode: UInt32, _ text: String?, key: String = "") throws -> String {
            try check(good, key: key).complaint { probe in
                probe.statuses["/etc/edgeprint.yaml"] = FileStatus(kind: .file, mode: mode)
                probe.texts["/etc/edgeprint.yaml"] = text
            }
        }
        #expect(try told(0o640, "token: \(good)") == "")
        #expect(try told(0o644, "token: !file /run/token") == "")
        #expect(try told(0o646, "").hasPrefix("failure: /etc/edgeprint.yaml is writable"))
        let told644 = try told(0o644, "token: \(good)")
        #expect(told644.contains("(admin.token)") && told644.contains("chmod 0640") && !told644.contains(good))
        let key = String(repeating: "0aF1", count: 8)
        #expect(try told(0o644, "keys: [\(key)]", key: key).contains("(signing.keys)"))
        #expect(try told(0o644, nil, key: key).contains("(admin.token, signing.keys)"))
    }

    @Test func `checks the secrets of a cluster`() throws {
        func told(token: String) throws -> String {
            let configuration = try load(
                """
                cluster:
                  log: "redis://:pass-of-the-log@127.0.0.1/"
                  store: s3://pics/
                  endpoint: "http://127.0.0.1:9"
                  access-key: key
                  secret-key: of-the-store
                  session-token: of-a-session
                  nodes: ["127.0.0.1:9"]
                  node: "127.0.0.1:9"
                  token: \(token)
                """
            )
            let path = "/etc/edgeprint.yaml"
            let places = ["cluster.log": Place.file(path, line: 1)]
            let loaded = LoadedConfiguration(configuration: configuration, places: places)
            return SecretCheck(loaded).complaint { probe in
                probe.statuses[path] = FileStatus(kind: .file, mode: 0o644)
                probe.texts[path] = "redis://:pass-of-the-log@127.0.0.1/ of-the-store of-a-session"
            }
        }
        let weak = try told(token: "secret")
        #expect(weak.hasPrefix("failure: is a well-known"), "\(weak)")
        let strong = try told(token: "9d1f0c7a5b3e8d2466")
        #expect(strong.contains("(cluster.log, cluster.secret-key, cluster.session-token)"), "\(strong)")
    }
}
