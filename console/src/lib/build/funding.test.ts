import { encodeFunctionData, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { deriveVaultAddress } from '../../../../protocol/identity/index.ts'
import type { Descriptor, Project } from '../hub.ts'
import { WalletProblem } from '../wallet/problems.ts'
import { fundingCalls, sendCalls } from './funding.ts'

/** Of `IVaultFactory`, of every token, and of `IProjectVault`. */
const abi = parseAbi([
  'function create(bytes32 projectId, address token, uint32 epochSecs, uint128 epochCap) returns (address)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function fund(uint256 amount)',
])
const address = (digit: string) => `0x${digit.repeat(40)}` as const
const [factory, implementation, token] = [address('a'), address('b'), address('c')]
const project_id = `0x${'12'.repeat(32)}` as const
const vault = deriveVaultAddress(factory, implementation, project_id) as `0x${string}`
const descriptor = {
  chain: { contracts: { vault_factory: factory, vault_implementation: implementation } },
} as unknown as Descriptor
const projectWith = (deployed: boolean, cap = String(10n ** 21n)) =>
  ({
    ...{ project_id, vault, token: { address: token } },
    economics: { epoch_secs: 3600, epoch_cap: cap, vault: { deployed } },
  }) as unknown as Project
const amount = 500n * 10n ** 18n

test('calls are encoded for the contracts, and an open vault is not opened again', () => {
  const calls = fundingCalls(projectWith(false), descriptor, String(amount))
  const create = encodeFunctionData({
    abi,
    functionName: 'create',
    args: [project_id, token, 3600, 10n ** 21n],
  })
  const approve = encodeFunctionData({ abi, functionName: 'approve', args: [vault, amount] })
  const fund = encodeFunctionData({ abi, functionName: 'fund', args: [amount] })
  expect(calls).toEqual([
    { step: 'open', to: factory, data: create },
    { step: 'allow', to: token, data: approve },
    { step: 'fund', to: vault, data: fund },
  ])
  expect(fundingCalls(projectWith(true), descriptor, String(amount))).toEqual(calls.slice(1))
})

test('a vault of another project, or one that cannot pay its epochs, gets no funds', () => {
  const other = { ...projectWith(true), vault: address('d') }
  expect(() => fundingCalls(other, descriptor, '1')).toThrow('is not the vault of this project')
  expect(() => fundingCalls(projectWith(false, String(2n ** 128n)), descriptor, '1')).toThrow(
    'daily_emission',
  )
})

test('each call is sent after the previous one is in a block, and no call follows a failed one', async () => {
  const told: string[] = []
  const sender = {
    send: async ({ to }: { to: string }) => `hash of ${to}`,
    succeeds: async (hash: string) => hash !== 'hash of b',
  }
  const calls = ['a', 'b', 'c'].map((to) => ({ to, data: '0x' }))
  const sending = sendCalls(sender, calls, ({ to }, isSent) => void told.push(`${to} ${isSent}`))
  await expect(sending).rejects.toThrow(WalletProblem)
  expect(told).toEqual(['a false', 'a true', 'b false', 'b true'])
})

test('a retry waits for a call whose block could not be read, and does not send it again', async () => {
  let sent = 0
  let isAway = true
  const sender = {
    send: async () => `hash ${++sent}`,
    succeeds: async () => {
      if (!isAway) return true
      isAway = false
      throw new WalletProblem('wallet')
    },
  }
  const calls = [{ to: 'a', data: '0x' }]
  const hashes = new Map<(typeof calls)[number], string>()
  await expect(sendCalls(sender, calls, () => {}, hashes)).rejects.toThrow(WalletProblem)
  await sendCalls(sender, calls, () => {}, hashes)
  expect(sent).toBe(1)
})

test('a call that the wallet cancelled is sent again by a retry', async () => {
  let sent = 0
  const sender = {
    send: async () => `hash ${++sent}`,
    succeeds: async (hash: string) => {
      if (hash === 'hash 2') return true
      throw new WalletProblem('replaced')
    },
  }
  const calls = [{ to: 'a', data: '0x' }]
  const hashes = new Map<(typeof calls)[number], string>()
  await expect(sendCalls(sender, calls, () => {}, hashes)).rejects.toThrow(WalletProblem)
  await sendCalls(sender, calls, () => {}, hashes)
  expect(sent).toBe(2)
})
