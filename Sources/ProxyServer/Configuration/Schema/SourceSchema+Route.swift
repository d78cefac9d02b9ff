import ImagePipeline
import OriginTransfer

extension SourceSchema {
    /// How a source's connections are made.
    static let route: [Setting<Draft>] = [
        Setting(
            "tls.ca",
            \.rule.tls.authority,
            .optional(.absoluteFile),
            "A file of trusted certificates (PEM) instead of the system's."
        ),
        Setting(
            "tls.certificate",
            \.rule.tls.certificate,
            .optional(.absoluteFile),
            "A file with the certificate that the origin is shown (PEM)."
        ),
        Setting(
            "tls.key",
            \.rule.tls.key,
            .optional(.absoluteFile),
            "A file with the certificate's key (PEM), if it is not in the same one."
        ),
        Setting(
            "tls.verify",
            \.rule.tls.verifies,
            .flag,
            "Whether the origin's certificate is verified; without, anybody on the way can replace its pictures."
        ),
        Setting(
            "proxy",
            \.rule.proxy,
            .optional(.proxy),
            takesEnvironment: false,
            "The proxy through which the origin is asked: http://, https:// or socks5h://; it resolves the names."
        ),
        Setting(
            "interface",
            \.rule.interface,
            .optional(.interface),
            "The network interface or the address that connections to the origin start from."
        ),
    ]
}
