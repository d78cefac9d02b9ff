import HTTPKit
import LinuxSystem
final class Metrics: Sendable { init(loops: Int) {}; var exposition: String { "" } }
final class AccessLog: Sendable { init(format: LogFormat, loops: Int) {} }
final class RequestObserver: Sendable { init(metrics: Metrics, log: AccessLog?, time: any TimeSource) {}
 func began(loop: Int) {}
 func finished(_ e: ExchangeSummary, target: Span<UInt8>) {}
 func flush(loop: Int) {}
}
import Logging
enum EventLog { static func logger(_ log: Configuration.Log) -> Logger { Logger(label: "edgeprint") } }
