// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Claim, Epoch, Terms, Totals, VaultSummary, Withdrawal} from "../types/VaultTypes.sol";

/**
 * @title Pays the miners of one project
 * @notice What a posted epoch costs is set aside at once and cannot be taken out again, except by a veto within the
 * challenge period. Never is more paid than was funded, for an epoch more than was set aside for it, or a miner twice for
 * one epoch, whatever a root proves.
 */
interface IProjectVault {
    event VaultFunded(address indexed from, uint256 amount);
    /**
     * @param receiptHash hash of the reward receipt that validators attested, which the root follows from.
     * @param miner what is set aside for miners; the two fees are set aside besides.
     */
    event EpochPosted(
        uint256 indexed epoch,
        bytes32 merkleRoot,
        bytes32 receiptHash,
        uint256 miner,
        uint256 developer,
        uint256 treasury,
        uint64 releaseAt
    );
    event EpochVetoed(uint256 indexed epoch, bytes32 merkleRoot);
    event EpochReopened(uint256 indexed epoch);
    event TermsSet(uint64 from, uint32 epochSecs, uint128 epochCap);
    event Claimed(uint256 indexed epoch, address indexed miner, uint256 amount);
    event FeesPaid(uint256 indexed epoch, uint256 developer, uint256 treasury);
    event WithdrawalRequested(uint256 amount, uint64 availableAt, uint64 expiresAt);
    event FundsWithdrawn(address indexed developer, uint256 amount);

    /// @notice Only the factory sets up a vault.
    error NotFactory(address account);

    /// @notice Only the developer takes funds out.
    error NotDeveloper(bytes32 projectId, address account);

    /// @notice Nothing arrived that is not in the books.
    error NothingFunded();

    /// @notice An epoch without a root, without a receipt or without anything for miners is not posted.
    error EmptyEpoch(uint256 epoch);

    /// @notice The epoch has not ended, or had ended when the vault was opened.
    error EpochNotPayable(uint256 epoch);

    /// @notice The epoch would cost more than the vault's terms allow.
    error ExceedsCap(uint256 epoch, uint256 cap, uint256 total);

    /// @notice An arbiter vetoed the epoch and has not reopened it.
    error VetoStands(uint256 epoch);

    /// @notice The epoch is not under a veto.
    error NoVeto(uint256 epoch);

    /// @notice Epochs last whole hours and divide a day; new terms begin with an epoch of the old and the new length.
    error InvalidTerms(uint64 from, uint32 epochSecs, uint128 epochCap);

    /// @notice The epoch is posted. Only a veto makes room for another root.
    error AlreadyPosted(uint256 epoch);

    /// @notice What no epoch has a claim on does not cover this one.
    error Underfunded(uint256 unreserved, uint256 needed);

    /// @notice The epoch is not posted, or was vetoed.
    error UnknownEpoch(uint256 epoch);

    /// @notice The challenge period is over: others may have been paid, so the root stands.
    error ChallengeOver(uint256 epoch, uint64 releaseAt);

    /// @notice The challenge period is not over.
    error NotClaimable(uint256 epoch, uint64 releaseAt);

    /// @notice The proof does not lead to the epoch's root.
    error InvalidProof(uint256 epoch, address miner);

    /// @notice The miner was paid for this epoch.
    error AlreadyClaimed(uint256 epoch, address miner);

    /// @notice The root proves more than was set aside for miners.
    error ExceedsTotal(uint256 epoch, uint256 unclaimed, uint256 amount);

    /// @notice A batch of this size might not fit in a transaction.
    error TooManyClaims(uint256 count, uint256 most);

    /// @notice The fees of the epoch are paid, or there are none, or the token refuses those that receive them.
    error NoFees(uint256 epoch);

    /// @notice There is no announced withdrawal whose time has come.
    error WithdrawalNotAvailable(uint64 availableAt, uint64 expiresAt);

    /// @notice Everything is set aside for epochs, or may be needed for those that are not posted yet.
    error NothingFree();

    /**
     * @notice Sets up a new vault. The factory calls it in the transaction of the creation, and never again.
     * @param epochSecs a whole number of hours that divides a day.
     * @param epochCap the most an epoch pays, fees included.
     */
    function initialize(
        bytes32 projectId,
        address developer,
        IERC20 token,
        uint32 epochSecs,
        uint128 epochCap
    ) external;

