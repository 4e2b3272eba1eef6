// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {
    Bond,
    BondBatch,
    PermitSignature,
    SetPayout,
    Slash,
    SlashState,
    Subscription,
    SubscriptionState,
    Unbond,
    Withdraw
} from "../types/StakingTypes.sol";
import {IExpiringPause} from "./IExpiringPause.sol";
import {ISignedActions} from "./ISignedActions.sol";

/**
 * @title Collateral of nodes, and its loss
 * @notice Collateral leaves in two ways only: to its owner, after unbonding and with no slash open; or to the treasury, by
 * a slash that survived its dispute window. No role can move it anywhere else. A pause stops proposals and executions of
 * slashes at once; disputes, decisions and withdrawals go on, and the time to execute a slash runs on.
 */
interface IStaking is ISignedActions, IExpiringPause {
    event Bonded(
        bytes32 indexed subscriptionId,
        address indexed owner,
        bytes32 indexed projectId,
        bytes32 nodeKey,
        uint256 amount,
        uint256 collateral
    );
    event Unbonding(bytes32 indexed subscriptionId, uint64 releaseAt);
    event Withdrawn(bytes32 indexed subscriptionId, address indexed owner, uint256 amount);
    event PayoutSet(bytes32 indexed subscriptionId, address payout);
    event SlashProposed(
        bytes32 indexed evidenceHash,
        bytes32 indexed subscriptionId,
        bytes32 indexed offenceId,
        uint256 amount,
        uint64 executableAt
    );
    event SlashDisputed(bytes32 indexed evidenceHash);
    event SlashUpheld(bytes32 indexed evidenceHash);
    event SlashCancelled(bytes32 indexed evidenceHash);
    event SlashVoided(bytes32 indexed evidenceHash);
    event SlashExecuted(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, uint256 amount);

    /// @notice A bond or a slash has an amount above zero.
    error ZeroAmount();

    /// @notice The lists of a batch have one entry for each item.
    error BatchLengths(uint256 projects, uint256 nodes, uint256 amounts);

    /// @notice A subscription has at least this much collateral once somebody adds to it.
    error BelowMinimum(bytes32 subscriptionId, uint256 collateral, uint256 least);

    /// @notice Only the owner of the collateral may do this.
    error NotOwner(bytes32 subscriptionId, address account);

    /// @notice The state of the subscription does not allow this call.
    error InvalidState(bytes32 subscriptionId, SubscriptionState state);

    /// @notice Unbonding is not over, so that offences of the last epochs can still be found.
    error NotReleased(bytes32 subscriptionId, uint64 releaseAt);

    /// @notice A slash is open: the collateral that it may take must not leave before it is decided.
    error SlashOpen(bytes32 subscriptionId, uint32 openSlashes);

    /// @notice The dispute window is outside the network's bounds.
    error InvalidDisputeWindow(uint64 disputeWindowSecs, uint64 least, uint64 most);

    /// @notice This evidence was proposed before.
    error AlreadyProposed(bytes32 evidenceHash);

    /// @notice The offence was proposed before, with this evidence. It is punished once, whatever the outcome of the proposal.
    error OffenceKnown(bytes32 offenceId, bytes32 evidenceHash);

    /// @notice The state of the slash does not allow this call.
    error InvalidSlashState(bytes32 evidenceHash, SlashState state);

    /// @notice Only the slashed owner disputes, or a proposer that passes the owner's dispute on.
    error NotDisputer(bytes32 evidenceHash, address account);

    /// @notice The dispute window and its grace period are over.
    error DisputeWindowOver(bytes32 evidenceHash, uint64 endedAt);

    /// @notice The dispute window or its grace period is not over.
    error DisputeWindowOpen(bytes32 evidenceHash, uint64 endsAt);

    /// @notice The arbiter still has time to decide about the dispute.
    error DecisionPending(bytes32 evidenceHash, uint48 decideBy);

    /// @notice The dispute was not decided in time and can only end in favour of the owner.
    error DecisionOverdue(bytes32 evidenceHash, uint48 decideBy);

    /// @notice The slash can still be executed.
    error ExecutionPending(bytes32 evidenceHash, uint64 voidAt);

    /// @notice The slash was not executed in time, and can only become void.
    error ExecutionOverdue(bytes32 evidenceHash, uint64 voidAt);

    /**
     * @notice Adds the caller's tokens to its collateral, out of its allowance to this contract.
     * @dev Everybody who follows the chain stores the events of a subscription. The minimum makes many subscriptions
     * expensive; it is the lowest collateral that any project asks for.
     */
    function bond(bytes32 projectId, bytes32 nodeKey, uint256 amount) external returns (bytes32 subscriptionId);

    /**
     * @notice Adds the signer's tokens to its collateral.
     * @dev The permit only gives the allowance; the signature over the bond authorises it. Anyone may have submitted the
     * permit to the token before, so a permit that fails matters only if the allowance is missing. Then the caller gets the
     * permit's own reason.
     */
    function bondBySig(
        Bond calldata action,
        bytes calldata signature,
        PermitSignature calldata permit
    ) external returns (bytes32 subscriptionId);

