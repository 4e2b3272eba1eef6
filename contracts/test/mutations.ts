/**
 * Puts faults into a copy of the contracts, one at a time, and has the tests in Solidity look for them. A fault that is
 * not found is a law that nobody holds: `node contracts/test/mutations.ts`, some minutes.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureForge, forgeEnv } from '../forge.ts'

interface Fault {
  readonly name: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly code: string
  readonly instead: string
  /** Tests that should find it, where they are not those of its file. */
  readonly tests?: string | undefined
}

const collateral = 'staking/Collateral.sol'
const slashing = 'staking/Slashing.sol'
const actions = 'lib/SignedActions.sol'
const pauses = 'lib/ExpiringPause.sol'
const roles = 'lib/GuardedRoles.sol'
const vault = 'ProjectVault.sol'
const factory = 'VaultFactory.sol'
const leaf = 'types/VaultTypes.sol'

/** Tests that should find the faults of a file; those of staking, where it is not listed. */
const testsOf: Readonly<Record<string, string>> = {
  [actions]: 'Staking|Signature',
  [vault]: 'Vault',
  [leaf]: 'Vault',
  [factory]: 'Identity',
}

const fault = (name: string, file: string, code: string, instead: string, tests?: string): Fault => ({
  name,
  file,
  code,
  instead,
  tests,
})

/** Removes what guards against something. */
const open = (name: string, file: string, condition: string, tests?: string) =>
  fault(name, file, `if (${condition})`, 'if (false)', tests)

const faults: readonly Fault[] = [
  open('withdrawal under an open slash', collateral, 'subscription.openSlashes != 0'),
  open('withdrawal before the release', collateral, 'block.timestamp < subscription.releaseAt'),
  fault(
    'withdrawal to the sender',
    collateral,
    'token.safeTransfer(account, amount)',
    'token.safeTransfer(msg.sender, amount)',
  ),
  open('slash within its window', slashing, 'block.timestamp < endsAt'),
  open('dispute after its window', slashing, 'block.timestamp >= endsAt'),
  fault('no grace for a dispute', slashing, 'slash.executableAt + DISPUTE_GRACE_SECS', 'slash.executableAt'),
  open('second slash of an offence', slashing, 'evidenceOf[offenceId] != 0'),
  open('dispute that ends while it may be decided', slashing, 'block.timestamp < slash.decideBy'),
  open('decision that comes too late', slashing, 'block.timestamp >= slash.decideBy'),
  fault('pause without an end', pauses, ' && block.timestamp < pausedUntil', ''),
  open('pauses in a row', pauses, 'block.timestamp < nextAt'),
  open('slash executed when it is void', slashing, 'block.timestamp >= voidAt'),
  open('slash void before its time', slashing, 'block.timestamp < voidAt'),
  fault(
    'dispute that leaves no time to execute',
    slashing,
    'Math.max(_windowEnd(slash), slash.decideBy)',
    '_windowEnd(slash)',
  ),
  open('bond below the minimum', collateral, 'collateral < bondMin'),
  fault('guardian that takes the admin’s role', roles, 'role != DEFAULT_ADMIN_ROLE && ', ''),
  fault(
    'nonce that its cancellation does not use up',
    actions,
    '_useCheckedNonce(msg.sender, nonce);',
    '',
    'Staking',
  ),
  fault(
    'slash that is disputed',
    slashing,
    'slash.state != SlashState.Proposed && slash.state != SlashState.Upheld',
    '!_isOpen(slash.state)',
  ),
  fault(
    'slash of more than is left',
    slashing,
    'Math.min(slash.amount, subscription.collateral)',
    'slash.amount',
  ),
  fault(
    'cancelled slash that stays open',
    slashing,
    '_subscriptions[slash.subscriptionId].openSlashes -= 1;',
    '',
  ),
  fault('nonce that is not used up', actions, '_useCheckedNonce(signer, nonce);', ''),
  open('order for ever', actions, 'deadline > latest', 'Signature'),
  fault('payout without a mark', vault, '_claimed[epoch][miner] = amount;', ''),
  fault(
    'payout beyond the total',
    vault,
    'if (amount > unclaimed) revert ExceedsTotal(epoch, unclaimed, amount);\n        posted.unclaimed = unclaimed - uint128(amount);',
    'posted.unclaimed = amount > unclaimed ? 0 : unclaimed - uint128(amount);',
  ),
  open('payout within the challenge', vault, 'block.timestamp < posted.releaseAt'),
  fault(
    'withdrawal of what is set aside',
    vault,
    'Math.min(announced.amount, _unreserved().saturatingSub(_heldForEpochs()))',
    'Math.min(announced.amount, _balance())',
  ),
  fault(
    'veto that frees nothing',
    vault,
    '_reserved -= posted.unclaimed + posted.developer + posted.treasury;',
    '',
  ),
  open('veto after the release', vault, 'block.timestamp >= posted.releaseAt'),
  fault(
    'withdrawal before epochs that have ended',
    vault,
    '_unreserved().saturatingSub(_heldForEpochs())',
    '_unreserved()',
  ),
  fault(
    'announced funds that are free for tasks',
    vault,
    '_unreserved().saturatingSub(announced)',
    '_unreserved()',
  ),
  fault('epoch that has not ended', vault, 'end > terms.from && end <= until', 'end > terms.from'),
  fault('epoch before there was a vault', vault, 'end > terms.from && end <= until', 'end <= until'),
  open('epoch beyond its cap', vault, 'total > cap'),
  open('epoch posted again without the arbiter', vault, '_epochs[epoch].isVetoed'),
  open('epoch posted during a pause', vault, 'Pausable(factory).paused()'),
  fault('terms without a notice', vault, '!isBoundary || from < earliest', '!isBoundary'),
  fault('terms that cut an epoch of the old length', vault, ' && from % latest.epochSecs == 0', ''),
  fault('refused miner that counts as paid', vault, '_unsettle(one.epoch, one.miner, one.amount);', ''),
  fault(
    'fees paid twice',
    vault,
    'posted.developer = developerFee - toDeveloper;',
    'posted.developer = developerFee;',
  ),
  fault('refused fee that is lost', vault, 'posted.treasury = treasuryFee - toTreasury;', ''),
  fault('leaf without its epoch', leaf, 'projectId, epoch, miner, amount)))', 'projectId, miner, amount)))'),
  fault('leaf without its project', leaf, 'projectId, epoch, miner, amount)))', 'epoch, miner, amount)))'),
  fault('leaf hashed once', leaf, 'keccak256(bytes.concat(keccak256(', '(bytes32(keccak256('),
  fault(
    'vault somewhere else',
    factory,
    'predictDeterministicAddress(implementation, projectId)',
    'predictDeterministicAddress(implementation, keccak256(abi.encode(projectId)))',
  ),
]

