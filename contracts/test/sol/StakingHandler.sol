// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Staking} from "../../src/Staking.sol";
import {Bond, BondBatch, PermitSignature, SetPayout, SlashState, Subscription, SubscriptionState, Unbond, Withdraw} from "../../src/types/StakingTypes.sol";
import {StakingBooks} from "./StakingBooks.sol";
import {between} from "./Vm.sol";

/**
 * @title Does to the staking contract whatever anybody could do, in any order
 * @dev A call that must be refused is made as well, and its success breaks the run.
 */
contract StakingHandler is StakingBooks {
    function bond(uint256 who, uint256 node, uint256 amount) external {
        (address owner, bytes32 key, bytes32 id) = _pick(who, node);
        amount = amount % 8 == 0 ? between(amount, 1, 2 * BOND_MIN) : between(amount, BOND_MIN, 1e24);
        if (staking.stateOf(id) == SubscriptionState.Unbonding || collateral[id] + amount < BOND_MIN)
            return _refusedFrom(owner, abi.encodeCall(Staking.bond, (PROJECT, key, amount)));
        vm.prank(owner);
        staking.bond(PROJECT, key, amount);
        _bonded(owner, id, amount);
    }

    /// @dev Somebody may have used the permit before, or the allowance may be there without it.
    function bondBySig(uint256 who, uint256 node, uint256 amount, bool overtaken) external {
        (address owner, bytes32 key, bytes32 id) = _pick(who, node);
        amount = between(amount, BOND_MIN, 1e24);
        if (staking.stateOf(id) == SubscriptionState.Unbonding) return;
        vm.prank(owner);
        token.approve(address(staking), 0);
        Bond memory action = Bond(owner, PROJECT, key, amount, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory signature = _signed(who, "Bond(address owner,bytes32 projectId,bytes32 nodeKey,uint256 amount,uint256 nonce,uint256 deadline)", abi.encode(action));
        PermitSignature memory permit = _permit(who % OWNERS, amount);
        if (overtaken) _usePermit(owner, amount, permit);
        bytes memory call = abi.encodeCall(Staking.bondBySig, (action, signature, permit));
        _bySignature(owner, call);
        _bonded(owner, id, amount);
        vm.prank(owner);
        token.approve(address(staking), type(uint256).max);
    }

    /// @dev All or none: one item that is refused leaves the other without its collateral. An item may come twice.
    function bondBatchBySig(uint256 who, uint256 node, uint256[2] memory amounts, bool overtaken, bool twice) external {
        bytes32[2] memory ids;
        BondBatch memory action = BondBatch(_owner(who % OWNERS), new bytes32[](2), new bytes32[](2), new uint256[](2), 0, block.timestamp + 1 hours);
        action.nonce = staking.nonces(action.owner);
        bool allowed = true;
        for (uint256 i = 0; i < 2; ++i) {
            (, action.nodeKeys[i], ids[i]) = _pick(who, twice ? node : (node % NODES) + i);
            action.projectIds[i] = PROJECT;
            action.amounts[i] = amounts[i] % 8 == 0 ? between(amounts[i], 1, 2 * BOND_MIN) : between(amounts[i], BOND_MIN, 1e24);
            uint256 before = collateral[ids[i]] + (twice && i == 1 ? action.amounts[0] : 0);
            allowed = allowed && staking.stateOf(ids[i]) != SubscriptionState.Unbonding && before + action.amounts[i] >= BOND_MIN;
        }
        vm.prank(action.owner);
        token.approve(address(staking), 0);
        PermitSignature memory permit = _permit(who % OWNERS, action.amounts[0] + action.amounts[1]);
        if (overtaken) _usePermit(action.owner, action.amounts[0] + action.amounts[1], permit);
        bytes memory call = abi.encodeCall(Staking.bondBatchBySig, (action, _signedBatch(who, action), permit));
        if (allowed) {
            _bySignature(action.owner, call);
            for (uint256 i = 0; i < 2; ++i) _bonded(action.owner, ids[i], action.amounts[i]);
        } else _refused(call);
        vm.prank(action.owner);
        token.approve(address(staking), type(uint256).max);
    }

    function setPayoutBySig(uint256 who, uint256 node, address payout) external {
        (address owner, , bytes32 id) = _pick(who, node);
        SetPayout memory action = SetPayout(owner, id, payout, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory call = abi.encodeCall(Staking.setPayoutBySig, (action, _signedPayout(who, action)));
        if (staking.stateOf(id) == SubscriptionState.PendingCollateral) return _refused(call);
        _bySignature(owner, call);
    }

    function unbond(uint256 who, uint256 node) external {
        (address owner, , bytes32 id) = _pick(who, node);
        if (staking.stateOf(id) != SubscriptionState.Bonded) return _refusedFrom(owner, abi.encodeCall(Staking.unbond, (id)));
        Unbond memory action = Unbond(owner, id, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory signature = _signed(who, "Unbond(address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline)", abi.encode(action));
        _bySignature(owner, abi.encodeCall(Staking.unbondBySig, (action, signature)));
    }

    /// @dev Succeeds exactly when the books allow it: released, and no slash open.
    function withdraw(uint256 who, uint256 node, bool patient) external {
        (address owner, , bytes32 id) = _pick(who, node);
        Subscription memory subscription = staking.subscriptionOf(id);
        if (patient && subscription.releaseAt > block.timestamp) vm.warp(subscription.releaseAt);
        bool allowed = staking.stateOf(id) == SubscriptionState.Unbonding &&
            block.timestamp >= subscription.releaseAt &&
            openSlashes[id] == 0;
        if (!allowed) return _refusedFrom(owner, abi.encodeCall(Staking.withdraw, (id)));
        Withdraw memory action = Withdraw(owner, id, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory signature = _signed(who, "Withdraw(address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline)", abi.encode(action));
        _bySignature(owner, abi.encodeCall(Staking.withdrawBySig, (action, signature)));
        balance[owner] += collateral[id];
        collateral[id] = 0;
    }

    /// @dev Of one offence, with evidence that nobody gave before; the offence may be known.
    function propose(uint256 who, uint256 node, uint256 offence, uint256 amount, uint64 window) external {
        (, , bytes32 id) = _pick(who, node);
        amount = between(amount, 1, 2e24);
        window = uint64(between(window, WINDOW_MIN, WINDOW_MAX));
        bytes32 offenceId = keccak256(abi.encode(id, offence % OFFENCES));
        bytes32 evidence = keccak256(abi.encode(proposals));
        bytes memory call = abi.encodeCall(Staking.proposeSlash, (id, offenceId, evidence, amount, window));
        bool allowed = !_isPaused() &&
            !isPunished[offenceId] &&
            staking.stateOf(id) != SubscriptionState.PendingCollateral;
        if (!allowed) return _refused(call);
        staking.proposeSlash(id, offenceId, evidence, amount, window);
        isPunished[offenceId] = true;
        _proposals[proposals++] = Proposal(evidence, id, amount, block.timestamp + window, SlashState.Proposed, 0);
        openSlashes[id] += 1;
        // Once more, also after it is decided, is never possible.
        _refused(call);
    }

    function dispute(uint256 which) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.disputeSlash, (proposal.evidence));
        bool allowed = proposal.state == SlashState.Proposed && block.timestamp < proposal.executableAt + GRACE_SECS;
        if (!allowed) return _refused(call);
        _refusedFrom(STRANGER, call);
        vm.prank(staking.subscriptionOf(proposal.id).owner);
        staking.disputeSlash(proposal.evidence);
        proposal.state = SlashState.Disputed;
        proposal.disputedAt = block.timestamp;
    }

    /// @dev Now and then only after the time to decide.
    function uphold(uint256 which, uint256 seed) external {
        Proposal storage proposal = _proposal(which);
        if (seed % 4 == 0 && proposal.state == SlashState.Disputed && !_isOverdue(proposal))
            vm.warp(proposal.disputedAt + DECISION_SECS);
        bytes memory call = abi.encodeCall(Staking.upholdSlash, (proposal.evidence));
        if (proposal.state != SlashState.Disputed || _isOverdue(proposal)) return _refused(call);
        staking.upholdSlash(proposal.evidence);
        proposal.state = SlashState.Upheld;
    }

    /// @dev A dispute and its decision in one: few runs get there by two calls, and what follows takes its time from both.
    function disputeInVain(uint256 which) external {
        Proposal storage proposal = _proposal(which);
        if (proposal.state != SlashState.Proposed || block.timestamp >= proposal.executableAt + GRACE_SECS) return;
        vm.prank(staking.subscriptionOf(proposal.id).owner);
        staking.disputeSlash(proposal.evidence);
        staking.upholdSlash(proposal.evidence);
        proposal.state = SlashState.Upheld;
        proposal.disputedAt = block.timestamp;
    }

    function cancel(uint256 which) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.cancelSlash, (proposal.evidence));
        if (!_isOpen(proposal)) return _refused(call);
        staking.cancelSlash(proposal.evidence);
        _close(proposal, SlashState.Cancelled);
    }

    function endDispute(uint256 which, bool patient) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.endDispute, (proposal.evidence));
        if (patient && proposal.state == SlashState.Disputed && !_isOverdue(proposal))
            vm.warp(proposal.disputedAt + DECISION_SECS);
        vm.prank(STRANGER);
        if (proposal.state != SlashState.Disputed || !_isOverdue(proposal)) return _refused(call);
        staking.endDispute(proposal.evidence);
        _close(proposal, SlashState.Cancelled);
    }

    /// @dev Seldom paused, so that most runs get to executions. Some of those that come too soon after the last one are tried.
    function pause(uint256 seed) external {
        if (_isBegun && seed % 2 == 0) {
            staking.unpause();
            _isBegun = false;
        } else if (seed % 4 == 1) {
            if (seed % 8 == 5 && block.timestamp < _pauseEnd) vm.warp(_pauseEnd + (seed >> 8) % PAUSE_REST_SECS);
            bool isSpent = _pauseEnd != 0 && block.timestamp >= _pauseEnd && block.timestamp < _pauseEnd + PAUSE_REST_SECS;
            if (_isPaused() || isSpent) return _refused(abi.encodeCall(Staking.pause, ()));
            staking.pause();
            _isBegun = true;
            if (block.timestamp >= _pauseEnd) _pauseEnd = block.timestamp + PAUSE_SECS;
        }
    }

    /// @dev At once, when the window is over, in the last second before it is void, or in the next one.
    function execute(uint256 which, uint256 seed) external {
        Proposal storage proposal = _proposal(which);
        uint256 endsAt = proposal.executableAt + GRACE_SECS;
        bool isOpen = _isExecutable(proposal);
        if (seed % 4 > 0 && block.timestamp < endsAt) vm.warp(endsAt);
        if (seed % 4 > 1 && isOpen && !_isVoid(proposal)) vm.warp(_voidAt(proposal) - 3 + seed % 4);
        bytes memory call = abi.encodeCall(Staking.executeSlash, (proposal.evidence));
        bool allowed = !_isPaused() && !_isVoid(proposal) && isOpen && block.timestamp >= endsAt;
        vm.prank(STRANGER);
        if (!allowed) return _refused(call);
        staking.executeSlash(proposal.evidence);
        _close(proposal, SlashState.Executed);
        uint256 taken = proposal.amount < collateral[proposal.id] ? proposal.amount : collateral[proposal.id];
        collateral[proposal.id] -= taken;
        slashed += taken;
    }

    /// @dev Also during a pause, which gives nobody more time.
    function voidSlash(uint256 which, bool patient) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.voidSlash, (proposal.evidence));
        bool isOpen = _isExecutable(proposal);
        if (patient && isOpen && !_isVoid(proposal)) vm.warp(_voidAt(proposal));
        vm.prank(STRANGER);
        if (!isOpen || !_isVoid(proposal)) return _refused(call);
        staking.voidSlash(proposal.evidence);
        _close(proposal, SlashState.Void);
    }

    /// @dev What was signed with a nonce that its owner takes back is worth nothing.
    function cancelNonce(uint256 who, uint256 node, address payout) external {
        (address owner, , bytes32 id) = _pick(who, node);
        SetPayout memory action = SetPayout(owner, id, payout, staking.nonces(owner), block.timestamp + 1 hours);
        _refusedFrom(owner, abi.encodeCall(staking.cancelNonce, (action.nonce + 1)));
        vm.prank(owner);
        staking.cancelNonce(action.nonce);
        actions[owner] += 1;
        _refused(abi.encodeCall(Staking.setPayoutBySig, (action, _signedPayout(who, action))));
    }

    /// @dev A guardian takes roles and gives none; the admin gives them again.
    function guard(uint256 way) external {
        bytes32[2] memory taken = [staking.PROPOSER_ROLE(), staking.ARBITER_ROLE()];
        bytes32 role = taken[way % 2];
        bytes[4] memory others = [
            abi.encodeCall(staking.grantRole, (role, GUARDIAN)),
            abi.encodeCall(staking.revokeRole, (bytes32(0), address(this))),
            abi.encodeCall(Staking.cancelSlash, (_proposal(way).evidence)),
            abi.encodeCall(Staking.pause, ())
        ];
        _refusedFrom(GUARDIAN, others[(way / 2) % 4]);
        vm.prank(GUARDIAN);
        staking.revokeRole(role, address(this));
        require(!staking.hasRole(role, address(this)), "a role was not taken");
        staking.grantRole(role, address(this));
    }

    function stranger(uint256 who, uint256 node, uint256 way) external {
        (, bytes32 key, bytes32 id) = _pick(who, node);
        bytes[9] memory calls = [
            abi.encodeCall(staking.revokeRole, (staking.ARBITER_ROLE(), address(this))),
            abi.encodeCall(Staking.unbond, (id)),
            abi.encodeCall(Staking.withdraw, (id)),
            abi.encodeCall(Staking.setPayout, (id, STRANGER)),
            abi.encodeCall(Staking.bond, (PROJECT, key, 1)),
            abi.encodeCall(Staking.proposeSlash, (id, keccak256(abi.encode(way)), keccak256(abi.encode(way)), 1, WINDOW_MIN)),
            abi.encodeCall(Staking.pause, ()),
            abi.encodeCall(Staking.unpause, ()),
            abi.encodeCall(Staking.cancelSlash, (keccak256(abi.encode(uint256(0)))))
        ];
        _refusedFrom(STRANGER, calls[way % 9]);
    }

    /// @dev The last order that somebody signed, once more.
    function replay() external {
        if (_usedCall.length != 0) _refused(_usedCall);
    }

    function pass(uint256 secs) external {
        vm.warp(block.timestamp + between(secs, 1, 2 days));
    }
}
