// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HubToken} from "../../src/HubToken.sol";
import {Staking} from "../../src/Staking.sol";
import {Bond, PermitSignature, SetPayout, SlashState, StakingParameters, Subscription, SubscriptionState, Unbond, Withdraw} from "../../src/types/StakingTypes.sol";
import {Signers} from "./Signers.sol";
import {between} from "./Vm.sol";

/**
 * @title Does to the staking contract whatever anybody could do, in any order
 * @dev It keeps books of its own. A call that must be refused is made as well, and its success breaks the run.
 */
contract StakingHandler is Signers {
    uint64 private constant UNBONDING_SECS = 1 days;
    uint64 private constant WINDOW_MIN = 1 hours;
    uint64 private constant WINDOW_MAX = 7 days;
    uint256 private constant GRACE_SECS = 15 minutes;
    uint256 private constant DECISION_SECS = 14 days;
    uint256 private constant EXECUTION_SECS = 7 days;
    uint256 private constant PAUSE_SECS = 3 days;
    uint256 private constant PAUSE_REST_SECS = 1 days;
    uint256 private constant BOND_MIN = 1e9;
    uint256 private constant OFFENCES = 6;
    uint256 private constant NODES = 2;
    bytes32 private constant PROJECT = bytes32(uint256(0xa1));
    string private constant DOMAIN = "Hub Staking";
    string private constant PERMIT_DOMAIN = "HUB (testnet)";

    address public constant TREASURY = address(0x7ea5);
    address public constant STRANGER = address(0x5771);
    address public constant GUARDIAN = address(0x6a4d);
    uint256 public constant SUPPLY = 1e30;

    HubToken public immutable token;
    Staking public immutable staking;

    // Books, kept from what was asked for and not read from the contract.
    mapping(bytes32 id => uint256) public collateral;
    mapping(bytes32 id => uint256) public openSlashes;
    mapping(bytes32 offenceId => bool) public isPunished;
    mapping(address owner => uint256) public actions;
    mapping(address owner => uint256) public balance;
    uint256 public slashed;
    uint256 public withdrawals;
    uint256 public executions;
    uint256 public refusals;

    struct Proposal {
        bytes32 evidence;
        bytes32 id;
        uint256 amount;
        uint256 executableAt;
        SlashState state;
        uint256 disputedAt;
    }
    mapping(uint256 index => Proposal) private _proposals;
    uint256 public proposals;

    uint256 private _pauseEnd;
    bool private _isBegun;

    bytes private _usedCall;

    constructor() {
        token = new HubToken("Hub (testnet)", "HUB", PERMIT_DOMAIN, address(this), GUARDIAN, address(this), address(this), 0);
        staking = new Staking(
            DOMAIN,
            token,
            TREASURY,
            StakingParameters(BOND_MIN, UNBONDING_SECS, WINDOW_MIN, WINDOW_MAX),
            address(this),
            GUARDIAN,
            address(this),
            address(this)
        );
        for (uint256 i = 0; i < OWNERS; ++i) {
            token.mint(_owner(i), SUPPLY);
            balance[_owner(i)] = SUPPLY;
            vm.prank(_owner(i));
            token.approve(address(staking), type(uint256).max);
        }
    }

    function bond(uint256 who, uint256 node, uint256 amount) external {
        (address owner, bytes32 key, bytes32 id) = _pick(who, node);
        amount = amount % 8 == 0 ? between(amount, 1, 2 * BOND_MIN) : between(amount, BOND_MIN, 1e24);
        if (staking.stateOf(id) == SubscriptionState.Unbonding || collateral[id] + amount < BOND_MIN) {
            vm.prank(owner);
            return _refused(address(staking), abi.encodeCall(Staking.bond, (PROJECT, key, amount)));
        }
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
        bytes memory signature = _sign(
            who % OWNERS,
            _domain(DOMAIN, address(staking), block.chainid),
            keccak256(
                abi.encode(
                    keccak256(
                        "Bond(address owner,bytes32 projectId,bytes32 nodeKey,uint256 amount,uint256 nonce,uint256 deadline)"
                    ),
                    action
                )
            )
        );
        PermitSignature memory permit = _permit(who % OWNERS, amount);
        if (overtaken) _usePermit(owner, amount, permit);
        bytes memory call = abi.encodeCall(Staking.bondBySig, (action, signature, permit));
        _bySignature(owner, call);
        _bonded(owner, id, amount);
        vm.prank(owner);
        token.approve(address(staking), type(uint256).max);
    }

    function setPayoutBySig(uint256 who, uint256 node, address payout) external {
        (address owner, , bytes32 id) = _pick(who, node);
        SetPayout memory action = SetPayout(owner, id, payout, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory call = abi.encodeCall(Staking.setPayoutBySig, (action, _signed(who % OWNERS, action)));
        if (staking.stateOf(id) == SubscriptionState.PendingCollateral) return _refused(address(staking), call);
        _bySignature(owner, call);
    }

    function unbond(uint256 who, uint256 node) external {
        (address owner, , bytes32 id) = _pick(who, node);
        if (staking.stateOf(id) != SubscriptionState.Bonded) {
            vm.prank(owner);
            return _refused(address(staking), abi.encodeCall(Staking.unbond, (id)));
        }
        Unbond memory action = Unbond(owner, id, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory signature = _sign(
            who % OWNERS,
            _domain(DOMAIN, address(staking), block.chainid),
            keccak256(
                abi.encode(
                    keccak256("Unbond(address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline)"),
                    action
                )
            )
        );
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
        if (!allowed) {
            vm.prank(owner);
            return _refused(address(staking), abi.encodeCall(Staking.withdraw, (id)));
        }
        Withdraw memory action = Withdraw(owner, id, staking.nonces(owner), block.timestamp + 1 hours);
        bytes memory signature = _sign(
            who % OWNERS,
            _domain(DOMAIN, address(staking), block.chainid),
            keccak256(
                abi.encode(
                    keccak256("Withdraw(address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline)"),
                    action
                )
            )
        );
        _bySignature(owner, abi.encodeCall(Staking.withdrawBySig, (action, signature)));
        balance[owner] += collateral[id];
        collateral[id] = 0;
        withdrawals += 1;
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
        if (!allowed) return _refused(address(staking), call);
        staking.proposeSlash(id, offenceId, evidence, amount, window);
        isPunished[offenceId] = true;
        _proposals[proposals++] = Proposal(evidence, id, amount, block.timestamp + window, SlashState.Proposed, 0);
        openSlashes[id] += 1;
        // Once more, also after it is decided, is never possible.
        _refused(address(staking), call);
    }

    function dispute(uint256 which) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.disputeSlash, (proposal.evidence));
        bool allowed = proposal.state == SlashState.Proposed && block.timestamp < proposal.executableAt + GRACE_SECS;
        if (!allowed) return _refused(address(staking), call);
        vm.prank(STRANGER);
        _refused(address(staking), call);
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
        if (proposal.state != SlashState.Disputed || _isOverdue(proposal)) return _refused(address(staking), call);
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
        if (!_isOpen(proposal)) return _refused(address(staking), call);
        staking.cancelSlash(proposal.evidence);
        proposal.state = SlashState.Cancelled;
        openSlashes[proposal.id] -= 1;
    }

    function endDispute(uint256 which, bool patient) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.endDispute, (proposal.evidence));
        if (patient && proposal.state == SlashState.Disputed && !_isOverdue(proposal))
            vm.warp(proposal.disputedAt + DECISION_SECS);
        vm.prank(STRANGER);
        if (proposal.state != SlashState.Disputed || !_isOverdue(proposal)) return _refused(address(staking), call);
        staking.endDispute(proposal.evidence);
        proposal.state = SlashState.Cancelled;
        openSlashes[proposal.id] -= 1;
    }

    /// @dev Seldom paused, so that most runs get to executions. Some of those that come too soon after the last one are tried.
    function pause(uint256 seed) external {
        if (_isBegun && seed % 2 == 0) {
            staking.unpause();
            _isBegun = false;
        } else if (seed % 4 == 1) {
            if (seed % 8 == 5 && block.timestamp < _pauseEnd) vm.warp(_pauseEnd + (seed >> 8) % PAUSE_REST_SECS);
            bool isSpent = _pauseEnd != 0 && block.timestamp >= _pauseEnd && block.timestamp < _pauseEnd + PAUSE_REST_SECS;
            if (_isPaused() || isSpent) return _refused(address(staking), abi.encodeCall(Staking.pause, ()));
            staking.pause();
            _isBegun = true;
            if (block.timestamp >= _pauseEnd) _pauseEnd = block.timestamp + PAUSE_SECS;
        }
    }

    /// @dev At once, when the window is over, in the last second before it is void, or in the next one.
    function execute(uint256 which, uint256 seed) external {
        Proposal storage proposal = _proposal(which);
        uint256 endsAt = proposal.executableAt + GRACE_SECS;
        bool isOpen = proposal.state == SlashState.Proposed || proposal.state == SlashState.Upheld;
        if (seed % 4 > 0 && block.timestamp < endsAt) vm.warp(endsAt);
        if (seed % 4 > 1 && isOpen && !_isVoid(proposal)) vm.warp(_voidAt(proposal) - 3 + seed % 4);
        bytes memory call = abi.encodeCall(Staking.executeSlash, (proposal.evidence));
        bool allowed = !_isPaused() && !_isVoid(proposal) && isOpen && block.timestamp >= endsAt;
        vm.prank(STRANGER);
        if (!allowed) return _refused(address(staking), call);
        staking.executeSlash(proposal.evidence);
        proposal.state = SlashState.Executed;
        openSlashes[proposal.id] -= 1;
        uint256 taken = proposal.amount < collateral[proposal.id] ? proposal.amount : collateral[proposal.id];
        collateral[proposal.id] -= taken;
        slashed += taken;
        executions += 1;
    }

    /// @dev Also during a pause, which gives nobody more time.
    function voidSlash(uint256 which, bool patient) external {
        Proposal storage proposal = _proposal(which);
        bytes memory call = abi.encodeCall(Staking.voidSlash, (proposal.evidence));
        bool isOpen = proposal.state == SlashState.Proposed || proposal.state == SlashState.Upheld;
        if (patient && isOpen && !_isVoid(proposal)) vm.warp(_voidAt(proposal));
        vm.prank(STRANGER);
        if (!isOpen || !_isVoid(proposal)) return _refused(address(staking), call);
        staking.voidSlash(proposal.evidence);
        proposal.state = SlashState.Void;
        openSlashes[proposal.id] -= 1;
    }

    /// @dev What was signed with a nonce that its owner takes back is worth nothing.
    function cancelNonce(uint256 who, uint256 node, address payout) external {
        (address owner, , bytes32 id) = _pick(who, node);
        SetPayout memory action = SetPayout(owner, id, payout, staking.nonces(owner), block.timestamp + 1 hours);
        vm.prank(owner);
        _refused(address(staking), abi.encodeCall(staking.cancelNonce, (action.nonce + 1)));
        vm.prank(owner);
        staking.cancelNonce(action.nonce);
        actions[owner] += 1;
        _refused(address(staking), abi.encodeCall(Staking.setPayoutBySig, (action, _signed(who % OWNERS, action))));
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
        vm.prank(GUARDIAN);
        _refused(address(staking), others[(way / 2) % 4]);
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
        vm.prank(STRANGER);
        _refused(address(staking), calls[way % 9]);
    }

    /// @dev The last order that somebody signed, once more.
    function replay() external {
        if (_usedCall.length != 0) _refused(address(staking), _usedCall);
    }

    function pass(uint256 secs) external {
        vm.warp(block.timestamp + between(secs, 1, 2 days));
    }

    function owners() external pure returns (address[] memory all) {
        all = new address[](OWNERS);
        for (uint256 i = 0; i < OWNERS; ++i) all[i] = _owner(i);
    }

    function ids() external view returns (bytes32[] memory all) {
        all = new bytes32[](OWNERS * NODES);
        for (uint256 i = 0; i < all.length; ++i) (, , all[i]) = _pick(i / NODES, i % NODES);
    }

    function _pick(uint256 who, uint256 node) private view returns (address owner, bytes32 key, bytes32 id) {
        owner = _owner(who % OWNERS);
        key = bytes32(1 + (node % NODES));
        id = staking.subscriptionIdOf(PROJECT, owner, key);
    }

    /// @dev One of those that were made, or one in the state None while there are none.
    function _proposal(uint256 which) private view returns (Proposal storage) {
        return _proposals[proposals == 0 ? 0 : which % proposals];
    }

    function _isOverdue(Proposal storage proposal) private view returns (bool) {
        return block.timestamp >= proposal.disputedAt + DECISION_SECS;
    }

    /// @dev The time to execute begins with the end of the window, or of the time to decide where there was a dispute.
    function _voidAt(Proposal storage proposal) private view returns (uint256) {
        uint256 windowEnd = proposal.executableAt + GRACE_SECS;
        uint256 decideBy = proposal.disputedAt == 0 ? 0 : proposal.disputedAt + DECISION_SECS;
        return (windowEnd > decideBy ? windowEnd : decideBy) + EXECUTION_SECS;
    }

    function _isVoid(Proposal storage proposal) private view returns (bool) {
        return block.timestamp >= _voidAt(proposal);
    }

    function _isPaused() private view returns (bool) {
        return _isBegun && block.timestamp < _pauseEnd;
    }

    function _isOpen(Proposal storage proposal) private view returns (bool) {
        return
            proposal.state == SlashState.Proposed ||
            proposal.state == SlashState.Disputed ||
            proposal.state == SlashState.Upheld;
    }

    function _bonded(address owner, bytes32 id, uint256 amount) private {
        balance[owner] -= amount;
        collateral[id] += amount;
    }

    /// @dev Brought by a stranger, as everything signed can be; another time it is worth nothing.
    function _bySignature(address owner, bytes memory call) private {
        uint256 nonce = staking.nonces(owner);
        vm.prank(STRANGER);
        (bool success, ) = address(staking).call(call);
        require(success, "a signed action was refused");
        require(staking.nonces(owner) == nonce + 1, "a nonce did not rise by one");
        actions[owner] += 1;
        _usedCall = call;
        _refused(address(staking), call);
    }

    function _signed(uint256 signer, SetPayout memory action) private view returns (bytes memory) {
        bytes32 typeHash = keccak256(
            "SetPayout(address owner,bytes32 subscriptionId,address payout,uint256 nonce,uint256 deadline)"
        );
        return
            _sign(signer, _domain(DOMAIN, address(staking), block.chainid), keccak256(abi.encode(typeHash, action)));
    }

    function _permit(uint256 index, uint256 amount) private view returns (PermitSignature memory) {
        address owner = _owner(index);
        uint256 deadline = block.timestamp + 1 hours;
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                owner,
                address(staking),
                amount,
                token.nonces(owner),
                deadline
            )
        );
        return
            PermitSignature(
                deadline,
                _sign(index, _domain(PERMIT_DOMAIN, address(token), block.chainid), structHash)
            );
    }

    function _usePermit(address owner, uint256 amount, PermitSignature memory permit) private {
        bytes memory signature = permit.signature;
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        vm.prank(STRANGER);
        token.permit(owner, address(staking), amount, permit.deadline, v, r, s);
    }

    function _refused(address target, bytes memory call) private {
        (bool success, ) = target.call(call);
        require(!success, "what must be refused was done");
        refusals += 1;
    }
}
