// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @title A pause that ends by itself
 * @notice It gives an arbiter time to act on a problem, and cannot be extended. A pause lasts three days at most; one that is
 * ended early and started again ends when the first would have ended. The next one may start a day after that.
 */
interface IExpiringPause {
    event Paused(address account);
    event Unpaused(address account);

    /// @notice The call is refused during a pause. A pause cannot be started during another one.
    error EnforcedPause();

    /// @notice No pause was started, or it was ended.
    error ExpectedPause();

    /// @notice The last pause ended too recently.
    error PauseSpent(uint64 nextAt);

    /// @notice Starts a pause. Only an arbiter may.
    function pause() external;

    /// @notice Ends a pause before its time. Only an arbiter may.
    function unpause() external;

    /// @notice Whether a pause was started that is neither ended nor over.
    function paused() external view returns (bool);

    /// @notice Unix seconds at which the last pause ends, if it is not ended before; zero before the first pause.
    function pausedUntil() external view returns (uint64);
}
