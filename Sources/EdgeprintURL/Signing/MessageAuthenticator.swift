/// Computes HMAC-SHA256 (RFC 2104) with a signing key.
///
/// The module has no cryptography of its own: conform a type that has the key. With CryptoKit, or on other platforms with
/// swift-crypto (`import Crypto`):
///
/// ```swift
/// import CryptoKit
///
/// struct SigningKey: MessageAuthenticator {
///     let key: SymmetricKey
///
///     func authenticationCode(for message: [UInt8]) -> [UInt8] {
///         Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
///     }
/// }
/// ```
///
/// `signing.keys` of the server are hexadecimal; the key is the bytes that the digits stand for. An app should not contain it: whoever
/// has the app has the key. Let a backend sign, for example with a scope.
public protocol MessageAuthenticator: Sendable {
    /// The 32 bytes of the code.
    func authenticationCode(for message: [UInt8]) -> [UInt8]
}
