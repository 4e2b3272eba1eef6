// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Values that a network sets once.
struct StakingParameters {
    /// Least collateral of a subscription that somebody adds to.
    uint256 bondMin;
    /// Seconds between unbonding and release.
    uint64 unbondingSecs;
    /// Bounds of dispute windows, in seconds.
    uint64 disputeWindowSecsMin;
    uint64 disputeWindowSecsMax;
}

/// @notice On-chain states of a subscription. The hub decides whether a bonded one is active, paused or jailed.
enum SubscriptionState {
    PendingCollateral,
    Bonded,
    Unbonding
}

/// @notice The collateral of one owner for one node in one project.
struct Subscription {
    /// Zero before the first bond and after a withdrawal.
    address owner;
    /// Unix seconds from which the collateral may leave; zero unless unbonding.
    uint64 releaseAt;
    /// Slashes that are neither cancelled nor executed. No collateral leaves to the owner while there is one.
    uint32 openSlashes;
    uint256 collateral;
    /// Address that receives rewards; zero stands for the owner, so that the common case needs no storage.
    address payout;
}

/// @notice Cancelled, Executed and Void are final; the others are open.
enum SlashState {
    None,
    Proposed,
    Disputed,
    Upheld,
    Cancelled,
    Executed,
    Void
}

/// @notice A slash, known by the hash of its evidence.
struct Slash {
    bytes32 subscriptionId;
    /// Proposed amount. Execution takes all collateral if less is left.
    uint128 amount;
    /// Unix seconds at which the dispute window ends. The execution waits for the grace period after it too.
    uint64 executableAt;
    SlashState state;
    /// Unix seconds by which an arbiter decides about the dispute; zero without one.
    uint48 decideBy;
}

/// @notice An owner's signed order to add collateral. The members are those of the EIP-712 type, in its order.
struct Bond {
    address owner;
    bytes32 projectId;
    bytes32 nodeKey;
    uint256 amount;
    uint256 nonce;
    uint256 deadline;
}

/// @notice An owner's signed order to add collateral to several subscriptions; entries with the same index are one item.
struct BondBatch {
    address owner;
    bytes32[] projectIds;
    bytes32[] nodeKeys;
    uint256[] amounts;
    uint256 nonce;
    uint256 deadline;
}

/// @notice An owner's signed order to change the address that receives rewards.
struct SetPayout {
    address owner;
    bytes32 subscriptionId;
    address payout;
    uint256 nonce;
    uint256 deadline;
}

/// @notice An owner's signed order to begin unbonding.
struct Unbond {
    address owner;
    bytes32 subscriptionId;
    uint256 nonce;
    uint256 deadline;
}

/// @notice An owner's signed order to take the collateral back.
struct Withdraw {
    address owner;
    bytes32 subscriptionId;
    uint256 nonce;
    uint256 deadline;
}

/// @notice The token's permit for exactly the bonded amount, of a batch for their sum. An empty signature means that an allowance exists.
struct PermitSignature {
    uint256 deadline;
    bytes signature;
}

/**
 * @title EIP-712 hashes of the orders that owners sign
 * @dev A struct of static members encodes to their words in order, and EIP-712 hashes these. A list enters as the hash
 * of its words.
 */
library StakingActions {
    bytes32 internal constant BOND_TYPEHASH =
        keccak256(
            "Bond(address owner,bytes32 projectId,bytes32 nodeKey,uint256 amount,uint256 nonce,uint256 deadline)"
        );

    bytes32 internal constant BOND_BATCH_TYPEHASH =
        keccak256(
            "BondBatch(address owner,bytes32[] projectIds,bytes32[] nodeKeys,uint256[] amounts,uint256 nonce,uint256 deadline)"
        );

    bytes32 internal constant SET_PAYOUT_TYPEHASH =
        keccak256(
            "SetPayout(address owner,bytes32 subscriptionId,address payout,uint256 nonce,uint256 deadline)"
        );

    bytes32 internal constant UNBOND_TYPEHASH =
        keccak256(
            "Unbond(address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline)"
        );

    bytes32 internal constant WITHDRAW_TYPEHASH =
        keccak256(
            "Withdraw(address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline)"
        );

    function hash(Bond calldata action) internal pure returns (bytes32) {
        return keccak256(abi.encode(BOND_TYPEHASH, action));
    }

    function hash(BondBatch calldata action) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    BOND_BATCH_TYPEHASH,
                    action.owner,
                    keccak256(abi.encodePacked(action.projectIds)),
                    keccak256(abi.encodePacked(action.nodeKeys)),
                    keccak256(abi.encodePacked(action.amounts)),
                    action.nonce,
                    action.deadline
                )
            );
    }

    function hash(SetPayout calldata action) internal pure returns (bytes32) {
        return keccak256(abi.encode(SET_PAYOUT_TYPEHASH, action));
    }

    function hash(Unbond calldata action) internal pure returns (bytes32) {
        return keccak256(abi.encode(UNBOND_TYPEHASH, action));
    }

    function hash(Withdraw calldata action) internal pure returns (bytes32) {
        return keccak256(abi.encode(WITHDRAW_TYPEHASH, action));
    }
}
