// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/**
 * @title The admin of every contract: what it does was announced some time before
 * @notice Roles are given and taken by this contract alone. Its admin schedules such a call, which everybody sees, and carries
 * it out once the delay is over; it can also take it back before. The delay and the admin themselves change in no other way.
 */
contract AdminTimelock is TimelockController {
    constructor(uint256 delaySecs, address admin) TimelockController(delaySecs, _only(admin), _only(admin), address(0)) {}

    function _only(address account) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = account;
    }
}
