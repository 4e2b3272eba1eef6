// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @title The test network's token
 * @notice Worth nothing: it exists so that collateral, rewards and slashes can be tried. Besides this, an ERC-20
 * with ERC-2612.
 */
interface IHubToken {
    /// @notice Creates tokens. Only a minter may; there is no cap, because the tokens have no value.
    function mint(address to, uint256 amount) external;
}
