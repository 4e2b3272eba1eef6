// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HubToken} from "../../src/HubToken.sol";
import {Staking} from "../../src/Staking.sol";
import {BondBatch, PermitSignature, SetPayout, SlashState, StakingParameters} from "../../src/types/StakingTypes.sol";
import {Signers} from "./Signers.sol";

/**
 * @title The expected state of the staking contract after the calls made to it
 * @dev Recorded from the calls and not read from the contract, with all that the handler needs to sign and to judge.
 */
abstract contract StakingBooks is Signers {
    uint64 internal constant UNBONDING_SECS = 1 days;
    uint64 internal constant WINDOW_MIN = 1 hours;
    uint64 internal constant WINDOW_MAX = 7 days;
    uint256 internal constant GRACE_SECS = 15 minutes;
    uint256 internal constant DECISION_SECS = 14 days;
    uint256 internal constant EXECUTION_SECS = 7 days;
    uint256 internal constant PAUSE_SECS = 3 days;
    uint256 internal constant PAUSE_REST_SECS = 1 days;
    uint256 internal constant BOND_MIN = 1e9;
    uint256 internal constant OFFENCES = 6;
    uint256 internal constant NODES = 2;
    bytes32 internal constant PROJECT = bytes32(uint256(0xa1));
    string internal constant DOMAIN = "Hub Staking";
    string internal constant PERMIT_DOMAIN = "HUB (testnet)";

    address public constant TREASURY = address(0x7ea5);
    address public constant STRANGER = address(0x5771);
    address public constant GUARDIAN = address(0x6a4d);
    uint256 public constant SUPPLY = 1e30;

    HubToken public immutable token;
    Staking public immutable staking;

    mapping(bytes32 id => uint256) public collateral;
    mapping(bytes32 id => uint256) public openSlashes;
    mapping(bytes32 offenceId => bool) public isPunished;
    mapping(address owner => uint256) public actions;
    mapping(address owner => uint256) public balance;
    uint256 public slashed;

    struct Proposal {
        bytes32 evidence;
        bytes32 id;
        uint256 amount;
        uint256 executableAt;
        SlashState state;
        uint256 disputedAt;
    }
    mapping(uint256 index => Proposal) internal _proposals;
    uint256 public proposals;

    uint256 internal _pauseEnd;
    bool internal _isBegun;

    bytes internal _usedCall;

    constructor() {
        token = new HubToken("Hub (testnet)", "HUB", PERMIT_DOMAIN, address(this), GUARDIAN, address(this), address(this), 0);
        StakingParameters memory parameters = StakingParameters(BOND_MIN, UNBONDING_SECS, WINDOW_MIN, WINDOW_MAX);
        staking = new Staking(DOMAIN, token, TREASURY, parameters, address(this), GUARDIAN, address(this), address(this));
        for (uint256 i = 0; i < OWNERS; ++i) {
            token.mint(_owner(i), SUPPLY);
            balance[_owner(i)] = SUPPLY;
            vm.prank(_owner(i));
            token.approve(address(staking), type(uint256).max);
        }
    }

    function owners() external pure returns (address[] memory all) {
        all = new address[](OWNERS);
        for (uint256 i = 0; i < OWNERS; ++i) all[i] = _owner(i);
    }

    function ids() external view returns (bytes32[] memory all) {
        all = new bytes32[](OWNERS * NODES);
        for (uint256 i = 0; i < all.length; ++i) (, , all[i]) = _pick(i / NODES, i % NODES);
    }

    function _pick(uint256 who, uint256 node) internal view returns (address owner, bytes32 key, bytes32 id) {
        owner = _owner(who % OWNERS);
        key = bytes32(1 + (node % NODES));
        id = staking.subscriptionIdOf(PROJECT, owner, key);
    }

    /// @dev A slash that was proposed, or one in the state None before the first proposal.
    function _proposal(uint256 which) internal view returns (Proposal storage) {
        return _proposals[proposals == 0 ? 0 : which % proposals];
    }

    function _isOverdue(Proposal storage proposal) internal view returns (bool) {
        return block.timestamp >= proposal.disputedAt + DECISION_SECS;
    }

    /// @dev The time to execute begins with the end of the window, or of the time to decide where there was a dispute.
    function _voidAt(Proposal storage proposal) internal view returns (uint256) {
        uint256 windowEnd = proposal.executableAt + GRACE_SECS;
        uint256 decideBy = proposal.disputedAt == 0 ? 0 : proposal.disputedAt + DECISION_SECS;
        return (windowEnd > decideBy ? windowEnd : decideBy) + EXECUTION_SECS;
    }

    function _isVoid(Proposal storage proposal) internal view returns (bool) {
        return block.timestamp >= _voidAt(proposal);
    }

    function _isPaused() internal view returns (bool) {
        return _isBegun && block.timestamp < _pauseEnd;
    }

    function _isExecutable(Proposal storage proposal) internal view returns (bool) {
        return proposal.state == SlashState.Proposed || proposal.state == SlashState.Upheld;
    }

    function _isOpen(Proposal storage proposal) internal view returns (bool) {
        return proposal.state == SlashState.Disputed || _isExecutable(proposal);
    }

    function _close(Proposal storage proposal, SlashState state) internal {
        proposal.state = state;
        openSlashes[proposal.id] -= 1;
    }

    function _bonded(address owner, bytes32 id, uint256 amount) internal {
        balance[owner] -= amount;
        collateral[id] += amount;
    }

    /// @dev Brought by a stranger, as everything signed can be; another time it is worth nothing.
    function _bySignature(address owner, bytes memory call) internal {
        uint256 nonce = staking.nonces(owner);
        vm.prank(STRANGER);
        (bool success, ) = address(staking).call(call);
        require(success, "a signed action was refused");
        require(staking.nonces(owner) == nonce + 1, "a nonce did not rise by one");
        actions[owner] += 1;
        _usedCall = call;
        _refused(call);
    }

    /// @dev Written out once more, apart from the contracts: the hash of a type, and its members.
    function _signed(uint256 who, string memory type_, bytes memory members) internal view returns (bytes memory) {
        bytes32 structHash = keccak256(bytes.concat(keccak256(bytes(type_)), members));
        return _sign(who % OWNERS, _domain(DOMAIN, address(staking), block.chainid), structHash);
    }

    function _signedPayout(uint256 who, SetPayout memory action) internal view returns (bytes memory) {
        string memory type_ = "SetPayout(address owner,bytes32 subscriptionId,address payout,uint256 nonce,uint256 deadline)";
        return _signed(who, type_, abi.encode(action));
    }

    /// @dev A list enters as the hash of its words, put one after the other.
    function _signedBatch(uint256 who, BondBatch memory action) internal view returns (bytes memory) {
        bytes memory keys;
        bytes memory projects;
        bytes memory amounts;
        for (uint256 i = 0; i < action.amounts.length; ++i) {
            projects = bytes.concat(projects, action.projectIds[i]);
            keys = bytes.concat(keys, action.nodeKeys[i]);
            amounts = bytes.concat(amounts, bytes32(action.amounts[i]));
        }
        string memory type_ = "BondBatch(address owner,bytes32[] projectIds,bytes32[] nodeKeys,uint256[] amounts,uint256 nonce,uint256 deadline)";
        bytes memory lists = abi.encode(action.owner, keccak256(projects), keccak256(keys), keccak256(amounts));
        return _signed(who, type_, bytes.concat(lists, abi.encode(action.nonce, action.deadline)));
    }

    function _permit(uint256 index, uint256 amount) internal view returns (PermitSignature memory) {
        address owner = _owner(index);
        uint256 deadline = block.timestamp + 1 hours;
        bytes32 typeHash = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 structHash = keccak256(abi.encode(typeHash, owner, staking, amount, token.nonces(owner), deadline));
        return PermitSignature(deadline, _sign(index, _domain(PERMIT_DOMAIN, address(token), block.chainid), structHash));
    }

    function _usePermit(address owner, uint256 amount, PermitSignature memory permit) internal {
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

    function _refusedFrom(address caller, bytes memory call) internal {
        vm.prank(caller);
        _refused(call);
    }

    function _refused(bytes memory call) internal {
        (bool success, ) = address(staking).call(call);
        require(!success, "what must be refused was done");
    }
}
