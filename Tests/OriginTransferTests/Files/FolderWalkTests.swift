import CLinux
import Glibc
import OriginTransfer
import LinuxSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FolderWalkTests {
    private let folder: TemporaryFolder
    private let root: SharedDescriptor
    private static let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        for path in ["/root", "/root/sub", "/root/sub/deep", "/outside"] {
            try checked("mkdir") { unsafe mkdir(folder.path + path, 0o755) }
        }
        for path in ["/root/a", "/root/sub/b", "/root/sub/deep/c", "/outside/secret"] {
            let number = try checked("open") { unsafe edge_open(folder.path + path, O_WRONLY | O_CREAT, 0o644) }
            close(number)
        }
        let links = [
            ("to-a", "a"), ("to-sub", "sub"), ("sub/up", "../a"), ("sub/deep/far", "../../to-sub/b"), ("chain", "to-a"),
            ("out", "../outside/secret"), ("out-folder", "../outside"), ("back-in", "../root/a"),
            ("whole", folder.path),
            ("loop", "loop"), ("ping", "pong"), ("pong", "ping"), ("dangling", "nothing"), ("slash", "sub/"),
            ("file-slash", "a/"), ("dots", "./sub/.././sub//deep/c"), ("sub/self", "."),
            ("up-and-down", "sub/../sub/b"),
        ]
        for (name, target) in links {
            try checked("symlink") { unsafe symlink(target, "\(folder.path)/root/\(name)") }
        }
        // 40 links are followed, 41 are not.
        for number in 0...40 {
            let target = number == 0 ? "a" : "long\(number - 1)"
            try checked("symlink") { unsafe symlink(target, "\(folder.path)/root/long\(number)") }
        }
        root = SharedDescriptor(
            owning: try checked("open") {
                unsafe edge_open(folder.path + "/root", edge_O_PATH | O_DIRECTORY | O_CLOEXEC, 0)
            }
        )
    }

    /// What was opened, or the error number.
    private enum Outcome: Equatable {
        case opened(FileIdentity)
        case folder
        case failed(CInt)

        init(_ descriptor: SharedDescriptor) {
            self = FileIdentity(descriptor: descriptor.number).map(Outcome.opened) ?? .folder
        }
    }

    private func walked(_ path: String) -> Outcome {
        do {
            return Outcome(try FolderWalk.open(path, below: root, flags: Self.flags))
        } catch {
            return .failed(error.code)
        }
    }

    private func kernels(_ path: String) -> Outcome {
        let number = unsafe edge_openat_beneath(root.number, path, Self.flags)
        return number >= 0 ? Outcome(SharedDescriptor(owning: number)) : .failed(errno)
    }

    @Test(arguments: [
        "a", "sub/b", "sub/deep/c", "to-a", "to-sub/b", "to-sub/deep/../b", "sub/up", "sub/deep/far", "chain", "dots",
        "sub/self/self/b", "up-and-down", "slash/b", "sub//b", "./sub/./b", "long0", "long39",
    ])
    func `opens what openat2 opens`(_ path: String) throws {
        let found = walked(path)
        guard case .opened = found else {
            Issue.record("\(path): \(found)")
            return
        }
        #expect(found == kernels(path))
    }

    @Test(arguments: [
        ("../outside/secret", EXDEV), ("sub/../../outside/secret", EXDEV), ("/a", EXDEV), ("..", EXDEV), ("out", EXDEV),
        ("out-folder/secret", EXDEV), ("back-in", EXDEV), ("whole/root/a", EXDEV), ("loop", ELOOP), ("ping", ELOOP),
        ("long40", ELOOP), ("dangling", ENOENT), ("nothing", ENOENT), ("nothing/a", ENOENT), ("a/", ENOTDIR),
        ("a/..", ENOTDIR), ("a/b", ENOTDIR), ("file-slash", ENOTDIR), ("", ENOENT),
        (String(repeating: "n", count: 256), ENAMETOOLONG), (String(repeating: "./", count: 2048) + "a", ENAMETOOLONG),
    ])
    func `refuses what openat2 refuses, with its error`(_ path: String, _ code: CInt) {
        #expect(walked(path) == .failed(code))
        #expect(kernels(path) == .failed(code))
    }

    @Test(arguments: ["sub", "sub/", ".", "sub/..", "slash", "sub/self"])
    func `opens folders as folders`(_ path: String) {
        #expect(walked(path) == .folder)
        #expect(kernels(path) == .folder)
    }
}
