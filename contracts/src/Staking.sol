// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {IExpiringPause} from "./interfaces/IExpiringPause.sol";
import {IStaking} from "./interfaces/IStaking.sol";
import {ExpiringPause} from "./lib/ExpiringPause.sol";
import {GuardedRoles} from "./lib/GuardedRoles.sol";
import {SignedActions} from "./lib/SignedActions.sol";
import {Collateral} from "./staking/Collateral.sol";
import {Slashing} from "./staking/Slashing.sol";
import {
    Bond,
    BondBatch,
    PermitSignature,
    SetPayout,
    StakingActions,
    StakingParameters,
    Unbond,
    Withdraw
} from "./types/StakingTypes.sol";

/// @dev Checks the caller's right; `Collateral` and `Slashing` carry out the call.
contract Staking is Slashing, SignedActions, GuardedRoles, ExpiringPause {
    using StakingActions for Bond;
    using StakingActions for BondBatch;
    using StakingActions for SetPayout;
    using StakingActions for Unbond;
    using StakingActions for Withdraw;

    bytes32 public constant PROPOSER_ROLE = keccak256("PROPOSER_ROLE");
    bytes32 public constant ARBITER_ROLE = keccak256("ARBITER_ROLE");

    constructor(
        string memory domainName,
        IERC20 token_,
        address treasury_,
        StakingParameters memory parameters,
        address admin,
        address guardian,
        address proposer,
        address arbiter
    )
        EIP712(domainName, "1")
        Collateral(token_, parameters)
        Slashing(treasury_, parameters)
        GuardedRoles(admin, guardian)
    {
        _grantRole(PROPOSER_ROLE, proposer);
        _grantRole(ARBITER_ROLE, arbiter);
    }

    /// @inheritdoc IStaking
    function bond(bytes32 projectId, bytes32 nodeKey, uint256 amount) external returns (bytes32) {
        return _bond(msg.sender, projectId, nodeKey, amount);
    }

    /// @inheritdoc IStaking
    function bondBySig(
        Bond calldata action,
        bytes calldata signature,
        PermitSignature calldata permit
    ) external returns (bytes32) {
        _authorise(action.owner, action.nonce, action.deadline, action.hash(), signature);
        _permit(action.owner, action.amount, permit);
        return _bond(action.owner, action.projectId, action.nodeKey, action.amount);
    }

    /// @inheritdoc IStaking
    function bondBatch(
        bytes32[] calldata projectIds,
        bytes32[] calldata nodeKeys,
        uint256[] calldata amounts
    ) external {
        _bondBatch(msg.sender, projectIds, nodeKeys, amounts);
    }

    /// @inheritdoc IStaking
    function bondBatchBySig(
        BondBatch calldata action,
        bytes calldata signature,
        PermitSignature calldata permit
    ) external {
        _authorise(action.owner, action.nonce, action.deadline, action.hash(), signature);
        _permit(action.owner, _sum(action.amounts), permit);
        _bondBatch(action.owner, action.projectIds, action.nodeKeys, action.amounts);
    }

    /// @inheritdoc IStaking
    function setPayout(bytes32 subscriptionId, address payout) external {
        _setPayout(msg.sender, subscriptionId, payout);
    }

    /// @inheritdoc IStaking
    function setPayoutBySig(SetPayout calldata action, bytes calldata signature) external {
        _authorise(action.owner, action.nonce, action.deadline, action.hash(), signature);
        _setPayout(action.owner, action.subscriptionId, action.payout);
    }

    /// @inheritdoc IStaking
    function unbond(bytes32 subscriptionId) external {
        _unbond(msg.sender, subscriptionId);
    }

    /// @inheritdoc IStaking
    function unbondBySig(Unbond calldata action, bytes calldata signature) external {
        _authorise(action.owner, action.nonce, action.deadline, action.hash(), signature);
        _unbond(action.owner, action.subscriptionId);
    }

    /// @inheritdoc IStaking
    function withdraw(bytes32 subscriptionId) external {
        _withdraw(msg.sender, subscriptionId);
    }

    /// @inheritdoc IStaking
    function withdrawBySig(Withdraw calldata action, bytes calldata signature) external {
        _authorise(action.owner, action.nonce, action.deadline, action.hash(), signature);
        _withdraw(action.owner, action.subscriptionId);
    }

    /// @inheritdoc IStaking
    function proposeSlash(
        bytes32 subscriptionId,
        bytes32 offenceId,
        bytes32 evidenceHash,
        uint256 amount,
        uint64 disputeWindowSecs
    ) external onlyRole(PROPOSER_ROLE) whenNotPaused {
        _proposeSlash(subscriptionId, offenceId, evidenceHash, amount, disputeWindowSecs);
    }

    /// @inheritdoc IStaking
    function disputeSlash(bytes32 evidenceHash) external {
        _disputeSlash(msg.sender, hasRole(PROPOSER_ROLE, msg.sender), evidenceHash);
    }

    /// @inheritdoc IStaking
    function cancelSlash(bytes32 evidenceHash) external onlyRole(ARBITER_ROLE) {
        _cancelSlash(evidenceHash);
    }

    /// @inheritdoc IStaking
    function upholdSlash(bytes32 evidenceHash) external onlyRole(ARBITER_ROLE) {
        _upholdSlash(evidenceHash);
    }

    /// @inheritdoc IStaking
    function endDispute(bytes32 evidenceHash) external {
        _endDispute(evidenceHash);
    }

    /// @inheritdoc IStaking
    function executeSlash(bytes32 evidenceHash) external whenNotPaused {
        _executeSlash(evidenceHash);
    }

    /// @inheritdoc IStaking
    function voidSlash(bytes32 evidenceHash) external {
        _voidSlash(evidenceHash);
    }

    /// @inheritdoc IExpiringPause
    function pause() external onlyRole(ARBITER_ROLE) {
        _pause();
    }

    /// @inheritdoc IExpiringPause
    function unpause() external onlyRole(ARBITER_ROLE) {
        _unpause();
    }
}
