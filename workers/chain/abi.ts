import { type Abi, parseAbi, toEventSelector } from 'viem'

/** The events the hub applies. */
export const contractEvents = parseAbi([
  'event ProjectRegistered(bytes32 indexed projectId, address indexed developer, string slug, bytes32 worker, bytes32 consensusHash, bytes32 manifestHash)',
  'event VersionPublished(bytes32 indexed projectId, uint32 version, bytes32 consensusHash, bytes32 manifestHash)',
  'event ListingStatusSet(bytes32 indexed projectId, uint8 status)',
  'event Bonded(bytes32 indexed subscriptionId, address indexed owner, bytes32 indexed projectId, bytes32 nodeKey, uint256 amount, uint256 collateral)',
  'event Unbonding(bytes32 indexed subscriptionId, uint64 releaseAt)',
  'event Withdrawn(bytes32 indexed subscriptionId, address indexed owner, uint256 amount)',
  'event PayoutSet(bytes32 indexed subscriptionId, address payout)',
  'event SlashProposed(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, uint256 amount, uint64 executableAt)',
  'event SlashDisputed(bytes32 indexed evidenceHash)',
  'event SlashCancelled(bytes32 indexed evidenceHash)',
  'event SlashExecuted(bytes32 indexed evidenceHash, bytes32 indexed subscriptionId, uint256 amount)',
  'event EpochPosted(uint256 indexed epoch, bytes32 merkleRoot, uint256 total)',
  'event Claimed(uint256 indexed epoch, address indexed miner, uint256 amount)',
  'event VaultFunded(address indexed from, uint256 amount)',
])

/** The errors of every contract, in one list: a revert may pass through a contract that does not declare it. */
export const contractErrors: Abi = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC2612ExpiredSignature(uint256 deadline)',
  'error ERC2612InvalidSigner(address signer, address owner)',
  'error SignatureExpired(uint256 deadline)',
  'error DeadlineTooFar(uint256 deadline, uint256 latest)',
  'error InvalidSignature(address signer)',
  'error InvalidAccountNonce(address account, uint256 currentNonce)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
])

export const eventTopics: readonly string[] = contractEvents.map((event) => toEventSelector(event))
