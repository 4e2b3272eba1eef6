/**
 * Puts faults into a copy of the contracts, one at a time, and has the tests in Solidity look for them. A fault that is
 * not found is a law that nobody holds: `node contracts/test/mutations.ts`, some minutes.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureForge, forgeEnv } from '../forge.ts'

/** Tests that should find the faults of a file; those of staking, where it is not listed. */
const testsOf: Readonly<Record<string, string>> = {
  'lib/SignedActions.sol': 'Staking|Signature',
  'ProjectVault.sol': 'Vault',
  'types/VaultTypes.sol': 'Vault',
  'VaultFactory.sol': 'Identity',
}

/** Code that occurs exactly once in its file, what takes its place, and tests that should find it, if not those of the file. */
type Fault = readonly [code: string, instead: string, tests?: string]

/** Removes what guards against something. */
const open = (condition: string, ...tests: [string?]): Fault => [`if (${condition})`, 'if (false)', ...tests]
const without = (code: string, ...tests: [string?]): Fault => [code, '', ...tests]

const epochEnds = 'end > terms.from && end <= until'
const leafMembers = 'projectId, epoch, miner, amount)))'
const predicted = 'predictDeterministicAddress(implementation, projectId)'
const withdrawable = 'Math.min(announced.amount, _unreserved().saturatingSub(_heldForEpochs()))'
const boundedPayout = `if (amount > unclaimed) revert ExceedsTotal(epoch, unclaimed, amount);
        posted.unclaimed = unclaimed - uint128(amount);`
const unboundedPayout = 'posted.unclaimed = amount > unclaimed ? 0 : unclaimed - uint128(amount);'
const isExecutable = 'slash.state != SlashState.Proposed && slash.state != SlashState.Upheld'
const otherAddress = predicted.replace('projectId', 'keccak256(abi.encode(projectId))')

const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  'staking/Collateral.sol': {
    'withdrawal under an open slash': open('subscription.openSlashes != 0'),
    'withdrawal before the release': open('block.timestamp < subscription.releaseAt'),
    'withdrawal to the sender': [
      'token.safeTransfer(account, amount)',
      'token.safeTransfer(msg.sender, amount)',
    ],
    'bond below the minimum': open('collateral < bondMin'),
    'batch that pays for less than it bonds': ['sum += amounts[i]', 'sum = amounts[i]'],
  },
  'staking/Slashing.sol': {
    'slash within its window': open('block.timestamp < endsAt'),
    'dispute after its window': open('block.timestamp >= endsAt'),
    'no grace for a dispute': ['slash.executableAt + DISPUTE_GRACE_SECS', 'slash.executableAt'],
    'second slash of an offence': open('evidenceOf[offenceId] != 0'),
    'dispute that ends while it may be decided': open('block.timestamp < slash.decideBy'),
    'decision that comes too late': open('block.timestamp >= slash.decideBy'),
    'slash executed when it is void': open('block.timestamp >= voidAt'),
    'slash void before its time': open('block.timestamp < voidAt'),
    'dispute that leaves no time to execute': [
      'Math.max(_windowEnd(slash), slash.decideBy)',
      '_windowEnd(slash)',
    ],
    'slash that is disputed': [isExecutable, '!_isOpen(slash.state)'],
    'slash of more than is left': ['Math.min(slash.amount, subscription.collateral)', 'slash.amount'],
    'cancelled slash that stays open': without('_subscriptions[slash.subscriptionId].openSlashes -= 1;'),
  },
  'lib/ExpiringPause.sol': {
    'pause without an end': without(' && block.timestamp < pausedUntil'),
    'pauses in a row': open('block.timestamp < nextAt'),
  },
  'lib/GuardedRoles.sol': {
    'guardian that takes the admin’s role': without('role != DEFAULT_ADMIN_ROLE && '),
  },
  'lib/SignedActions.sol': {
    'nonce that its cancellation does not use up': without('_useCheckedNonce(msg.sender, nonce);', 'Staking'),
    'nonce that is not used up': without('_useCheckedNonce(signer, nonce);'),
    'order for ever': open('deadline > latest', 'Signature'),
  },
  'ProjectVault.sol': {
    'payout without a mark': without('_claimed[epoch][miner] = amount;'),
    'payout beyond the total': [boundedPayout, unboundedPayout],
    'payout within the challenge': open('block.timestamp < posted.releaseAt'),
    'withdrawal of what is set aside': [withdrawable, 'Math.min(announced.amount, _balance())'],
    'veto that frees nothing': without('_reserved -= posted.unclaimed + posted.developer + posted.treasury;'),
    'veto after the release': open('block.timestamp >= posted.releaseAt'),
    'withdrawal before epochs that have ended': [
      '_unreserved().saturatingSub(_heldForEpochs())',
      '_unreserved()',
    ],
    'announced funds that are free for tasks': ['_unreserved().saturatingSub(announced)', '_unreserved()'],
    'epoch that has not ended': [epochEnds, 'end > terms.from'],
    'epoch before there was a vault': [epochEnds, 'end <= until'],
    'epoch beyond its cap': open('total > cap'),
    'epoch posted again without the arbiter': open('_epochs[epoch].isVetoed'),
    'epoch posted during a pause': open('IExpiringPause(factory).paused()'),
    'terms without a notice': ['!isBoundary || from < earliest', '!isBoundary'],
    'terms that cut an epoch of the old length': without(' && from % latest.epochSecs == 0'),
    'refused miner that counts as paid': without('_unsettle(one.epoch, one.miner, one.amount);'),
    'fees paid twice': ['posted.developer = developerFee - toDeveloper;', 'posted.developer = developerFee;'],
    'refused fee that is lost': without('posted.treasury = treasuryFee - toTreasury;'),
  },
  'types/VaultTypes.sol': {
    'leaf without its epoch': [leafMembers, 'projectId, miner, amount)))'],
    'leaf without its project': [leafMembers, 'epoch, miner, amount)))'],
    'leaf hashed once': ['keccak256(bytes.concat(keccak256(', '(bytes32(keccak256('],
  },
  'VaultFactory.sol': { 'vault somewhere else': [predicted, otherAddress] },
}

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

function isFound(file: string, [code, instead, tests]: Fault): boolean {
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
  let [missed, tried] = [0, 0]
  for (const [file, ofFile] of Object.entries(faults))
    for (const [name, fault] of Object.entries(ofFile)) {
      const found = isFound(file, fault)
      console.log(`${found ? 'found ' : 'MISSED'}  ${name}`)
      tried += 1
      if (!found) missed += 1
    }
  console.log(`${tried - missed} of ${tried} faults found`)
  process.exitCode = missed === 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}
