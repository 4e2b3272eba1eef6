// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HubToken} from "../../src/HubToken.sol";
import {ProjectRegistry} from "../../src/ProjectRegistry.sol";
import {ProjectVault} from "../../src/ProjectVault.sol";
import {VaultFactory} from "../../src/VaultFactory.sol";
import {Claim, Epoch, Totals, Withdrawal} from "../../src/types/VaultTypes.sol";
import {ForgeTest, between} from "./Vm.sol";

/**
 * @title Does to a vault whatever anybody could do, in any order, with posters that lie
 * @dev It keeps books of its own. A call that must be refused is made as well, and its success breaks the run.
 */
contract VaultHandler is ForgeTest {
    uint64 private constant CHALLENGE_SECS = 1 hours;
    uint64 private constant NOTICE_SECS = 2 days;
    uint256 private constant LEAVES = 4;

    address public constant DEVELOPER = address(0xde7e);
    address public constant TREASURY = address(0x7ea5);
    address public constant STRANGER = address(0x5771);

    HubToken public immutable token;
    ProjectVault public immutable vault;
    bytes32 private immutable _projectId;

    struct Leaf {
        address miner;
        uint256 amount;
    }

    struct Posted {
        uint256 epoch;
        uint256 releaseAt;
        /// What is left for miners, and of fees.
        uint256 unclaimed;
        uint256 fees;
        uint256 minerTotal;
        uint256 minerPaid;
        bool isVetoed;
        Leaf[4] leaves;
        bytes32[4] hashes;
    }

    // Books, kept from what was asked for and not read from the contract.
    mapping(uint256 index => Posted) private _posted;
    mapping(uint256 epoch => mapping(address miner => bool)) private _isPaid;
    mapping(address account => uint256) public received;
    uint256 public posts;
    uint256 public funded;
    uint256 public unbooked;
    uint256 public withdrawn;
    uint256 public paid;
    uint256 public reserved;

    constructor() {
        token = new HubToken("Hub (testnet)", "HUB", "HUB (testnet)", address(this), address(this), address(this), 1e30);
        ProjectRegistry registry = new ProjectRegistry(
            "Hub ProjectRegistry",
            "hub-project-v1:",
            address(this),
            address(this)
        );
        VaultFactory factory = new VaultFactory(
            registry,
            TREASURY,
            CHALLENGE_SECS,
            NOTICE_SECS,
            address(this),
            address(this),
            address(this)
        );
        vm.prank(DEVELOPER);
        _projectId = registry.register("tide-forecast", bytes32(0), bytes32(0), bytes32(0));
        vault = ProjectVault(factory.create(_projectId, token));
        token.approve(address(vault), type(uint256).max);
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
        uint256 free = funded - withdrawn - paid - reserved;
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
     * that was posted before.
     */
    function post(uint256 seed, uint8 lie, uint256 epoch) external {
        epoch = between(epoch, 0, 11);
        Posted storage next = _posted[posts];
        uint256 sum;
        for (uint256 i = 0; i < LEAVES; ++i) {
            uint256 amount = 1 + (uint256(keccak256(abi.encode(seed, i))) % 1e20);
            address payee = address(uint160(0x1000 + (lie % 3 == 1 && i == 3 ? 0 : i)));
            next.leaves[i] = Leaf(payee, amount);
            next.hashes[i] = _leaf(epoch, payee, amount);
            sum += amount;
        }
        uint128 minerTotal = uint128(lie % 3 == 2 ? sum / 2 : sum);
        Totals memory totals = Totals(minerTotal, uint128(seed % 1e18), uint128(seed % 7));
        bytes32 root = _pair(_pair(next.hashes[0], next.hashes[1]), _pair(next.hashes[2], next.hashes[3]));
        uint256 total = uint256(minerTotal) + totals.developer + totals.treasury;
        bytes memory call = abi.encodeCall(ProjectVault.postEpoch, (epoch, root, totals));
        bool allowed = !_isPosted(epoch) && total <= funded - withdrawn - paid - reserved;
        if (!allowed) return _refused(call);
        vault.postEpoch(epoch, root, totals);
        next.epoch = epoch;
        next.releaseAt = block.timestamp + CHALLENGE_SECS;
        next.unclaimed = minerTotal;
        next.minerTotal = minerTotal;
        next.fees = total - minerTotal;
        reserved += total;
        posts += 1;
        _refused(call);
    }

    function veto(uint256 which) external {
        if (posts == 0) return;
        Posted storage posted = _posted[which % posts];
        if (_isReplaced(posted)) return;
        bytes memory call = abi.encodeCall(ProjectVault.veto, (posted.epoch));
        if (posted.isVetoed || block.timestamp >= posted.releaseAt) return _refused(call);
        vault.veto(posted.epoch);
        posted.isVetoed = true;
        reserved -= posted.unclaimed + posted.fees;
    }

    function claim(uint256 which, uint256 leaf, bool patient) external {
        if (posts == 0) return;
        Posted storage posted = _posted[which % posts];
        if (_isReplaced(posted)) return;
        if (patient && block.timestamp < posted.releaseAt) vm.warp(posted.releaseAt);
        Leaf memory one = posted.leaves[leaf % LEAVES];
        bytes32[] memory proof = _proof(posted, leaf % LEAVES);
        bytes memory call = abi.encodeCall(ProjectVault.claim, (posted.epoch, one.miner, one.amount, proof));
        bool allowed = _isReleased(posted) && !_isPaid[posted.epoch][one.miner] && one.amount <= posted.unclaimed;
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
    function claimMany(uint256 which) external {
        if (posts == 0) return;
        Posted storage posted = _posted[which % posts];
        if (_isReplaced(posted)) return;
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
            if (!_isPaid[posted.epoch][leaf.miner]) _pay(posted, leaf);
        }
    }

    function payFees(uint256 which) external {
        if (posts == 0) return;
        Posted storage posted = _posted[which % posts];
        if (_isReplaced(posted)) return;
        bytes memory call = abi.encodeCall(ProjectVault.payFees, (posted.epoch));
        if (!_isReleased(posted) || posted.fees == 0) return _refused(call);
        Epoch memory fees = vault.epochOf(posted.epoch);
        vault.payFees(posted.epoch);
        received[DEVELOPER] += fees.developer;
        received[TREASURY] += fees.treasury;
        paid += posted.fees;
        reserved -= posted.fees;
        posted.fees = 0;
    }

    function stranger(uint256 way, uint256 epoch) external {
        bytes[5] memory calls = [
            abi.encodeCall(ProjectVault.requestWithdrawal, (1)),
            abi.encodeCall(ProjectVault.withdraw, ()),
            abi.encodeCall(ProjectVault.postEpoch, (epoch, bytes32(uint256(1)), Totals(1, 0, 0))),
            abi.encodeCall(ProjectVault.veto, (between(epoch, 0, 11))),
            abi.encodeCall(ProjectVault.initialize, (bytes32(0), STRANGER, token))
        ];
        vm.prank(STRANGER);
        _refused(calls[way % 5]);
    }

    function pass(uint256 secs) external {
        vm.warp(block.timestamp + between(secs, 1, 1 days));
    }

    /// @dev For the invariants: what is left for miners, what they were promised, and what they were paid.
    function epochAt(uint256 index) external view returns (uint256 epoch, bool isVetoed, uint256 promised, uint256 given) {
        Posted storage posted = _posted[index];
        return (posted.epoch, posted.isVetoed, posted.minerTotal, posted.minerPaid);
    }

    function miner(uint256 index) external pure returns (address) {
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

    /// @dev Vetoed and posted anew, which is another entry of the books.
    function _isReplaced(Posted storage posted) private view returns (bool) {
        return posted.isVetoed && _isPosted(posted.epoch);
    }

    function _isReleased(Posted storage posted) private view returns (bool) {
        return !posted.isVetoed && block.timestamp >= posted.releaseAt;
    }

    /// @dev Whether what was set aside covers every leaf that is still to be paid, the first of a miner only.
    function _isCovered(Posted storage posted) private view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < LEAVES; ++i) {
            bool isSecond = i != 0 && posted.leaves[i].miner == posted.leaves[0].miner;
            if (!isSecond && !_isPaid[posted.epoch][posted.leaves[i].miner]) sum += posted.leaves[i].amount;
        }
        return sum <= posted.unclaimed;
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

    function _refused(bytes memory call) private {
        (bool success, ) = address(vault).call(call);
        require(!success, "what must be refused was done");
    }
}
