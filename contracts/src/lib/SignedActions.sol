// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {ISignedActions} from "../interfaces/ISignedActions.sol";

/// @title The checks that every signed action passes
abstract contract SignedActions is ISignedActions, EIP712, Nonces {
    /// @dev A signature that is valid for longer than a week is a standing order, and no action here is meant as one.
    uint256 internal constant MAX_DEADLINE_SECS = 7 days;

    /// @inheritdoc ISignedActions
    function cancelNonce(uint256 nonce) external {
        _useCheckedNonce(msg.sender, nonce);
        emit NonceCancelled(msg.sender, nonce);
    }

    /**
     * @dev Accepts an action once. The nonce is a parameter although the contract knows it: a stale one is then refused
     * by name instead of as a bad signature, and the relayer can tell its client to sign again. It is consumed before
     * the signer, which may be a contract, is asked.
     */
    function _authorise(
        address signer,
        uint256 nonce,
        uint256 deadline,
        bytes32 structHash,
        bytes calldata signature
    ) internal {
        if (block.timestamp >= deadline) revert SignatureExpired(deadline);
        uint256 latest = block.timestamp + MAX_DEADLINE_SECS;
        if (deadline > latest) revert DeadlineTooFar(deadline, latest);
        _useCheckedNonce(signer, nonce);
        if (!_isSignedBy(signer, _hashTypedDataV4(structHash), signature)) revert InvalidSignature(signer);
    }

    /**
     * @dev The key comes first, because an account that delegated to code (EIP-7702) keeps its key, and its code need
     * not know EIP-1271. A contract without a key has no ECDSA signature to offer, so nothing is opened by the order.
     */
    function _isSignedBy(address signer, bytes32 digest, bytes calldata signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(digest, signature);
        return
            (failure == ECDSA.RecoverError.NoError && recovered == signer) ||
            SignatureChecker.isValidSignatureNowCalldata(signer, digest, signature);
    }
}
