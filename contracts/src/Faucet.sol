// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IFaucet} from "./interfaces/IFaucet.sol";
import {GuardedRoles} from "./lib/GuardedRoles.sol";

contract Faucet is IFaucet, GuardedRoles {
    using SafeERC20 for IERC20;

    bytes32 public constant DRIPPER_ROLE = keccak256("DRIPPER_ROLE");

    IERC20 public immutable token;

    constructor(IERC20 token_, address admin, address guardian, address dripper) GuardedRoles(admin, guardian) {
        token = token_;
        _grantRole(DRIPPER_ROLE, dripper);
    }

    /// @inheritdoc IFaucet
    function drip(address to, uint256 amount) external onlyRole(DRIPPER_ROLE) {
        emit Dripped(to, amount);
        token.safeTransfer(to, amount);
    }
}
