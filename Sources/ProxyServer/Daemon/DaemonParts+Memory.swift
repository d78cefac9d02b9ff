import CLinux
import ImagePipeline
import LinuxSystem
import Logging
import OriginTransfer

extension DaemonParts {
    /// Creates the trim of freed memory and of code when the daemon is idle.
    static func idleTrim(
        _ live: LiveConfiguration,
        _ metrics: Metrics,
        _ workers: WorkerPool,
        _ transfers: TransferEngine,
        _ relief: DescriptorRelief
    ) -> IdleTrim {
        IdleTrim(
            patience: { live.current.limits.memoryIdle },
            activity: {
                let loads = transfers.statistics
                // Probes of a load balancer are no work.
                let requests = RequestResult.allCases.reduce(0) { sum, result in
                    result == .other ? sum : sum + Int(clamping: metrics.requests.value(result))
                }
                return IdleTrim.Activity(
                    done: requests + loads.requests,
                    underWay: Int(metrics.inFlight.value) + workers.waitingCount + loads.active + loads.waiting
                )
            },
            trim: {
                transfers.trim()
                relief.relieve()
                edge_malloc_trim()
            },
            unmap: { edge_unmap_unused_code() }
        )
    }

    /// Logs at start the warnings of `edgeprint doctor` about memory, descriptors and limits in pixels.
    static func warnOfLimits(_ configuration: Configuration, _ logger: Logger) {
        for finding in DescriptorLimitCheck(configuration).findings(MachineProbe()) where finding.severity != .ok {
            logger.warning(
                "descriptors may be insufficient",
                metadata: ["problem": "\(finding.message)", "fix": "\(finding.fix ?? "")"]
            )
        }
        for finding in MemoryCheck(configuration: configuration).findings(MachineProbe())
        where finding.severity == .warning {
            logger.warning("memory may be insufficient", metadata: ["problem": "\(finding.message)"])
        }
        for limit in SmallPixelLimit.all(in: configuration) {
            logger.warning("a limit may be too small", metadata: ["key": "\(limit.key)", "problem": "\(limit.reason)"])
        }
    }
}
