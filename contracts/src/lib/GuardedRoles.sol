// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";

/**
 * @title Roles that somebody can take away at once
 * @notice The admin announces each change and waits; meanwhile a stolen key must not continue to act. A guardian takes any
 * role but the admin's from any account, and can do nothing else: only the admin gives roles, also those that a guardian took.
 */
abstract contract GuardedRoles is AccessControl {
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    constructor(address admin, address guardian) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(GUARDIAN_ROLE, guardian);
    }

    /// @notice Takes a role away. The admin may; a guardian may too, unless it is the admin's role.
    function revokeRole(bytes32 role, address account) public override {
        if (role != DEFAULT_ADMIN_ROLE && hasRole(GUARDIAN_ROLE, msg.sender)) _revokeRole(role, account);
        else super.revokeRole(role, account);
    }
}
