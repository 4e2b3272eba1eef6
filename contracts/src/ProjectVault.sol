// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IExpiringPause} from "./interfaces/IExpiringPause.sol";
import {IProjectVault} from "./interfaces/IProjectVault.sol";
import {VaultRoles} from "./lib/VaultRoles.sol";
import {Claim, Epoch, PayoutLeaf, Terms, Totals, VaultSummary, Withdrawal} from "./types/VaultTypes.sol";

/**
 * @dev Cloned for every project. Values that all vaults share are immutable here and cost a clone no storage. The developer
 * chooses the reward token, which may call back. A payment is booked before its tokens move, and the booking is reverted if
 * they did not move; the guard refuses such a call in every function that books tokens.
 */
contract ProjectVault is IProjectVault, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using SafeCast for uint256;
    using Math for uint256;

    /// @dev 100 first claims cost about 6.3 million gas, well below the limit that any chain sets for one transaction.
    uint256 public constant CLAIMS_MAX = 100;
    /// @dev Members of an epoch are drawn less than this before it begins.
    uint64 public constant TERMS_NOTICE_SECS = 1 hours;
    /// @dev An epoch that ended this long ago and is not posted no longer limits withdrawals.
    uint64 public constant POSTING_SECS = 1 days;

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
    /// In order of time. Only the last may lie ahead.
    Terms[] private _terms;
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
    function initialize(
        bytes32 projectId_,
        address developer_,
        IERC20 token_,
        uint32 epochSecs,
        uint128 epochCap
    ) external {
        if (msg.sender != factory) revert NotFactory(msg.sender);
        uint64 from = uint64(block.timestamp);
        if (!_isEpochLength(epochSecs) || epochCap == 0) revert InvalidTerms(from, epochSecs, epochCap);
        projectId = projectId_;
        developer = developer_;
        token = token_;
        _terms.push(Terms(from, epochSecs, epochCap));
    }

    /// @inheritdoc IProjectVault
    function fund(uint256 amount) external nonReentrant {
        uint256 known = Math.min(_balance(), token.balanceOf(address(this)));
        if (amount != 0) token.safeTransferFrom(msg.sender, address(this), amount);
        uint256 arrived = token.balanceOf(address(this)).saturatingSub(known);
        if (arrived == 0) revert NothingFunded();
        _funded += arrived.toUint128();
        emit VaultFunded(msg.sender, arrived);
    }

    /// @inheritdoc IProjectVault
    function setTerms(uint64 from, uint32 epochSecs, uint128 epochCap) external onlyDeveloper {
        uint256 earliest = block.timestamp + TERMS_NOTICE_SECS;
        if (latestTerms().from >= earliest) _terms.pop();
        Terms memory latest = latestTerms();
        bool isBoundary = _isEpochLength(epochSecs) && from % epochSecs == 0 && from % latest.epochSecs == 0;
        if (!isBoundary || from < earliest || latest.from > block.timestamp)
            revert InvalidTerms(from, epochSecs, epochCap);
        _terms.push(Terms(from, epochSecs, epochCap));
        emit TermsSet(from, epochSecs, epochCap);
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
        uint256 amount = Math.min(announced.amount, _unreserved().saturatingSub(_heldForEpochs()));
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
        bytes32 receiptHash,
        Totals calldata totals
    ) external onlyRole(VaultRoles.POSTER) {
        if (IExpiringPause(factory).paused()) revert IExpiringPause.EnforcedPause();
        if (merkleRoot == 0 || receiptHash == 0 || totals.miner == 0) revert EmptyEpoch(epoch);
        if (_epochs[epoch].merkleRoot != 0) revert AlreadyPosted(epoch);
        if (_epochs[epoch].isVetoed) revert VetoStands(epoch);
        uint256 total = uint256(totals.miner) + totals.developer + totals.treasury;
        uint256 cap = termsOf(epoch).epochCap;
        if (total > cap) revert ExceedsCap(epoch, cap, total);
        uint256 unreserved = _unreserved();
        if (total > unreserved) revert Underfunded(unreserved, total);
        _reserved += uint128(total);
        uint64 releaseAt = uint64(block.timestamp) + challengeSecs;
        _epochs[epoch] = Epoch({
            merkleRoot: merkleRoot,
            releaseAt: releaseAt,
            isVetoed: false,
            unclaimed: totals.miner,
            developer: totals.developer,
            treasury: totals.treasury
        });
        emit EpochPosted(
            epoch,
            merkleRoot,
            receiptHash,
            totals.miner,
            totals.developer,
            totals.treasury,
            releaseAt
        );
    }

    /// @inheritdoc IProjectVault
    function veto(uint256 epoch) external onlyRole(VaultRoles.ARBITER) {
        Epoch memory posted = _posted(epoch);
        if (block.timestamp >= posted.releaseAt) revert ChallengeOver(epoch, posted.releaseAt);
        // Nothing was paid before the release, so all of it is still there.
        _reserved -= posted.unclaimed + posted.developer + posted.treasury;
        delete _epochs[epoch];
        _epochs[epoch].isVetoed = true;
        emit EpochVetoed(epoch, posted.merkleRoot);
    }

    /// @inheritdoc IProjectVault
    function reopen(uint256 epoch) external onlyRole(VaultRoles.ARBITER) {
        if (!_epochs[epoch].isVetoed) revert NoVeto(epoch);
        _epochs[epoch].isVetoed = false;
        emit EpochReopened(epoch);
    }

    /// @inheritdoc IProjectVault
    function claim(uint256 epoch, address miner, uint256 amount, bytes32[] calldata proof) external nonReentrant {
        if (!_settle(epoch, miner, amount, proof)) revert AlreadyClaimed(epoch, miner);
        emit Claimed(epoch, miner, amount);
        token.safeTransfer(miner, amount);
    }

    /// @inheritdoc IProjectVault
    function claimMany(Claim[] calldata claims) external nonReentrant returns (uint256 paid) {
        if (claims.length > CLAIMS_MAX) revert TooManyClaims(claims.length, CLAIMS_MAX);
        for (uint256 i = 0; i < claims.length; ++i) {
            Claim calldata one = claims[i];
            if (!_settle(one.epoch, one.miner, one.amount, one.proof)) continue;
            if (!token.trySafeTransfer(one.miner, one.amount)) {
                _unsettle(one.epoch, one.miner, one.amount);
                continue;
            }
            paid += one.amount;
            emit Claimed(one.epoch, one.miner, one.amount);
        }
    }

    /// @inheritdoc IProjectVault
    function payFees(uint256 epoch) external nonReentrant {
        Epoch storage posted = _releasedEpoch(epoch);
        uint128 developerFee = posted.developer;
        uint128 treasuryFee = posted.treasury;
        posted.developer = 0;
        posted.treasury = 0;
        uint128 toDeveloper = _tryToPay(developer, developerFee);
        uint128 toTreasury = _tryToPay(treasury, treasuryFee);
        if (toDeveloper == 0 && toTreasury == 0) revert NoFees(epoch);
        posted.developer = developerFee - toDeveloper;
        posted.treasury = treasuryFee - toTreasury;
        emit FeesPaid(epoch, toDeveloper, toTreasury);
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
    function freeBalance() external view returns (uint256) {
        uint256 announced = block.timestamp < _withdrawal.expiresAt ? _withdrawal.amount : 0;
        return _unreserved().saturatingSub(announced);
    }

    /// @inheritdoc IProjectVault
    function termsOf(uint256 epoch) public view returns (Terms memory terms) {
        if (epoch > type(uint64).max) revert EpochNotPayable(epoch);
        uint256 until = block.timestamp;
        for (uint256 i = _terms.length; i != 0; --i) {
            terms = _terms[i - 1];
            uint256 end = (epoch + 1) * terms.epochSecs;
            if (end > terms.from && end <= until) return terms;
            until = Math.min(until, terms.from);
        }
        revert EpochNotPayable(epoch);
    }

    /// @inheritdoc IProjectVault
    function latestTerms() public view returns (Terms memory) {
        return _terms[_terms.length - 1];
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
     * @dev Books one payout as paid; false when it was before. A miner has one leaf in an epoch, so the pair is the key: a
     * tree with a second leaf for it pays only one of them. A wrong proof of a paid payout is not detected.
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
        _book(uint128(amount));
        return true;
    }

    /// @dev Reverts `_settle`.
    function _unsettle(uint256 epoch, address miner, uint256 amount) private {
        _epochs[epoch].unclaimed += uint128(amount);
        _claimed[epoch][miner] = 0;
        _unbook(uint128(amount));
    }

    /// @dev Returns the amount that was paid: all or, if the token refuses the receiver, nothing.
    function _tryToPay(address to, uint128 amount) private returns (uint128) {
        if (amount == 0) return 0;
        _book(amount);
        if (token.trySafeTransfer(to, amount)) return amount;
        _unbook(amount);
        return 0;
    }

    /// @dev Turns reserved funds into paid ones.
    function _book(uint128 amount) private {
        _reserved -= amount;
        _paid += amount;
    }

    function _unbook(uint128 amount) private {
        _reserved += amount;
        _paid -= amount;
    }

    function _releasedEpoch(uint256 epoch) private view returns (Epoch storage posted) {
        posted = _posted(epoch);
        if (block.timestamp < posted.releaseAt) revert NotClaimable(epoch, posted.releaseAt);
    }

    function _posted(uint256 epoch) private view returns (Epoch storage posted) {
        posted = _epochs[epoch];
        if (posted.merkleRoot == 0) revert UnknownEpoch(epoch);
    }

    /**
     * @dev The highest cost of epochs that nobody has posted yet: the running one and those that ended within `POSTING_SECS`.
     * Their number is bounded, because an epoch lasts an hour at least.
     */
    function _heldForEpochs() private view returns (uint256 held) {
        uint256 since = block.timestamp - POSTING_SECS;
        uint256 until = block.timestamp + 1;
        for (uint256 i = _terms.length; i != 0 && until > since; --i) {
            Terms memory terms = _terms[i - 1];
            if (terms.from >= until) continue;
            uint256 last = (until - 1) / terms.epochSecs;
            for (uint256 epoch = Math.max(terms.from, since) / terms.epochSecs; epoch <= last; ++epoch)
                if (_epochs[epoch].merkleRoot == 0) held += terms.epochCap;
            until = terms.from;
        }
    }

    function _unreserved() private view returns (uint256) {
        return Math.min(_balance(), token.balanceOf(address(this))).saturatingSub(_reserved);
    }

    function _balance() private view returns (uint256) {
        return uint256(_funded) - _withdrawn - _paid;
    }

    /// @dev The lengths that a manifest may have.
    function _isEpochLength(uint32 epochSecs) private pure returns (bool) {
        return epochSecs != 0 && epochSecs % 1 hours == 0 && 1 days % epochSecs == 0;
    }
}
