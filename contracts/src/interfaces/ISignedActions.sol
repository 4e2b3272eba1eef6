// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @title Actions that an account signs and anyone may bring to the chain
 * @notice The signature is the authority, so it does not matter who sends the transaction or pays for it. The EIP-712
 * domain is exactly name, version "1", chain id and contract: a signature for one deployment is worth nothing in
 * another.
 */
interface ISignedActions {
    event NonceCancelled(address indexed signer, uint256 nonce);

    /// @notice The block time has reached the deadline, so what the signer wanted then may not be what it wants now.
    error SignatureExpired(uint256 deadline);

    /// @notice The deadline lies further ahead than any signer should commit itself to.
    error DeadlineTooFar(uint256 deadline, uint256 latest);

    /// @notice The signature is not this account's: neither by its key nor, for a contract, by EIP-1271.
    error InvalidSignature(address signer);

    /**
     * @notice Takes back what the caller has signed with this nonce, its next one, and nobody has brought yet.
     * @dev The nonce is named, so that nothing else is taken back where the order was brought just before.
     */
    function cancelNonce(uint256 nonce) external;
}
