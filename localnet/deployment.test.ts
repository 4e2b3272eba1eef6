import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../contracts/anvil.ts'
import { stakingAbi } from '../contracts/generated/contracts.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { roleHash } from '../contracts/verify.ts'
import { resolveProfile } from '../protocol/identity/index.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { accounts } from './accounts.ts'
import { type Chain, reachChain, startChain } from './chain.ts'
import { findDeployment, makeDeployment } from './deployment.ts'
import { pickPort } from './port.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'localnet-deployment-'))
const file = path.join(folder, 'deployment.json')
const profile = resolveProfile()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(!hasAnvil)('a deployment', () => {
  let anvil: Anvil
  beforeAll(async () => {
    anvil = await startAnvil()
  })
  afterAll(() => anvil?.stop())

  test('is found again on its own chain, and on no other', async () => {
    const own = await startAnvil()
    const made = await makeDeployment(file, await reachChain(own.url), profile)
    await own.stop()

    const chain = await reachChain(anvil.url)
    expect(await findDeployment(file, chain, profile)).toBe(null)
    const here = await makeDeployment(file, chain, profile)
    expect(here.contracts).toEqual(made.contracts)
    expect(await findDeployment(file, chain, profile)).toEqual(here)
  })

  // Each run of anvil writes down a block 0 of its own, and a later one takes any of them for the chain's.
  test('is found again whichever block 0 the chain restarts with, and begins with a block that stays', async () => {
    const state = path.join(folder, 'chain.json')
    const begin = async () => startChain(state, await pickPort(), () => {})
    const first = await begin()
    const made = await makeDeployment(file, first, profile)
    const before = await hashOf(first, 0)
    const start = await hashOf(first, made.startBlock)
    await first.stop()
    const written = JSON.parse(readFileSync(state, 'utf8'))
    for (const { header } of written.blocks) if (header.number === '0x0') header.timestamp = '0x1'
    writeFileSync(state, JSON.stringify(written))

    const second = await begin()
    expect(await hashOf(second, 0)).not.toBe(before)
    expect(await findDeployment(file, second, profile)).toEqual(made)
    // A hub that has read nothing yet begins with it.
    expect(await hashOf(second, made.startBlock)).toBe(start)
    await second.stop()
  })

  test.each([
    ['on a chain with other blocks', { first_block: `0x${'00'.repeat(32)}` }],
    ['of other contracts or settings', { made_from: 'others' }],
    ['recorded in the format of another version', { version: 2 }],
  ])('is not found %s', async (_, over) => {
    const chain = await reachChain(anvil.url)
    await makeDeployment(file, chain, profile)
    const note = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...note, ...over }))
    expect(await findDeployment(file, chain, profile)).toBe(null)
  })

  test('is refused on a chain that is not local, because the keys of its accounts are public', async () => {
    const own = await startAnvil({ flags: ['--chain-id', '4242'] })
    await expect(
      makeDeployment(file, await reachChain(own.url), { ...profile, chain_id: 4242 }),
    ).rejects.toThrow(
      /^The contracts cannot be deployed: The private keys of .* are public, .* is not a local one/,
    )
    expect(await own.rpc('eth_blockNumber')).toBe('0x0')
    await own.stop()
  })

  test('gives the arbiter and the admin keys that the hub does not have', async () => {
    const chain = await reachChain(anvil.url)
    const { contracts, adminTimelock } = await makeDeployment(file, chain, profile)
    const hasRole = async (contract: string, role: Hex, account: string) => {
      const data = encodeFunctionData({
        abi: stakingAbi,
        functionName: 'hasRole',
        args: [role, account as Hex],
      })
      return BigInt(await anvil.rpc<Hex>('eth_call', { to: contract, data }, 'latest')) === 1n
    }
    const [arbiterRole, adminRole] = [roleHash('ARBITER_ROLE'), roleHash('DEFAULT_ADMIN_ROLE')]
    for (const contract of [contracts.staking, contracts.vault_factory]) {
      expect(await hasRole(contract, arbiterRole, accounts.arbiter.address)).toBe(true)
      expect(await hasRole(contract, adminRole, adminTimelock)).toBe(true)
      for (const role of [arbiterRole, adminRole])
        expect(await hasRole(contract, role, accounts.relayer.address)).toBe(false)
    }
    expect(await hasRole(adminTimelock, roleHash('PROPOSER_ROLE'), accounts.admin.address)).toBe(true)
  })

  test('is not found if its code is gone, or if its record is truncated', async () => {
    const chain = await reachChain(anvil.url)
    const { contracts } = await makeDeployment(file, chain, profile)
    await anvil.rpc('anvil_setCode', contracts.staking, '0x')
    expect(await findDeployment(file, chain, profile)).toBe(null)
    await makeDeployment(file, chain, profile)
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40))
    expect(await findDeployment(file, chain, profile)).toBe(null)
  })
})

async function hashOf({ url }: Chain, number: number): Promise<string> {
  const [block] = await callBatch(url, [['eth_getBlockByNumber', number, false]])
  return (block as { hash: string }).hash
}
