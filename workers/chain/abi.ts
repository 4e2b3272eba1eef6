import { type Abi, parseAbi, toEventSelector } from 'viem'

/** The events the hub applies, by the contract that emits them. */
export const registryEvents = parseAbi([
  'event ProjectRegistered(bytes32 indexed projectId, address indexed developer, string slug, bytes32 worker, bytes32 consensusHash, bytes32 manifestHash)',
  'event VersionPublished(bytes32 indexed projectId, uint32 version, bytes32 consensusHash, bytes32 manifestHash)',
  'event ListingStatusSet(bytes32 indexed projectId, uint8 status)',
])

export const stakingEvents = parseAbi([
  'event Bonded(bytes32 indexed subscriptionId, address indexed owner, bytes32 indexed projectId, bytes32 nodeKey, uint256 amount, uint256 collateral)',
  'event Unbonding(bytes32 indexed subscriptionId, uint64 releaseAt)',
  'event Withdrawn(bytes32 indexed subscriptionId, address indexed owner, uint256 amount)',
  'event PayoutSet(bytes32 indexed subscriptionId, address payout)',
  'event SlashProposed(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, uint256 amount, uint64 executableAt)',
  'event SlashDisputed(bytes32 indexed evidenceHash)',
  'event SlashUpheld(bytes32 indexed evidenceHash)',
  'event SlashCancelled(bytes32 indexed evidenceHash)',
  'event SlashExecuted(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, uint256 amount)',
])

export const factoryEvents = parseAbi([
  'event VaultCreated(bytes32 indexed projectId, address indexed vault, address indexed developer, address token)',
])

export const vaultEvents = parseAbi([
  'event VaultFunded(address indexed from, uint256 amount)',
  'event EpochPosted(uint256 indexed epoch, bytes32 merkleRoot, uint256 total)',
  'event EpochVetoed(uint256 indexed epoch, bytes32 merkleRoot)',
  'event Claimed(uint256 indexed epoch, address indexed miner, uint256 amount)',
  'event FeesPaid(uint256 indexed epoch, uint256 developer, uint256 treasury)',
  'event FundsWithdrawn(address indexed developer, uint256 amount)',
])

export const contractEvents = [...registryEvents, ...stakingEvents, ...factoryEvents, ...vaultEvents] as const

export const eventTopics: readonly string[] = contractEvents.map((event) => toEventSelector(event))

/** The errors of every contract, in one list: a revert may pass through a contract that does not declare it. */
export const contractErrors: Abi = parseAbi([
  'error InvalidSlug(string slug)',
  'error AlreadyRegistered(bytes32 projectId)',
  'error UnknownProject(bytes32 projectId)',
  'error NotDeveloper(bytes32 projectId, address account)',
  'error VersionNotNewer(uint32 current, uint32 version)',
  'error ListingNotAllowed(uint8 current, uint8 status)',
  'error NotFactory(address account)',
  'error NothingFunded()',
  'error EmptyEpoch(uint256 epoch)',
  'error AlreadyPosted(uint256 epoch)',
  'error Underfunded(uint256 free, uint256 needed)',
  'error UnknownEpoch(uint256 epoch)',
  'error ChallengeOver(uint256 epoch, uint64 releaseAt)',
  'error NotClaimable(uint256 epoch, uint64 releaseAt)',
  'error InvalidProof(uint256 epoch, address miner)',
  'error AlreadyClaimed(uint256 epoch, address miner)',
  'error ExceedsTotal(uint256 epoch, uint256 unclaimed, uint256 amount)',
  'error TooManyClaims(uint256 count, uint256 most)',
  'error NoFees(uint256 epoch)',
  'error WithdrawalNotAvailable(uint64 availableAt, uint64 expiresAt)',
  'error NothingFree()',
  'error SignatureExpired(uint256 deadline)',
  'error DeadlineTooFar(uint256 deadline, uint256 latest)',
  'error InvalidSignature(address signer)',
  'error ZeroAmount()',
  'error NotOwner(bytes32 subscriptionId, address account)',
  'error InvalidState(bytes32 subscriptionId, uint8 state)',
  'error NotReleased(bytes32 subscriptionId, uint64 releaseAt)',
  'error SlashOpen(bytes32 subscriptionId, uint32 openSlashes)',
  'error InvalidDisputeWindow(uint64 disputeWindowSecs, uint64 least, uint64 most)',
  'error AlreadyProposed(bytes32 evidenceHash)',
  'error InvalidSlashState(bytes32 evidenceHash, uint8 state)',
  'error NotDisputer(bytes32 evidenceHash, address account)',
  'error DisputeWindowOver(bytes32 evidenceHash, uint64 executableAt)',
  'error DisputeWindowOpen(bytes32 evidenceHash, uint64 executableAt)',
  'error VaultExists(bytes32 projectId, address vault)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error InvalidAccountNonce(address account, uint256 currentNonce)',
  'error ReentrancyGuardReentrantCall()',
  'error SafeERC20FailedOperation(address token)',
])
