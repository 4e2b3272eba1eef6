// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {IStaking} from "../interfaces/IStaking.sol";
import {PermitSignature, StakingParameters, Subscription, SubscriptionState} from "../types/StakingTypes.sol";

/**
 * @title Bonding, unbonding and withdrawal of collateral
 * @dev Every function takes the acting account from its caller and leaves authorisation to it. Tokens move last.
 */
abstract contract Collateral is IStaking {
    using SafeERC20 for IERC20;

    /// @inheritdoc IStaking
    IERC20 public immutable token;
    /// @inheritdoc IStaking
    uint256 public immutable bondMin;
    /// @inheritdoc IStaking
    uint64 public immutable unbondingSecs;

    mapping(bytes32 subscriptionId => Subscription) internal _subscriptions;

    constructor(IERC20 token_, StakingParameters memory parameters) {
        token = token_;
        bondMin = parameters.bondMin;
        unbondingSecs = parameters.unbondingSecs;
    }

    /// @inheritdoc IStaking
    function subscriptionOf(bytes32 subscriptionId) external view returns (Subscription memory) {
        return _subscriptions[subscriptionId];
    }

    /// @inheritdoc IStaking
    function stateOf(bytes32 subscriptionId) external view returns (SubscriptionState) {
        return _stateOf(_subscriptions[subscriptionId]);
    }

    /// @inheritdoc IStaking
    function payoutOf(bytes32 subscriptionId) external view returns (address) {
        Subscription storage subscription = _subscriptions[subscriptionId];
        return subscription.payout == address(0) ? subscription.owner : subscription.payout;
    }

    /// @inheritdoc IStaking
    function subscriptionIdOf(bytes32 projectId, address owner, bytes32 nodeKey) public pure returns (bytes32) {
        return keccak256(abi.encode(projectId, owner, nodeKey));
    }

    /// @dev `owner` must have authorised exactly this: its allowance is used.
    function _bond(
        address owner,
        bytes32 projectId,
        bytes32 nodeKey,
        uint256 amount
    ) internal returns (bytes32 subscriptionId) {
        subscriptionId = _credit(owner, projectId, nodeKey, amount);
        token.safeTransferFrom(owner, address(this), amount);
    }

    /// @dev As `_bond`, with one transfer of the sum. Nothing is credited twice: an item that comes again adds again.
    function _bondBatch(
        address owner,
        bytes32[] calldata projectIds,
        bytes32[] calldata nodeKeys,
        uint256[] calldata amounts
    ) internal {
        if (projectIds.length != amounts.length || nodeKeys.length != amounts.length)
            revert BatchLengths(projectIds.length, nodeKeys.length, amounts.length);
        for (uint256 i = 0; i < amounts.length; ++i) _credit(owner, projectIds[i], nodeKeys[i], amounts[i]);
        token.safeTransferFrom(owner, address(this), _sum(amounts));
    }

    /// @dev An empty batch is a bond of nothing.
    function _sum(uint256[] calldata amounts) internal pure returns (uint256 sum) {
        for (uint256 i = 0; i < amounts.length; ++i) sum += amounts[i];
        if (sum == 0) revert ZeroAmount();
    }

    /// @dev The caller moves the tokens.
    function _credit(
        address owner,
        bytes32 projectId,
        bytes32 nodeKey,
        uint256 amount
    ) private returns (bytes32 subscriptionId) {
        if (amount == 0) revert ZeroAmount();
        subscriptionId = subscriptionIdOf(projectId, owner, nodeKey);
        Subscription storage subscription = _subscriptions[subscriptionId];
        SubscriptionState state = _stateOf(subscription);
        if (state == SubscriptionState.Unbonding) revert InvalidState(subscriptionId, state);
        if (state == SubscriptionState.PendingCollateral) subscription.owner = owner;
        uint256 collateral = subscription.collateral + amount;
        if (collateral < bondMin) revert BelowMinimum(subscriptionId, collateral, bondMin);
        subscription.collateral = collateral;
        emit Bonded(subscriptionId, owner, projectId, nodeKey, amount, collateral);
    }

    function _setPayout(address account, bytes32 subscriptionId, address payout) internal {
        Subscription storage subscription = _owned(account, subscriptionId);
        bool isOwner = payout == address(0) || payout == account;
        subscription.payout = isOwner ? address(0) : payout;
        emit PayoutSet(subscriptionId, isOwner ? account : payout);
    }

    function _unbond(address account, bytes32 subscriptionId) internal {
        Subscription storage subscription = _owned(account, subscriptionId);
        SubscriptionState state = _stateOf(subscription);
        if (state != SubscriptionState.Bonded) revert InvalidState(subscriptionId, state);
        uint64 releaseAt = uint64(block.timestamp) + unbondingSecs;
        subscription.releaseAt = releaseAt;
        emit Unbonding(subscriptionId, releaseAt);
    }

    function _withdraw(address account, bytes32 subscriptionId) internal {
        Subscription storage subscription = _owned(account, subscriptionId);
        SubscriptionState state = _stateOf(subscription);
        if (state != SubscriptionState.Unbonding) revert InvalidState(subscriptionId, state);
        if (block.timestamp < subscription.releaseAt)
            revert NotReleased(subscriptionId, subscription.releaseAt);
        if (subscription.openSlashes != 0) revert SlashOpen(subscriptionId, subscription.openSlashes);
        uint256 amount = subscription.collateral;
        delete _subscriptions[subscriptionId];
        emit Withdrawn(subscriptionId, account, amount);
        token.safeTransfer(account, amount);
    }

    function _permit(address owner, uint256 amount, PermitSignature calldata permit) internal {
        if (permit.signature.length == 0) return;
        (uint8 v, bytes32 r, bytes32 s) = ECDSA.parseCalldata(permit.signature);
        try IERC20Permit(address(token)).permit(owner, address(this), amount, permit.deadline, v, r, s) {} catch (
            bytes memory reason
        ) {
            if (token.allowance(owner, address(this)) < amount) LowLevelCall.bubbleRevert(reason);
        }
    }

    /// @dev State before owner: a call about a subscription that does not exist gets that reason.
    function _owned(address account, bytes32 subscriptionId) private view returns (Subscription storage subscription) {
        subscription = _existing(subscriptionId);
        if (subscription.owner != account) revert NotOwner(subscriptionId, account);
    }

    function _existing(bytes32 subscriptionId) internal view returns (Subscription storage subscription) {
        subscription = _subscriptions[subscriptionId];
        if (subscription.owner == address(0))
            revert InvalidState(subscriptionId, SubscriptionState.PendingCollateral);
    }

    function _stateOf(Subscription storage subscription) private view returns (SubscriptionState) {
        if (subscription.owner == address(0)) return SubscriptionState.PendingCollateral;
        return subscription.releaseAt == 0 ? SubscriptionState.Bonded : SubscriptionState.Unbonding;
    }
}
