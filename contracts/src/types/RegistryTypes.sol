// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @notice The state of a project in the catalogue. The numbers are those of `ListingStatusSet`.
 * @dev Draft and Submitted exist only off the chain; they are here so that the numbers follow the network's own order.
 */
enum ListingStatus {
    Draft,
    Submitted,
    PendingReview,
    Listed,
    Paused,
    Underfunded,
    Rejected,
    Delisted
}

/// @notice The data that the chain has about a project.
struct Project {
    /// Zero when nobody registered the project. Never changes: the project id is derived from it.
    address developer;
    /// Version of the manifest that the two hashes are of. Versions without a change of consensus never come here.
    uint32 version;
    ListingStatus status;
    /// Hash of the rules that committees must agree on.
    bytes32 consensusHash;
    /// The whole manifest, so that anyone can compare a document with the chain.
    bytes32 manifestHash;
}

/// @notice A developer's signed order to register a project. The members are those of the EIP-712 type, in its order.
struct Register {
    address developer;
    string slug;
    bytes32 worker;
    bytes32 consensusHash;
    bytes32 manifestHash;
    uint256 nonce;
    uint256 deadline;
}

/// @notice A developer's signed order to publish a version whose consensus changed.
struct PublishVersion {
    address developer;
    bytes32 projectId;
    uint32 version;
    bytes32 consensusHash;
    bytes32 manifestHash;
    uint256 nonce;
    uint256 deadline;
}

/// @title EIP-712 hashes of the orders that developers sign
library RegistryActions {
    bytes32 internal constant REGISTER_TYPEHASH =
        keccak256(
            "Register(address developer,string slug,bytes32 worker,bytes32 consensusHash,bytes32 manifestHash,uint256 nonce,uint256 deadline)"
        );

    bytes32 internal constant PUBLISH_VERSION_TYPEHASH =
        keccak256(
            "PublishVersion(address developer,bytes32 projectId,uint32 version,bytes32 consensusHash,bytes32 manifestHash,uint256 nonce,uint256 deadline)"
        );

    function hash(Register calldata action) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    REGISTER_TYPEHASH,
                    action.developer,
                    keccak256(bytes(action.slug)),
                    action.worker,
                    action.consensusHash,
                    action.manifestHash,
                    action.nonce,
                    action.deadline
                )
            );
    }

    /// @dev A struct of static members encodes to their words in order, and EIP-712 hashes these.
    function hash(PublishVersion calldata action) internal pure returns (bytes32) {
        return keccak256(abi.encode(PUBLISH_VERSION_TYPEHASH, action));
    }
}
