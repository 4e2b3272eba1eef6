// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IStaking} from "../interfaces/IStaking.sol";
import {Slash, SlashState, StakingParameters, Subscription} from "../types/StakingTypes.sol";
import {Collateral} from "./Collateral.sol";

/**
 * @title Slashes, which take collateral after everyone had time to object
 * @dev Proposed → Executed, or Disputed → Cancelled or Upheld → Executed; an arbiter may cancel any open one, and a dispute
 * that nobody decides ends as Cancelled. A slash that nobody executes in time ends as Void. A subscription counts its open
 * slashes, and collateral cannot be withdrawn while there is one.
 */
abstract contract Slashing is Collateral {
    using SafeERC20 for IERC20;
    using SafeCast for uint256;

    /// @dev A dispute sent in the last second of the window is mined within this, also when blocks are full for a while.
    uint64 public constant DISPUTE_GRACE_SECS = 15 minutes;
    /// @dev Time for an arbiter, a person, to decide about a dispute.
    uint48 public constant DECISION_SECS = 14 days;
    /// @dev Time to execute a slash, more than twice as long as a pause lasts.
    uint64 public constant EXECUTION_SECS = 7 days;

    /// @inheritdoc IStaking
    address public immutable treasury;
    /// @inheritdoc IStaking
    uint64 public immutable disputeWindowSecsMin;
    /// @inheritdoc IStaking
    uint64 public immutable disputeWindowSecsMax;

    mapping(bytes32 evidenceHash => Slash) private _slashes;
    /// @inheritdoc IStaking
    mapping(bytes32 offenceId => bytes32 evidenceHash) public evidenceOf;

    constructor(address treasury_, StakingParameters memory parameters) {
        treasury = treasury_;
        disputeWindowSecsMin = parameters.disputeWindowSecsMin;
        disputeWindowSecsMax = parameters.disputeWindowSecsMax;
    }

    /// @inheritdoc IStaking
    function slashOf(bytes32 evidenceHash) external view returns (Slash memory) {
        return _slashes[evidenceHash];
    }

    function _proposeSlash(
        bytes32 subscriptionId,
        bytes32 offenceId,
        bytes32 evidenceHash,
        uint256 amount,
        uint64 disputeWindowSecs
    ) internal {
        if (amount == 0) revert ZeroAmount();
        if (disputeWindowSecs < disputeWindowSecsMin || disputeWindowSecs > disputeWindowSecsMax)
            revert InvalidDisputeWindow(disputeWindowSecs, disputeWindowSecsMin, disputeWindowSecsMax);
        if (_slashes[evidenceHash].state != SlashState.None) revert AlreadyProposed(evidenceHash);
        if (evidenceOf[offenceId] != 0) revert OffenceKnown(offenceId, evidenceOf[offenceId]);
        _existing(subscriptionId).openSlashes += 1;
        uint64 executableAt = uint64(block.timestamp) + disputeWindowSecs;
        evidenceOf[offenceId] = evidenceHash;
        _slashes[evidenceHash] = Slash(subscriptionId, amount.toUint128(), executableAt, SlashState.Proposed, 0);
        emit SlashProposed(evidenceHash, subscriptionId, offenceId, amount, executableAt);
    }

    function _disputeSlash(address account, bool isProposer, bytes32 evidenceHash) internal {
        Slash storage slash = _slashes[evidenceHash];
        if (slash.state != SlashState.Proposed) revert InvalidSlashState(evidenceHash, slash.state);
        if (!isProposer && _subscriptions[slash.subscriptionId].owner != account)
            revert NotDisputer(evidenceHash, account);
        uint64 endsAt = _windowEnd(slash);
        if (block.timestamp >= endsAt) revert DisputeWindowOver(evidenceHash, endsAt);
        slash.state = SlashState.Disputed;
        slash.decideBy = uint48(block.timestamp) + DECISION_SECS;
        emit SlashDisputed(evidenceHash);
    }

    function _cancelSlash(bytes32 evidenceHash) internal {
        Slash storage slash = _slashes[evidenceHash];
        if (!_isOpen(slash.state)) revert InvalidSlashState(evidenceHash, slash.state);
        _close(slash, SlashState.Cancelled);
        emit SlashCancelled(evidenceHash);
    }

    function _endDispute(bytes32 evidenceHash) internal {
        Slash storage slash = _slashes[evidenceHash];
        if (slash.state != SlashState.Disputed) revert InvalidSlashState(evidenceHash, slash.state);
        if (block.timestamp < slash.decideBy) revert DecisionPending(evidenceHash, slash.decideBy);
        _cancelSlash(evidenceHash);
    }

    function _upholdSlash(bytes32 evidenceHash) internal {
        Slash storage slash = _slashes[evidenceHash];
        if (slash.state != SlashState.Disputed) revert InvalidSlashState(evidenceHash, slash.state);
        if (block.timestamp >= slash.decideBy) revert DecisionOverdue(evidenceHash, slash.decideBy);
        slash.state = SlashState.Upheld;
        emit SlashUpheld(evidenceHash);
    }

    /// @dev Several slashes may be open at once; each takes from the collateral that the earlier ones left. The subscription continues after all of them.
    function _executeSlash(bytes32 evidenceHash) internal {
        Slash storage slash = _executable(evidenceHash);
        uint64 endsAt = _windowEnd(slash);
        if (block.timestamp < endsAt) revert DisputeWindowOpen(evidenceHash, endsAt);
        uint64 voidAt = _voidAt(slash);
        if (block.timestamp >= voidAt) revert ExecutionOverdue(evidenceHash, voidAt);
        _close(slash, SlashState.Executed);
        Subscription storage subscription = _subscriptions[slash.subscriptionId];
        uint256 amount = Math.min(slash.amount, subscription.collateral);
        subscription.collateral -= amount;
        emit SlashExecuted(evidenceHash, slash.subscriptionId, amount);
        token.safeTransfer(treasury, amount);
    }

    function _voidSlash(bytes32 evidenceHash) internal {
        Slash storage slash = _executable(evidenceHash);
        uint64 voidAt = _voidAt(slash);
        if (block.timestamp < voidAt) revert ExecutionPending(evidenceHash, voidAt);
        _close(slash, SlashState.Void);
        emit SlashVoided(evidenceHash);
    }

    function _executable(bytes32 evidenceHash) private view returns (Slash storage slash) {
        slash = _slashes[evidenceHash];
        if (slash.state != SlashState.Proposed && slash.state != SlashState.Upheld)
            revert InvalidSlashState(evidenceHash, slash.state);
    }

    function _close(Slash storage slash, SlashState state) private {
        slash.state = state;
        _subscriptions[slash.subscriptionId].openSlashes -= 1;
    }

    /// @dev One moment for both: before it a slash can be executed, from then on it is void. A dispute first gives the arbiter its time.
    function _voidAt(Slash storage slash) private view returns (uint64) {
        return uint64(Math.max(_windowEnd(slash), slash.decideBy)) + EXECUTION_SECS;
    }

    /// @dev One moment for both: before it disputes are accepted, from then on executions are.
    function _windowEnd(Slash storage slash) private view returns (uint64) {
        return slash.executableAt + DISPUTE_GRACE_SECS;
    }

    function _isOpen(SlashState state) private pure returns (bool) {
        return state == SlashState.Proposed || state == SlashState.Disputed || state == SlashState.Upheld;
    }
}
