// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Roles of all vaults, kept by their factory
library VaultRoles {
    /// @dev May post the payouts of an epoch.
    bytes32 internal constant POSTER = keccak256("POSTER_ROLE");
    /// @dev May veto an epoch that a poster posted.
    bytes32 internal constant ARBITER = keccak256("ARBITER_ROLE");
}