    /**
     * @notice Adds the caller's tokens to several subscriptions, all of them or none.
     * @dev An owner of many nodes signs once and pays for one transfer. Each item is judged as a bond of its own; gas limits
     * their number.
     */
    function bondBatch(
        bytes32[] calldata projectIds,
        bytes32[] calldata nodeKeys,
        uint256[] calldata amounts
    ) external;

    /// @notice As `bondBatch`, by the owner's signature. The permit is for the sum of the amounts.
    function bondBatchBySig(
        BondBatch calldata action,
        bytes calldata signature,
        PermitSignature calldata permit
    ) external;

    /// @notice Sends rewards of later epochs to another address. Zero and the owner both mean the owner.
    function setPayout(bytes32 subscriptionId, address payout) external;

    /// @notice As `setPayout`, by the owner's signature.
    function setPayoutBySig(SetPayout calldata action, bytes calldata signature) external;

    /// @notice Begins unbonding. Slashes stay possible until the withdrawal.
    function unbond(bytes32 subscriptionId) external;

    /// @notice As `unbond`, by the owner's signature.
    function unbondBySig(Unbond calldata action, bytes calldata signature) external;

    /// @notice Pays the collateral back to the owner, never to the payout address, and closes the subscription.
    function withdraw(bytes32 subscriptionId) external;

    /// @notice As `withdraw`, by the owner's signature.
    function withdrawBySig(Withdraw calldata action, bytes calldata signature) external;

    /**
     * @notice Announces a slash. Only a proposer may.
     * @param subscriptionId a bonded or unbonding subscription.
     * @param offenceId keccak-256 of the offence's kind, round id and node key, joined by colons. Other evidence for the
     * same offence, with other votes for example, is refused.
     * @param evidenceHash hash of the evidence, with which anyone can check the accusation.
     * @param amount taken on execution; all collateral if less is left then.
     * @param disputeWindowSecs the project's own window, within the network's bounds.
     */
    function proposeSlash(
        bytes32 subscriptionId,
        bytes32 offenceId,
        bytes32 evidenceHash,
        uint256 amount,
        uint64 disputeWindowSecs
    ) external;

    /**
     * @notice Stops a slash until an arbiter decides. The owner may, once and within the window.
     * @dev A dispute that is sent at the end of the window may be mined after it, so one is taken in the grace period too.
     * A proposer may dispute too, so that an owner without native tokens can dispute through the hub. It gains
     * nothing: it only delays a slash that it need not have proposed.
     */
    function disputeSlash(bytes32 evidenceHash) external;

    /// @notice Decides against a slash, disputed or not. Only an arbiter may.
    function cancelSlash(bytes32 evidenceHash) external;

    /**
     * @notice Decides against a dispute, in time. The slash can then be executed once its window is over. Only an arbiter
     * may.
     */
    function upholdSlash(bytes32 evidenceHash) external;

    /**
     * @notice Cancels a slash whose dispute no arbiter decided in time. Anyone may.
     * @dev An absent arbiter must not hold collateral for ever, and a slash that nobody defends is not executed.
     */
    function endDispute(bytes32 evidenceHash) external;

    /**
     * @notice Moves the slashed collateral to the treasury. Anyone may, once the window and its grace period are over
     * without a dispute won, and for a week: from then on the slash is void.
     */
    function executeSlash(bytes32 evidenceHash) external;

    /**
     * @notice Ends a slash that was not executed in time. Anyone may.
     * @dev Pauses and absent proposers must not hold collateral for ever: a slash can be executed for a week from the end of
     * its window or, if a dispute was decided, from the end of the time for that decision.
     */
    function voidSlash(bytes32 evidenceHash) external;

    /// @notice The subscription, or zeros when it has no collateral.
    function subscriptionOf(bytes32 subscriptionId) external view returns (Subscription memory);

    /// @notice On-chain state of a subscription.
    function stateOf(bytes32 subscriptionId) external view returns (SubscriptionState);

    /// @notice The address that receives rewards: the owner unless set otherwise; zero without collateral.
    function payoutOf(bytes32 subscriptionId) external view returns (address);

    /// @notice The slash proposed with some evidence.
    function slashOf(bytes32 evidenceHash) external view returns (Slash memory);

    /// @notice The evidence that an offence was proposed with; zero when it was not.
    function evidenceOf(bytes32 offenceId) external view returns (bytes32 evidenceHash);

    /// @notice keccak-256 of the ABI encoding of the three, the same in every deployment.
    function subscriptionIdOf(
        bytes32 projectId,
        address owner,
        bytes32 nodeKey
    ) external pure returns (bytes32);

    /// @notice The token that is collateral.
    function token() external view returns (IERC20);

    /// @notice The account that receives slashed collateral.
    function treasury() external view returns (address);

    /// @notice The least collateral of a subscription that somebody adds to. Slashes may leave less.
    function bondMin() external view returns (uint256);

    /// @notice Seconds between unbonding and release.
    function unbondingSecs() external view returns (uint64);

    /// @notice Shortest dispute window.
    function disputeWindowSecsMin() external view returns (uint64);

    /// @notice Longest dispute window.
    function disputeWindowSecsMax() external view returns (uint64);
}
