// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

/**
 * @title The admin of every contract: each of its changes is announced some time before
 * @notice Only this contract gives and takes roles. Its admin schedules such a call, which everybody can see, and executes it
 * once the delay is over; before that it can cancel the call. The delay and the admin themselves change in no other way.
 */
contract AdminTimelock is TimelockController {
    constructor(uint256 delaySecs, address admin) TimelockController(delaySecs, _only(admin), _only(admin), address(0)) {}

    function _only(address account) private pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = account;
    }
}
