// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Roles of all vaults, kept by their factory
library VaultRoles {
    /// @dev May say what an epoch pays.
    bytes32 internal constant POSTER = keccak256("POSTER_ROLE");
    /// @dev May take back what a poster said.
    bytes32 internal constant ARBITER = keccak256("ARBITER_ROLE");
}
