// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {IHubToken} from "./interfaces/IHubToken.sol";
import {GuardedRoles} from "./lib/GuardedRoles.sol";

/**
 * @dev The name that wallets show and the name of the permit's EIP-712 domain are two parameters, because the network's
 * profile has two. Signers take the domain from `eip712Domain()` or the network's descriptor, never from `name()`.
 */
contract HubToken is IHubToken, ERC20, ERC20Permit, GuardedRoles {
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    /// @param supply created for `holder` at once, so that a network with a full faucet is deployed without a minter's key.
    constructor(
        string memory name,
        string memory symbol,
        string memory permitName,
        address admin,
        address guardian,
        address minter,
        address holder,
        uint256 supply
    ) ERC20(name, symbol) ERC20Permit(permitName) GuardedRoles(admin, guardian) {
        _grantRole(MINTER_ROLE, minter);
        _mint(holder, supply);
    }

    /// @inheritdoc IHubToken
    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        _mint(to, amount);
    }
}
