// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token that keeps a tenth of every transfer
contract FeeToken is ERC20 {
    constructor() ERC20("Fee", "FEE") {
        _mint(msg.sender, 1e24);
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (from == address(0)) return super._update(from, to, amount);
        super._update(from, address(0), amount / 10);
        super._update(from, to, amount - amount / 10);
    }
}
