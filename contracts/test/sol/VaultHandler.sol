// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ProjectRegistry} from "../../src/ProjectRegistry.sol";
import {ProjectVault} from "../../src/ProjectVault.sol";
import {VaultFactory} from "../../src/VaultFactory.sol";
import {Claim, Totals, Withdrawal} from "../../src/types/VaultTypes.sol";
import {IssuerToken} from "../mocks/IssuerToken.sol";
import {ForgeTest, between} from "./Vm.sol";

/**
 * @title Does to a vault whatever anybody could do, in any order, with posters that lie and a token that refuses accounts
 * @dev It keeps books of its own. A call that must be refused is made as well, and its success breaks the run.
 */
contract VaultHandler is ForgeTest {
    uint64 private constant CHALLENGE_SECS = 1 hours;
    uint64 private constant NOTICE_SECS = 2 days;
    uint64 private constant TERMS_NOTICE_SECS = 1 hours;
    uint256 private constant CAP = 3e20;
    uint256 private constant LEAVES = 4;

    address public constant DEVELOPER = address(0xde7e);
    address public constant TREASURY = address(0x7ea5);
    address public constant STRANGER = address(0x5771);

    IssuerToken public immutable token;
    ProjectVault public immutable vault;
    bytes32 private immutable _projectId;
    VaultFactory private immutable _factory;

    struct Leaf {
        address miner;
        uint256 amount;
    }

    struct Posted {
        uint256 epoch;
        uint256 releaseAt;
        /// Unpaid amounts: to miners, then the fees.
        uint256 unclaimed;
        uint256 developerFee;
        uint256 treasuryFee;
        uint256 minerTotal;
        uint256 minerPaid;
        bool isVetoed;
        Leaf[4] leaves;
        bytes32[4] hashes;
    }

    struct Cap {
        uint256 from;
        uint256 amount;
    }

    // Books, recorded from the calls and not read from the contract.
    mapping(uint256 index => Posted) private _posted;
    mapping(uint256 epoch => mapping(address miner => bool)) private _isPaid;
    mapping(uint256 epoch => bool) private _vetoStands;
    mapping(address account => bool) private _isRefused;
    Cap[] private _caps;
    mapping(address account => uint256) public received;
    uint256 public posts;
    uint256 public funded;
    uint256 public unbooked;
    uint256 public withdrawn;
    uint256 public paid;
    uint256 public reserved;

    constructor() {
        vm.warp(1_800_000_000);
        token = new IssuerToken();
        (address me, string memory name) = (address(this), "Hub ProjectRegistry");
        ProjectRegistry registry = new ProjectRegistry(name, "hub-project-v1:", me, me, me);
        VaultFactory factory = new VaultFactory(registry, TREASURY, CHALLENGE_SECS, NOTICE_SECS, me, me, me, me);
        vm.prank(DEVELOPER);
        _projectId = registry.register("tide-forecast", bytes32(0), bytes32(0), bytes32(0));
        _factory = factory;
        vault = ProjectVault(factory.create(_projectId, token, 1 days, uint128(CAP)));
        _caps.push(Cap(block.timestamp, CAP));
        token.approve(address(vault), type(uint256).max);
    }

    /// @dev An epoch that was vetoed and posted again is another entry of the books.
    modifier ifPosted(uint256 which) {
        if (posts != 0 && !(_posted[which % posts].isVetoed && _isPosted(_posted[which % posts].epoch))) _;
    }

    function fund(uint256 amount) external {
        amount = between(amount, 0, 1e21);
        if (amount + unbooked == 0) return _refused(abi.encodeCall(ProjectVault.fund, (0)));
        vault.fund(amount);
        funded += amount + unbooked;
        unbooked = 0;
    }

    /// @dev Past the vault's books, until somebody funds.
    function donate(uint256 amount) external {
        amount = between(amount, 1, 1e18);
        token.transfer(address(vault), amount);
        unbooked += amount;
    }

    function requestWithdrawal(uint256 amount) external {
        vm.prank(DEVELOPER);
        vault.requestWithdrawal(between(amount, 0, 2e21));
    }

    function withdraw(bool patient) external {
        Withdrawal memory announced = vault.pendingWithdrawal();
        if (patient && block.timestamp < announced.availableAt) vm.warp(announced.availableAt);
        uint256 unreserved = funded - withdrawn - paid - reserved;
        uint256 held = _heldForEpochs();
        uint256 free = unreserved > held ? unreserved - held : 0;
        uint256 amount = announced.amount < free ? announced.amount : free;
        bool allowed = block.timestamp >= announced.availableAt && block.timestamp < announced.expiresAt && amount != 0;
        vm.prank(DEVELOPER);
        if (!allowed) return _refused(abi.encodeCall(ProjectVault.withdraw, ()));
        vault.withdraw();
        withdrawn += amount;
        received[DEVELOPER] += amount;
    }

    /**
     * @dev An honest root, one that proves more than its total, or one with two leaves for a miner. The epoch may be one
     * that was posted before, that still runs, or that was over before there was a vault.
     */
    function post(uint256 seed, uint8 lie, uint256 age) external {
        uint256 epoch = block.timestamp / 1 days + 1 - between(age, 0, 5);
        Posted storage next = _posted[posts];
        uint256 sum;
        for (uint256 i = 0; i < LEAVES; ++i) {
            uint256 amount = 1 + (uint256(keccak256(abi.encode(seed, i))) % 6e19);
            address payee = address(uint160(0x1000 + (lie % 3 == 1 && i == 3 ? 0 : i)));
            next.leaves[i] = Leaf(payee, amount);
            next.hashes[i] = _leaf(epoch, payee, amount);
            sum += amount;
        }
        uint128 minerTotal = uint128(lie % 3 == 2 ? sum / 2 : sum);
        Totals memory totals = Totals(minerTotal, uint128(seed % 1e18), uint128(seed % 7));
        bytes32 root = _pair(_pair(next.hashes[0], next.hashes[1]), _pair(next.hashes[2], next.hashes[3]));
        uint256 total = uint256(minerTotal) + totals.developer + totals.treasury;
        bytes memory call = abi.encodeCall(ProjectVault.postEpoch, (epoch, root, root, totals));
        bool allowed = !_factory.paused() &&
            !_isPosted(epoch) &&
            !_vetoStands[epoch] &&
            (epoch + 1) * 1 days > _caps[0].from &&
            (epoch + 1) * 1 days <= block.timestamp &&
            total <= _capOf(epoch) &&
            total <= funded - withdrawn - paid - reserved;
        if (!allowed) return _refused(call);
        vault.postEpoch(epoch, root, root, totals);
        next.epoch = epoch;
        next.releaseAt = block.timestamp + CHALLENGE_SECS;
        next.unclaimed = minerTotal;
        next.minerTotal = minerTotal;
        next.developerFee = totals.developer;
        next.treasuryFee = totals.treasury;
        reserved += total;
        posts += 1;
        _refused(call);
    }

    function veto(uint256 which) external ifPosted(which) {
        Posted storage posted = _posted[which % posts];
        bytes memory call = abi.encodeCall(ProjectVault.veto, (posted.epoch));
        if (posted.isVetoed || block.timestamp >= posted.releaseAt) return _refused(call);
        vault.veto(posted.epoch);
        posted.isVetoed = true;
        _vetoStands[posted.epoch] = true;
        reserved -= posted.unclaimed + posted.developerFee + posted.treasuryFee;
    }

    function reopen(uint256 which) external {
        uint256 epoch = _someEpoch(which);
        if (!_vetoStands[epoch]) return _refused(abi.encodeCall(ProjectVault.reopen, (epoch)));
        vault.reopen(epoch);
        _vetoStands[epoch] = false;
    }

    /// @dev Seldom paused, so that most runs get to payments.
    function pause(uint256 seed) external {
        if (_factory.paused()) _factory.unpause();
        else if (seed % 4 == 0 && block.timestamp >= _factory.pausedUntil() + 1 days) _factory.pause();
    }

    function refuse(uint256 which, bool isRefused) external {
        address account = which % 5 == 4 ? TREASURY : miner(which % 5);
        token.refuse(account, isRefused);
        _isRefused[account] = isRefused;
    }

    /// @dev A cap from some midnight on; none at all ends the payments.
    function setCap(uint256 amount, uint256 daysAhead) external {
        uint256 from = (block.timestamp / 1 days + between(daysAhead, 0, 3)) * 1 days;
        amount = amount % 4 == 0 ? 0 : between(amount, 1, CAP);
        bytes memory call = abi.encodeCall(ProjectVault.setTerms, (uint64(from), 1 days, uint128(amount)));
        uint256 earliest = block.timestamp + TERMS_NOTICE_SECS;
        uint256 latest = _caps[_caps.length - 1].from;
        // Epochs are as long as a day here: at a noon, whatever the new length, one of them would be cut.
        _refusedFrom(DEVELOPER, abi.encodeCall(ProjectVault.setTerms, (uint64(from + 36 hours), 1 hours, uint128(amount))));
        vm.prank(DEVELOPER);
        if (from < earliest || (latest > block.timestamp && latest < earliest)) return _refused(call);
        vault.setTerms(uint64(from), 1 days, uint128(amount));
        if (latest >= earliest) _caps.pop();
        _caps.push(Cap(from, amount));
    }

    function claim(uint256 which, uint256 leaf, bool patient) external ifPosted(which) {
        Posted storage posted = _posted[which % posts];
        if (patient && block.timestamp < posted.releaseAt) vm.warp(posted.releaseAt);
        Leaf memory one = posted.leaves[leaf % LEAVES];
        bytes32[] memory proof = _proof(posted, leaf % LEAVES);
        bytes memory call = abi.encodeCall(ProjectVault.claim, (posted.epoch, one.miner, one.amount, proof));
        bool allowed = _isReleased(posted) &&
            !_isRefused[one.miner] &&
            !_isPaid[posted.epoch][one.miner] &&
            one.amount <= posted.unclaimed;
        vm.prank(STRANGER);
        if (!allowed) return _refused(call);
        vault.claim(posted.epoch, one.miner, one.amount, proof);
        _pay(posted, one);
        _refused(call);
        // Not for another amount either, nor in another epoch.
        _refused(abi.encodeCall(ProjectVault.claim, (posted.epoch, one.miner, one.amount + 1, proof)));
        _refused(abi.encodeCall(ProjectVault.claim, (posted.epoch + 1000, one.miner, one.amount, proof)));
    }

    /// @dev All leaves of an epoch and the first of them once more; what was paid before is passed over.
    function claimMany(uint256 which) external ifPosted(which) {
        Posted storage posted = _posted[which % posts];
        Claim[] memory claims = new Claim[](LEAVES + 1);
        for (uint256 i = 0; i <= LEAVES; ++i) {
            Leaf memory leaf = posted.leaves[i % LEAVES];
            claims[i] = Claim(posted.epoch, leaf.miner, leaf.amount, _proof(posted, i % LEAVES));
        }
        bytes memory call = abi.encodeCall(ProjectVault.claimMany, (claims));
        if (!_isReleased(posted) || !_isCovered(posted)) return _refused(call);
        vault.claimMany(claims);
        for (uint256 i = 0; i < LEAVES; ++i) {
            Leaf memory leaf = posted.leaves[i];
            if (!_isPaid[posted.epoch][leaf.miner] && !_isRefused[leaf.miner]) _pay(posted, leaf);
        }
    }

    function payFees(uint256 which) external ifPosted(which) {
        Posted storage posted = _posted[which % posts];
        bytes memory call = abi.encodeCall(ProjectVault.payFees, (posted.epoch));
        uint256 toTreasury = _isRefused[TREASURY] ? 0 : posted.treasuryFee;
        uint256 sum = posted.developerFee + toTreasury;
        if (!_isReleased(posted) || sum == 0) return _refused(call);
        vault.payFees(posted.epoch);
        received[DEVELOPER] += posted.developerFee;
        received[TREASURY] += toTreasury;
        paid += sum;
        reserved -= sum;
        posted.developerFee = 0;
        posted.treasuryFee -= toTreasury;
    }

    function stranger(uint256 way, uint256 epoch) external {
        bytes[7] memory calls = [
            abi.encodeCall(ProjectVault.requestWithdrawal, (1)),
            abi.encodeCall(ProjectVault.withdraw, ()),
            abi.encodeCall(ProjectVault.postEpoch, (epoch, bytes32(uint256(1)), bytes32(uint256(1)), Totals(1, 0, 0))),
            abi.encodeCall(ProjectVault.veto, (_someEpoch(epoch))),
            abi.encodeCall(ProjectVault.reopen, (_someEpoch(epoch))),
            abi.encodeCall(ProjectVault.setTerms, (uint64((block.timestamp / 1 days + 2) * 1 days), 1 days, 1)),
            abi.encodeCall(ProjectVault.initialize, (bytes32(0), STRANGER, token, 1 days, 1))
        ];
        _refusedFrom(STRANGER, calls[way % 7]);
    }

    function pass(uint256 secs) external {
        vm.warp(block.timestamp + between(secs, 1, 18 hours));
    }

    /// @dev For the invariants: an epoch, its veto, the sum promised to miners, and the sum paid to them.
    function epochAt(uint256 index) external view returns (uint256 epoch, bool isVetoed, uint256 promised, uint256 given) {
        Posted storage posted = _posted[index];
        return (posted.epoch, posted.isVetoed, posted.minerTotal, posted.minerPaid);
    }

    /// @dev The amount that an epoch still has a claim on, by the books.
    function claimAt(uint256 index) external view returns (uint256) {
        Posted storage posted = _posted[index];
        return posted.isVetoed ? 0 : posted.unclaimed + posted.developerFee + posted.treasuryFee;
    }

    /// @dev Tokens that a withdrawal leaves for epochs that are not posted.
    function _heldForEpochs() private view returns (uint256 held) {
        uint256 last = block.timestamp / 1 days;
        for (uint256 epoch = last - 1; epoch <= last; ++epoch)
            if ((epoch + 1) * 1 days > _caps[0].from && !_isPosted(epoch)) held += _capOf(epoch);
    }

    /// @dev By the caps that begin with the epoch or before; the first one holds for the epoch it began in.
    function _capOf(uint256 epoch) private view returns (uint256 amount) {
        amount = _caps[0].amount;
        for (uint256 i = 1; i < _caps.length; ++i) if (_caps[i].from <= epoch * 1 days) amount = _caps[i].amount;
    }

    function _someEpoch(uint256 which) private view returns (uint256) {
        return posts == 0 ? 0 : _posted[which % posts].epoch;
    }

    function miner(uint256 index) public pure returns (address) {
        return address(uint160(0x1000 + index));
    }

    /// @dev Refuses to keep books about a payout that was made before.
    function _pay(Posted storage posted, Leaf memory leaf) private {
        require(!_isPaid[posted.epoch][leaf.miner], "a payout was made twice");
        _isPaid[posted.epoch][leaf.miner] = true;
        received[leaf.miner] += leaf.amount;
        paid += leaf.amount;
        reserved -= leaf.amount;
        posted.unclaimed -= leaf.amount;
        posted.minerPaid += leaf.amount;
    }

    function _isPosted(uint256 epoch) private view returns (bool) {
        for (uint256 i = 0; i < posts; ++i) if (_posted[i].epoch == epoch && !_posted[i].isVetoed) return true;
        return false;
    }

    function _isReleased(Posted storage posted) private view returns (bool) {
        return !posted.isVetoed && block.timestamp >= posted.releaseAt;
    }

    /// @dev Whether what was set aside covers every leaf of a batch with the first leaf at its end once more.
    function _isCovered(Posted storage posted) private view returns (bool) {
        uint256 left = posted.unclaimed;
        bool[LEAVES] memory isPaid;
        for (uint256 i = 0; i <= LEAVES; ++i) {
            Leaf memory leaf = posted.leaves[i % LEAVES];
            bool isSecond = i != 0 && leaf.miner == posted.leaves[0].miner && isPaid[0];
            if (isSecond || _isPaid[posted.epoch][leaf.miner]) continue;
            if (leaf.amount > left) return false;
            if (_isRefused[leaf.miner]) continue;
            left -= leaf.amount;
            isPaid[i % LEAVES] = true;
        }
        return true;
    }

    function _proof(Posted storage posted, uint256 leaf) private view returns (bytes32[] memory proof) {
        proof = new bytes32[](2);
        proof[0] = posted.hashes[leaf ^ 1];
        proof[1] = leaf < 2 ? _pair(posted.hashes[2], posted.hashes[3]) : _pair(posted.hashes[0], posted.hashes[1]);
    }

    /// @dev Written out once more, apart from the contracts: a leaf that lacks a member would fit itself.
    function _leaf(uint256 epoch, address payee, uint256 amount) private view returns (bytes32) {
        return keccak256(abi.encodePacked(keccak256(abi.encode(_projectId, epoch, payee, amount))));
    }

    function _pair(bytes32 a, bytes32 b) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }

    function _refusedFrom(address caller, bytes memory call) private {
        vm.prank(caller);
        _refused(call);
    }

    function _refused(bytes memory call) private {
        (bool success, ) = address(vault).call(call);
        require(!success, "what must be refused was done");
    }
}
