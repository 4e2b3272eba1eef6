// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title A token whose issuer refuses accounts, takes tokens away, and has every call of it burn gas
contract IssuerToken is ERC20 {
    mapping(address account => bool) private _isRefused;
    uint256 private _burntGas;

    constructor() ERC20("Issuer", "ISS") {
        _mint(msg.sender, 1e24);
    }

    function refuse(address account, bool isRefused) external {
        _isRefused[account] = isRefused;
    }

    function take(address account, uint256 amount) external {
        _burn(account, amount);
    }

    function burnGas(uint256 amount) external {
        _burntGas = amount;
    }

    function balanceOf(address account) public view override returns (uint256) {
        _waste();
        return super.balanceOf(account);
    }

    function _waste() private view {
        uint256 begun = gasleft();
        while (begun - gasleft() < _burntGas) {}
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!_isRefused[to], "refused");
        _waste();
        super._update(from, to, amount);
    }
}
