// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @title Stock of test tokens
 * @notice The hub decides who gets how much and how often. The stock is here instead of in the hub's own wallet,
 * so that it can be seen, refilled by anyone, and given out by more than one key.
 */
interface IFaucet {
    /// @notice Tokens were given to a wallet.
    event Dripped(address indexed to, uint256 amount);

    /// @notice Gives tokens of the stock. Only a dripper may.
    function drip(address to, uint256 amount) external;
}
