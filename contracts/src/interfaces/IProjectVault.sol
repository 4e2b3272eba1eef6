// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Claim, Epoch, Totals, VaultSummary, Withdrawal} from "../types/VaultTypes.sol";

/**
 * @title Pays the miners of one project
 * @notice What a posted epoch costs is set aside at once and cannot be taken out again, except by a veto within the
 * challenge period. Never is more paid than was funded, for an epoch more than was set aside for it, or a miner twice for
 * one epoch, whatever a root proves.
 */
interface IProjectVault {
    event VaultFunded(address indexed from, uint256 amount);
    /// @param total everything set aside for the epoch: the miners' part and both fees.
    event EpochPosted(uint256 indexed epoch, bytes32 merkleRoot, uint256 total);
    event EpochVetoed(uint256 indexed epoch, bytes32 merkleRoot);
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

    /// @notice An epoch without a root or without anything for miners is not posted.
    error EmptyEpoch(uint256 epoch);

    /// @notice The epoch is posted. Only a veto makes room for another root.
    error AlreadyPosted(uint256 epoch);

    /// @notice The free balance does not cover the epoch.
    error Underfunded(uint256 free, uint256 needed);

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

    /// @notice The fees of the epoch are paid, or there are none.
    error NoFees(uint256 epoch);

    /// @notice There is no announced withdrawal whose time has come.
    error WithdrawalNotAvailable(uint64 availableAt, uint64 expiresAt);

    /// @notice Everything is set aside for epochs.
    error NothingFree();

    /// @notice Sets up a new vault. The factory calls it in the transaction of the creation, and never again.
    function initialize(bytes32 projectId, address developer, IERC20 token) external;

    /**
     * @notice Moves the caller's tokens in, out of its allowance to this vault.
     * @dev What counts is what arrived, so a token that keeps a fee does not spoil the books. Tokens that were sent
     * without a call are booked along with it; `fund(0)` books just them.
     */
    function fund(uint256 amount) external;

    /**
     * @notice Announces a withdrawal of the developer; a later announcement takes the place of an earlier one, and 0
     * only takes it back.
     * @dev A notice longer than an epoch lets the work that was done in good faith be posted first.
     */
    function requestWithdrawal(uint256 amount) external;

    /// @notice Pays the announced amount to the developer, or what of it is free. Only the developer may.
    function withdraw() external;

    /// @notice Posts what an epoch pays and sets its total aside. Only a poster may.
    function postEpoch(uint256 epoch, bytes32 merkleRoot, Totals calldata totals) external;

    /// @notice Takes a posted epoch back within the challenge period. Only an arbiter may.
    function veto(uint256 epoch) external;

    /// @notice Pays a miner. Anyone may; the tokens go to the miner.
    function claim(uint256 epoch, address miner, uint256 amount, bytes32[] calldata proof) external;

    /**
     * @notice Pays many payouts, of one miner or several.
     * @dev Those already paid are passed over, so that a stranger who claims one of them first does not sink the others.
     * @return paid sum of what was paid.
     */
    function claimMany(Claim[] calldata claims) external returns (uint256 paid);

    /// @notice Pays an epoch's fees to developer and treasury. Anyone may.
    function payFees(uint256 epoch) external;

    /// @notice The books.
    function summary() external view returns (VaultSummary memory);

    /// @notice Part of the balance that no epoch has a claim on.
    function freeBalance() external view returns (uint256);

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
