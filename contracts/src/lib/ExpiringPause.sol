// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IExpiringPause} from "../interfaces/IExpiringPause.sol";

abstract contract ExpiringPause is IExpiringPause {
    /// @dev Over a weekend; an open slash can be executed for longer than that.
    uint64 public constant PAUSE_SECS = 3 days;
    /// @dev Otherwise consecutive pauses would be one without an end.
    uint64 public constant PAUSE_REST_SECS = 1 days;

    /// @inheritdoc IExpiringPause
    uint64 public pausedUntil;
    bool private _isBegun;

    modifier whenNotPaused() {
        if (paused()) revert EnforcedPause();
        _;
    }

    /// @inheritdoc IExpiringPause
    function paused() public view returns (bool) {
        return _isBegun && block.timestamp < pausedUntil;
    }

    function _pause() internal whenNotPaused {
        if (block.timestamp >= pausedUntil) {
            uint64 nextAt = pausedUntil == 0 ? 0 : pausedUntil + PAUSE_REST_SECS;
            if (block.timestamp < nextAt) revert PauseSpent(nextAt);
            pausedUntil = uint64(block.timestamp) + PAUSE_SECS;
        }
        _isBegun = true;
        emit Paused(msg.sender);
    }

    /// @dev Also if its time is over already, so that a call to end it is never refused because it comes late.
    function _unpause() internal {
        if (!_isBegun) revert ExpectedPause();
        _isBegun = false;
        emit Unpaused(msg.sender);
    }
}
