// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that calls back before it moves, as a developer who wants to rob its own vault would choose
contract CallbackToken is ERC20 {
    address private _target;
    bytes private _data;
    /// The answer to the callback.
    bytes public answer;

    constructor() ERC20("Callback", "CALL") {
        _mint(msg.sender, 1e24);
    }

    function arm(address target, bytes calldata data) external {
        _target = target;
        _data = data;
    }

    function _update(address from, address to, uint256 amount) internal override {
        address target = _target;
        if (target != address(0)) {
            _target = address(0);
            (, answer) = target.call(_data);
        }
        super._update(from, to, amount);
    }
}
