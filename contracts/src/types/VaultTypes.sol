// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice The cost of an epoch. The sum is reserved when the epoch is posted.
struct Totals {
    /// Sum of the leaves.
    uint128 miner;
    uint128 developer;
    uint128 treasury;
}

/**
 * @notice How long epochs are and what each may cost, from some time on. Epoch `n` lasts from `n × epochSecs` to
 * `(n + 1) × epochSecs`.
 */
struct Terms {
    /// Unix seconds: the first epoch by these terms ends after it.
    uint64 from;
    uint32 epochSecs;
    /// The most an epoch pays, fees included.
    uint128 epochCap;
}

/// @notice A posted epoch. An epoch that was vetoed, or never posted, has the root zero.
struct Epoch {
    bytes32 merkleRoot;
    /// Unix seconds: a veto comes before, payments not before.
    uint64 releaseAt;
    /// Whether it was vetoed, and the arbiter has not allowed another root yet.
    bool isVetoed;
    /// Part of the miners' total that nobody claimed yet; claims stop at zero, whatever the root proves.
    uint128 unclaimed;
    /// Fee not yet paid.
    uint128 developer;
    /// Fee not yet paid.
    uint128 treasury;
}

/// @notice One payout of one epoch, with its way to the root.
struct Claim {
    uint256 epoch;
    address miner;
    uint256 amount;
    bytes32[] proof;
}

/// @notice A developer's announcement to take funds out.
struct Withdrawal {
    uint128 amount;
    /// Unix seconds from which it may be carried out.
    uint64 availableAt;
    /// Unix seconds from which it is void, so that an announcement cannot be saved for later.
    uint64 expiresAt;
}

/// @notice A vault's books in one read.
struct VaultSummary {
    bytes32 projectId;
    address developer;
    address token;
    /// Funds in the books: deposits less payments and withdrawals. A token whose issuer takes tokens away may leave less.
    uint256 balance;
    /// Part of the balance that posted epochs have a claim on.
    uint256 reserved;
    uint256 totalFunded;
    /// Paid out of epochs: to miners, developer and treasury.
    uint256 totalPaid;
    /// Amount of the developer's announced withdrawal; zero if expired.
    uint256 pendingWithdrawal;
    uint64 withdrawalAvailableAt;
}

/// @title Leaf of an epoch's payout tree
library PayoutLeaf {
    /**
     * @dev Hashed twice, so that an inner node, whose preimage has 64 bytes, never passes as a leaf. The project is in
     * the leaf, so a proof is valid in one vault only.
     *
     * | offset | bytes | field                    |
     * | ------ | ----- | ------------------------ |
     * | 0      | 32    | project id               |
     * | 32     | 32    | epoch                    |
     * | 64     | 32    | miner, left-padded       |
     * | 96     | 32    | amount                   |
     */
    function hash(bytes32 projectId, uint256 epoch, address miner, uint256 amount) internal pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(projectId, epoch, miner, amount))));
    }
}