/** Fewer runs than usual: a fault that is found by luck is not found. */
const effort = {
  FOUNDRY_FUZZ_RUNS: '300',
  FOUNDRY_INVARIANT_RUNS: '40',
  FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '0',
}

const root = path.resolve(import.meta.dirname, '../..')
const copy = mkdtempSync(path.join(tmpdir(), 'contracts-mutations-'))

function prepareCopy(): void {
  for (const part of ['src', 'test/sol', 'test/mocks', 'foundry.toml', 'solc.mjs'])
    cpSync(path.join(root, 'contracts', part), path.join(copy, 'contracts', part), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
}

function isFound({ file, code, instead, tests }: Fault): boolean {
  const source = path.join(copy, 'contracts/src', file)
  const sound = readFileSync(source, 'utf8')
  if (sound.split(code).length !== 2) throw new Error(`${file} does not have once: ${code}`)
  writeFileSync(
    source,
    sound.replace(code, () => instead),
  )
  const { stdout, stderr } = spawnSync(
    ensureForge(),
    ['test', '--root', copy, '--match-contract', tests ?? testsOf[file] ?? 'Staking'],
    {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, ...forgeEnv, ...effort },
    },
  )
  writeFileSync(source, sound)
  if (!stdout.includes('Ran ')) throw new Error(`The tests did not run.\n${stdout}${stderr}`)
  return stdout.includes('[FAIL')
}

try {
  prepareCopy()
  let missed = 0
  for (const one of faults) {
    const found = isFound(one)
    console.log(`${found ? 'found ' : 'MISSED'}  ${one.name}`)
    if (!found) missed += 1
  }
  console.log(`${faults.length - missed} of ${faults.length} faults found`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
