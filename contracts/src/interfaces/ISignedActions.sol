// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @title Actions that an account signs and anyone may submit on chain
 * @notice The signature is the authority, so it does not matter who sends the transaction or pays for it. The EIP-712
 * domain is exactly name, version "1", chain id and contract: a signature for one deployment is not valid in
 * another.
 */
interface ISignedActions {
    event NonceCancelled(address indexed signer, uint256 nonce);

    /// @notice The block time has reached the deadline, and the signer may have changed its mind.
    error SignatureExpired(uint256 deadline);

    /// @notice The deadline is more than a week ahead.
    error DeadlineTooFar(uint256 deadline, uint256 latest);

    /// @notice The signature is not valid for this account: neither with its key nor, for a contract, by EIP-1271.
    error InvalidSignature(address signer);

    /**
     * @notice Cancels the action that the caller has signed with this nonce, its next one, and that nobody has submitted yet.
     * @dev The caller names the nonce, so that no other action is cancelled if this one was submitted just before.
     */
    function cancelNonce(uint256 nonce) external;
}
