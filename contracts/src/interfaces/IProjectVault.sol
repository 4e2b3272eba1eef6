// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Claim, Epoch, Terms, Totals, VaultSummary, Withdrawal} from "../types/VaultTypes.sol";

/**
 * @title Pays the miners of one project
 * @notice The cost of a posted epoch is set aside at once and cannot be taken out again, except by a veto within the
 * challenge period. A vault never pays more than was funded, never pays more for an epoch than was set aside for it, and
 * never pays a miner twice for one epoch, whatever a root proves.
 */
interface IProjectVault {
    event VaultFunded(address indexed from, uint256 amount);
    /**
     * @param receiptHash hash of the reward receipt that validators attested. The root follows from this receipt.
     * @param miner amount set aside for miners; the two fees are set aside in addition.
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

    /// @notice The call brought no tokens that are not in the books already.
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

    /// @notice The funds on which no epoch has a claim do not cover this one.
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

    /// @notice The fees of the epoch are paid or zero, or the token refuses their receivers.
    error NoFees(uint256 epoch);

    /// @notice No withdrawal is announced, or its time has not come.
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
     * @dev The tokens that arrived are booked, so a token that keeps a fee does not falsify the books. Tokens that were sent
     * without a call are booked with the next call; `fund(0)` books just them. If the issuer took tokens away, the vault has
     * fewer than the books say, and only the tokens of this call are booked.
     */
    function fund(uint256 amount) external;

    /**
     * @notice Sets the terms of epochs that begin at `from` or later. Only the developer may.
     * @dev The notice is long enough for the hub to see new terms before members of the first epoch are drawn. Within it
     * they cannot be changed; terms further ahead are replaced, so that at most one change is ahead. With a cap of 0 the vault
     * pays for no epoch, and a withdrawal need not leave anything for them.
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
     * @notice Pays the announced amount to the developer, or the free part of it. Only the developer may.
     * @dev The running epoch and those that ended within a day come first, posted or not: the cap of each that is not
     * posted stays in the vault.
     */
    function withdraw() external;

    /**
     * @notice Posts the payouts of an epoch and sets their total aside. Only a poster may, once the epoch has ended.
     * @dev An announced withdrawal does not prevent this: work that was done is paid first.
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
     * @dev Otherwise a poster could answer every veto in the same block, and would win as soon as one came too late.
     */
    function reopen(uint256 epoch) external;

    /// @notice Pays a miner. Anyone may; the tokens go to the miner.
    function claim(uint256 epoch, address miner, uint256 amount, bytes32[] calldata proof) external;

    /**
     * @notice Pays many payouts, of one miner or several.
     * @dev Payouts that are already paid are skipped, so a stranger who claims one of them first does not make the others
     * fail. Payouts to a miner that the token refuses are skipped too; they can be claimed later.
     * @return paid sum of the payouts that this call paid.
     */
    function claimMany(Claim[] calldata claims) external returns (uint256 paid);

    /// @notice Pays an epoch's fees to developer and treasury. Anyone may. A fee that the token refuses can be paid later.
    function payFees(uint256 epoch) external;

    /// @notice The books.
    function summary() external view returns (VaultSummary memory);

    /**
     * @notice The funds that tasks can count on: the tokens that the vault has, less the claims of posted epochs, less an
     * announced withdrawal.
     */
    function freeBalance() external view returns (uint256);

    /// @notice The terms by which an epoch that has ended is paid.
    function termsOf(uint256 epoch) external view returns (Terms memory);

    /// @notice The terms that were set last. They may begin later.
    function latestTerms() external view returns (Terms memory);

    /// @notice A posted epoch; all zero when it is not posted.
    function epochOf(uint256 epoch) external view returns (Epoch memory);

    /// @notice The amount that a miner was paid for an epoch.
    function claimedOf(uint256 epoch, address miner) external view returns (uint256);

    /// @notice The announced withdrawal.
    function pendingWithdrawal() external view returns (Withdrawal memory);

    /// @notice The project that is paid for.
    function projectId() external view returns (bytes32);

    /// @notice The account that receives the developer's fees and the withdrawn funds.
    function developer() external view returns (address);

    /// @notice The token that is paid in.
    function token() external view returns (IERC20);

    /// @notice The account that receives the network's fees; the same for all vaults.
    function treasury() external view returns (address);

    /// @notice Keeper of the roles; the same for all vaults.
    function factory() external view returns (address);

    /// @notice Seconds between posting and payment; the same for all vaults.
    function challengeSecs() external view returns (uint64);

    /// @notice Seconds between announcement and withdrawal, and then until it is void; the same for all vaults.
    function withdrawalNoticeSecs() external view returns (uint64);
}
