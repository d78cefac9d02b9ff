import CEscapes
import CLinux
import Glibc
import ImagePlan
import WorkerSandbox

/// `HostileWorker --sandbox=MODE NAME ARGUMENT`: locks itself as `edgeprint-worker` does, greets, and tries one escape.
///
/// With `--trial` it makes the attempt as part of a canary's trials, and then waits like a worker until the daemon closes the socket.
/// Otherwise it exits with 0 if the escape succeeded, else with the errno of the refusal; the filter may kill it before. With
/// `--in-thread` a thread makes the attempt that exists before the lock.
@main
enum HostileWorker {
    static func main() {
        let arguments = CommandLine.arguments
        let options = SandboxOptions(arguments)
        var sandbox = Sandbox(options)
        guard arguments.count >= 3 else { exit(255) }
        let escape = Escape(name: arguments[arguments.count - 2], argument: arguments[arguments.count - 1])
        if arguments.contains("--trial") {
            sandbox.lock()
            if options.isCanary { _ = escape.attempt() }
            sandbox.finishTrials()
            greet(sandbox.posture)
            var byte: UInt8 = 0
            _ = unsafe read(3, &byte, 1)
            exit(0)
        }
        var thread = pthread_t()
        let isThreaded = arguments.contains("--in-thread")
        if isThreaded {
            let pointer = unsafe Unmanaged.passRetained(escape).toOpaque()
            guard unsafe pthread_create(&thread, nil, Escape.run, pointer) == 0 else { exit(255) }
        }
        sandbox.lock()
        greet(sandbox.posture)
        if isThreaded {
            escape.begin()
            pthread_join(thread, nil)
        }
        exit(escape.attempt())
    }

    private static func greet(_ posture: WorkerPosture) {
        guard let greeting = try? WorkerMessage.encodeReady(WorkerGreeting(posture, encoded: [])),
            unsafe edge_send_with_descriptors(3, greeting, greeting.count, nil, 0) == greeting.count
        else { exit(255) }
    }
}

/// An attempt, and a gate for one that a waiting thread makes.
@safe
final class Escape {
    private let name: String
    private let argument: String
    private let gate = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init(name: String, argument: String) {
        (self.name, self.argument) = (name, argument)
        unsafe gate.initialize(to: sem_t())
        unsafe sem_init(gate, 0, 0)
    }

    /// Makes the attempt; the errno, or 0 for success.
    func attempt() -> CInt { unsafe edge_escape(name, argument) }

    /// Lets the thread make its attempt.
    func begin() { unsafe sem_post(gate) }

    private func wait() {
        while unsafe sem_wait(gate) != 0 {}
    }

    /// The body of the thread; the process ends with its attempt.
    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
        guard let pointer = unsafe pointer else { return nil }
        let escape = unsafe Unmanaged<Escape>.fromOpaque(pointer).takeRetainedValue()
        escape.wait()
        exit(escape.attempt())
    }
}