    /**
     * @notice Moves the caller's tokens in, out of its allowance to this vault.
     * @dev What counts is what arrived, so a token that keeps a fee does not spoil the books. Tokens that were sent
     * without a call are booked along with it; `fund(0)` books just them. Where the issuer took tokens away, there are
     * fewer than in the books, and only what this call brings is booked.
     */
    function fund(uint256 amount) external;

    /**
     * @notice Sets the terms of epochs that begin at `from` or later. Only the developer may.
     * @dev The notice is long enough for the hub to see new terms before members of the first epoch are drawn. Within it
     * they stand; terms further ahead are replaced, so that never more than one change is ahead. A cap of 0 ends what the vault pays for,
     * and with it what a withdrawal has to leave.
     */
    function setTerms(uint64 from, uint32 epochSecs, uint128 epochCap) external;

    /**
     * @notice Announces a withdrawal of the developer; a later announcement takes the place of an earlier one, and 0
     * only takes it back.
     * @dev A notice longer than an epoch lets the work that was done in good faith be posted first. From now on the amount
     * is not free for tasks any more.
     */
    function requestWithdrawal(uint256 amount) external;

    /**
     * @notice Pays the announced amount to the developer, or what of it is free. Only the developer may.
     * @dev The running epoch and those that ended within a day come first, posted or not: the cap of each that is not
     * posted stays in the vault.
     */
    function withdraw() external;

    /**
     * @notice Posts what an epoch pays and sets its total aside. Only a poster may, once the epoch has ended.
     * @dev An announced withdrawal does not stand in the way: what was worked comes first.
     */
    function postEpoch(
        uint256 epoch,
        bytes32 merkleRoot,
        bytes32 receiptHash,
        Totals calldata totals
    ) external;

    /// @notice Takes a posted epoch back within the challenge period. Only an arbiter may.
    function veto(uint256 epoch) external;

    /**
     * @notice Lets another root be posted for an epoch that was vetoed. Only an arbiter may.
     * @dev Else a poster could answer every veto in the same block, and would win as soon as one came too late.
     */
    function reopen(uint256 epoch) external;

    /// @notice Pays a miner. Anyone may; the tokens go to the miner.
    function claim(uint256 epoch, address miner, uint256 amount, bytes32[] calldata proof) external;

    /**
     * @notice Pays many payouts, of one miner or several.
     * @dev Those already paid are passed over, so that a stranger who claims one of them first does not sink the others. So
     * are those whose miner the token refuses, which stay unpaid and can be claimed later.
     * @return paid sum of what was paid.
     */
    function claimMany(Claim[] calldata claims) external returns (uint256 paid);

    /// @notice Pays an epoch's fees to developer and treasury. Anyone may. What the token refuses can be paid later.
    function payFees(uint256 epoch) external;

    /// @notice The books.
    function summary() external view returns (VaultSummary memory);

    /**
     * @notice What tasks can count on: tokens that are really there, less what posted epochs have a claim on, less an
     * announced withdrawal.
     */
    function freeBalance() external view returns (uint256);

    /// @notice The terms by which an epoch that has ended is paid.
    function termsOf(uint256 epoch) external view returns (Terms memory);

    /// @notice The terms that were set last. They may begin later.
    function latestTerms() external view returns (Terms memory);

    /// @notice A posted epoch; all zero when it is not posted.
    function epochOf(uint256 epoch) external view returns (Epoch memory);

    /// @notice What a miner was paid for an epoch.
    function claimedOf(uint256 epoch, address miner) external view returns (uint256);

    /// @notice The announced withdrawal.
    function pendingWithdrawal() external view returns (Withdrawal memory);

    /// @notice The project that is paid for.
    function projectId() external view returns (bytes32);

    /// @notice Who receives the developer's fees and what is withdrawn.
    function developer() external view returns (address);

    /// @notice The token that is paid in.
    function token() external view returns (IERC20);

    /// @notice Who receives the network's fees; the same for all vaults.
    function treasury() external view returns (address);

    /// @notice Keeper of the roles; the same for all vaults.
    function factory() external view returns (address);

    /// @notice Seconds between posting and payment; the same for all vaults.
    function challengeSecs() external view returns (uint64);

    /// @notice Seconds between announcement and withdrawal, and then until it is void; the same for all vaults.
    function withdrawalNoticeSecs() external view returns (uint64);
}
