// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @title A pause that ends by itself
 * @notice It gives an arbiter time to act on what it has found, and holds nothing for longer. A pause lasts three days at
 * most; one that is ended early and taken up again ends when the first would have. The next one may begin a day after.
 */
interface IExpiringPause {
    event Paused(address account);
    event Unpaused(address account);

    /// @notice This is not done during a pause, nor is a pause begun in one.
    error EnforcedPause();

    /// @notice No pause was begun, or it was ended.
    error ExpectedPause();

    /// @notice The last pause is not over for long enough.
    error PauseSpent(uint64 nextAt);

    /// @notice Begins a pause. Only an arbiter may.
    function pause() external;

    /// @notice Ends a pause before its time. Only an arbiter may.
    function unpause() external;

    /// @notice Whether a pause was begun, and neither ended nor is its time over.
    function paused() external view returns (bool);

    /// @notice Unix seconds at which the last pause ends, if it is not ended before; zero while there was none.
    function pausedUntil() external view returns (uint64);
}
