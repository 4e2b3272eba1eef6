// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IProjectVault} from "./interfaces/IProjectVault.sol";
import {VaultRoles} from "./lib/VaultRoles.sol";
import {Claim, Epoch, PayoutLeaf, Totals, VaultSummary, Withdrawal} from "./types/VaultTypes.sol";

/**
 * @dev Cloned for every project. What all vaults have in common is immutable here and costs a clone no storage. The reward
 * token is the developer's choice and may call back. The books are complete before any token moves out; the guard keeps such a
 * call away from `fund`, which would book tokens that are on their way out as newly arrived.
 */
contract ProjectVault is IProjectVault, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using SafeCast for uint256;

    /// @dev 100 first claims cost about 6.2 million gas, well below what any chain allows in one transaction.
    uint256 public constant CLAIMS_MAX = 100;

    /// @inheritdoc IProjectVault
    address public immutable factory;
    /// @inheritdoc IProjectVault
    address public immutable treasury;
    /// @inheritdoc IProjectVault
    uint64 public immutable challengeSecs;
    /// @inheritdoc IProjectVault
    uint64 public immutable withdrawalNoticeSecs;

    /// @inheritdoc IProjectVault
    bytes32 public projectId;
    /// @inheritdoc IProjectVault
    address public developer;
    /// @inheritdoc IProjectVault
    IERC20 public token;

    // funded ≥ withdrawn + paid + reserved, always. Pairs that change together share a slot.
    uint128 private _funded;
    uint128 private _withdrawn;
    uint128 private _paid;
    uint128 private _reserved;

    Withdrawal private _withdrawal;
    mapping(uint256 epoch => Epoch) private _epochs;
    mapping(uint256 epoch => mapping(address miner => uint256 amount)) private _claimed;

    /// @param challengeSecs_ time to object to a posted epoch.
    constructor(address treasury_, uint64 challengeSecs_, uint64 withdrawalNoticeSecs_) {
        factory = msg.sender;
        treasury = treasury_;
        challengeSecs = challengeSecs_;
        withdrawalNoticeSecs = withdrawalNoticeSecs_;
    }

    modifier onlyRole(bytes32 role) {
        if (!IAccessControl(factory).hasRole(role, msg.sender))
            revert IAccessControl.AccessControlUnauthorizedAccount(msg.sender, role);
        _;
    }

    modifier onlyDeveloper() {
        if (msg.sender != developer) revert NotDeveloper(projectId, msg.sender);
        _;
    }

    /// @inheritdoc IProjectVault
    function initialize(bytes32 projectId_, address developer_, IERC20 token_) external {
        if (msg.sender != factory) revert NotFactory(msg.sender);
        projectId = projectId_;
        developer = developer_;
        token = token_;
    }

    /// @inheritdoc IProjectVault
    function fund(uint256 amount) external nonReentrant {
        if (amount != 0) token.safeTransferFrom(msg.sender, address(this), amount);
        uint256 arrived = token.balanceOf(address(this)) - _balance();
        if (arrived == 0) revert NothingFunded();
        _funded += arrived.toUint128();
        emit VaultFunded(msg.sender, arrived);
    }

    /// @inheritdoc IProjectVault
    function requestWithdrawal(uint256 amount) external onlyDeveloper {
        uint64 availableAt = uint64(block.timestamp) + withdrawalNoticeSecs;
        uint64 expiresAt = availableAt + withdrawalNoticeSecs;
        _withdrawal = Withdrawal(amount.toUint128(), availableAt, expiresAt);
        emit WithdrawalRequested(amount, availableAt, expiresAt);
    }

    /// @inheritdoc IProjectVault
    function withdraw() external nonReentrant onlyDeveloper {
        Withdrawal memory announced = _withdrawal;
        bool isTime = block.timestamp >= announced.availableAt && block.timestamp < announced.expiresAt;
        if (!isTime || announced.amount == 0)
            revert WithdrawalNotAvailable(announced.availableAt, announced.expiresAt);
        uint256 amount = Math.min(announced.amount, freeBalance());
        if (amount == 0) revert NothingFree();
        delete _withdrawal;
        _withdrawn += uint128(amount);
        emit FundsWithdrawn(msg.sender, amount);
        token.safeTransfer(msg.sender, amount);
    }

    /// @inheritdoc IProjectVault
    function postEpoch(
        uint256 epoch,
        bytes32 merkleRoot,
        Totals calldata totals
    ) external onlyRole(VaultRoles.POSTER) {
        if (merkleRoot == 0 || totals.miner == 0) revert EmptyEpoch(epoch);
        if (_epochs[epoch].merkleRoot != 0) revert AlreadyPosted(epoch);
        uint256 total = uint256(totals.miner) + totals.developer + totals.treasury;
        uint256 free = freeBalance();
        if (total > free) revert Underfunded(free, total);
        _reserved += uint128(total);
        _epochs[epoch] = Epoch({
            merkleRoot: merkleRoot,
            releaseAt: uint64(block.timestamp) + challengeSecs,
            unclaimed: totals.miner,
            developer: totals.developer,
            treasury: totals.treasury
        });
        emit EpochPosted(epoch, merkleRoot, total);
    }

    /// @inheritdoc IProjectVault
    function veto(uint256 epoch) external onlyRole(VaultRoles.ARBITER) {
        Epoch memory posted = _posted(epoch);
        if (block.timestamp >= posted.releaseAt) revert ChallengeOver(epoch, posted.releaseAt);
        // Nothing was paid before the release, so all of it is still there.
        _reserved -= posted.unclaimed + posted.developer + posted.treasury;
        delete _epochs[epoch];
        emit EpochVetoed(epoch, posted.merkleRoot);
    }

    /// @inheritdoc IProjectVault
    function claim(uint256 epoch, address miner, uint256 amount, bytes32[] calldata proof) external nonReentrant {
        if (!_settle(epoch, miner, amount, proof)) revert AlreadyClaimed(epoch, miner);
        _book(amount);
        token.safeTransfer(miner, amount);
    }

    /// @inheritdoc IProjectVault
    function claimMany(Claim[] calldata claims) external nonReentrant returns (uint256 paid) {
        if (claims.length > CLAIMS_MAX) revert TooManyClaims(claims.length, CLAIMS_MAX);
        uint256[] memory amounts = new uint256[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            Claim calldata one = claims[i];
            if (!_settle(one.epoch, one.miner, one.amount, one.proof)) continue;
            amounts[i] = one.amount;
            paid += one.amount;
        }
        _book(paid);
        for (uint256 i = 0; i < claims.length; ++i) {
            if (amounts[i] != 0) token.safeTransfer(claims[i].miner, amounts[i]);
        }
    }

    /// @inheritdoc IProjectVault
    function payFees(uint256 epoch) external nonReentrant {
        Epoch storage posted = _releasedEpoch(epoch);
        uint256 toDeveloper = posted.developer;
        uint256 toTreasury = posted.treasury;
        if (toDeveloper + toTreasury == 0) revert NoFees(epoch);
        posted.developer = 0;
        posted.treasury = 0;
        _book(toDeveloper + toTreasury);
        emit FeesPaid(epoch, toDeveloper, toTreasury);
        if (toDeveloper != 0) token.safeTransfer(developer, toDeveloper);
        if (toTreasury != 0) token.safeTransfer(treasury, toTreasury);
    }

    /// @inheritdoc IProjectVault
    function summary() external view returns (VaultSummary memory) {
        Withdrawal memory announced = _withdrawal;
        return
            VaultSummary({
                projectId: projectId,
                developer: developer,
                token: address(token),
                balance: _balance(),
                reserved: _reserved,
                totalFunded: _funded,
                totalPaid: _paid,
                pendingWithdrawal: block.timestamp < announced.expiresAt ? announced.amount : 0,
                withdrawalAvailableAt: announced.availableAt
            });
    }

    /// @inheritdoc IProjectVault
    function freeBalance() public view returns (uint256) {
        return _balance() - _reserved;
    }

    /// @inheritdoc IProjectVault
    function epochOf(uint256 epoch) external view returns (Epoch memory) {
        return _epochs[epoch];
    }

    /// @inheritdoc IProjectVault
    function claimedOf(uint256 epoch, address miner) external view returns (uint256) {
        return _claimed[epoch][miner];
    }

    /// @inheritdoc IProjectVault
    function pendingWithdrawal() external view returns (Withdrawal memory) {
        return _withdrawal;
    }

    /**
     * @dev Marks one payout as paid; false when it was before. A miner has one leaf in an epoch, so the pair is the key: a
     * tree with a second leaf for it pays only one of them. A wrong proof of a paid payout is told apart by neither.
     */
    function _settle(
        uint256 epoch,
        address miner,
        uint256 amount,
        bytes32[] calldata proof
    ) private returns (bool) {
        Epoch storage posted = _releasedEpoch(epoch);
        if (_claimed[epoch][miner] != 0) return false;
        bytes32 leaf = PayoutLeaf.hash(projectId, epoch, miner, amount);
        // A leaf of 0 is never built, and it would leave no mark.
        if (amount == 0 || !MerkleProof.verifyCalldata(proof, posted.merkleRoot, leaf))
            revert InvalidProof(epoch, miner);
        uint128 unclaimed = posted.unclaimed;
        if (amount > unclaimed) revert ExceedsTotal(epoch, unclaimed, amount);
        posted.unclaimed = unclaimed - uint128(amount);
        _claimed[epoch][miner] = amount;
        emit Claimed(epoch, miner, amount);
        return true;
    }

    /// @dev Turns reserved funds into paid ones.
    function _book(uint256 amount) private {
        _reserved -= uint128(amount);
        _paid += uint128(amount);
    }

    function _releasedEpoch(uint256 epoch) private view returns (Epoch storage posted) {
        posted = _posted(epoch);
        if (block.timestamp < posted.releaseAt) revert NotClaimable(epoch, posted.releaseAt);
    }

    function _posted(uint256 epoch) private view returns (Epoch storage posted) {
        posted = _epochs[epoch];
        if (posted.merkleRoot == 0) revert UnknownEpoch(epoch);
    }

    function _balance() private view returns (uint256) {
        return uint256(_funded) - _withdrawn - _paid;
    }
}
