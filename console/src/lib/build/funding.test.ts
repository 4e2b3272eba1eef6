import { encodeFunctionData, parseAbi } from 'viem'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { deriveVaultAddress } from '../../../../protocol/identity/index.ts'
import type { Descriptor, Project } from '../hub.ts'
import { type Sent, succeeds } from '../wallet/mined.ts'
import { WalletProblem } from '../wallet/problems.ts'
import { type FundingCall, fundingCalls, sendCalls } from './funding.ts'
import { Funding } from './fundings.ts'

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

const sentAs = (hash: string): Sent => ({ hash, own: null, nextBlock: 0 })

test('each call is sent after the previous one is in a block, and no call follows a failed one', async () => {
  const told: string[] = []
  const sender = {
    send: async ({ to }: { to: string }) => sentAs(`hash of ${to}`),
    succeeds: async ({ hash }: Sent) => hash !== 'hash of b',
  }
  const calls = ['a', 'b', 'c'].map((to) => ({ to, data: '0x' }))
  const tell = ({ to }: { to: string }, isSent: boolean) => void told.push(`${to} ${isSent}`)
  const sending = sendCalls(sender, calls, tell, new Map())
  await expect(sending).rejects.toThrow(WalletProblem)
  expect(told).toEqual(['a false', 'a true', 'b false', 'b true'])
})

test('a retry waits for a call whose block could not be read, and does not send it again', async () => {
  let sent = 0
  let isAway = true
  const sender = {
    send: async () => sentAs(`hash ${++sent}`),
    succeeds: async () => {
      if (!isAway) return true
      isAway = false
      throw new WalletProblem('wallet')
    },
  }
  const calls = [{ to: 'a', data: '0x' }]
  const kept = new Map<(typeof calls)[number], Sent>()
  await expect(sendCalls(sender, calls, () => {}, kept)).rejects.toThrow(WalletProblem)
  await sendCalls(sender, calls, () => {}, kept)
  expect(sent).toBe(1)
})

test('a retry follows a transaction that was sent again for a higher fee while the wallet did not answer', async () => {
  const [from, call] = ['0xa1', { to: '0xb2', data: '0x1234' }]
  const first = { hash: '0x01', from, nonce: '0x7', to: call.to, input: call.data }
  let isMined = false
  let sent = 0
  const ask = async (method: string, [hash]: string[] = []): Promise<unknown> => {
    if (method === 'eth_blockNumber') return '0x6'
    if (method === 'eth_getTransactionCount') return isMined ? '0x8' : '0x7'
    if (method === 'eth_getTransactionByHash') return isMined ? null : first
    if (method === 'eth_getTransactionReceipt') return isMined && hash === '0x02' ? { status: '0x1' } : null
    return { transactions: isMined ? [{ ...first, hash: '0x02' }] : [] }
  }
  const pause = async () => {
    if (!isMined) throw new WalletProblem('wallet')
  }
  const sender = {
    send: async () => {
      sent++
      return { hash: first.hash, own: null, nextBlock: 6 }
    },
    succeeds: (one: Sent) => succeeds(ask as never, from, one, call, pause),
  }
  const kept = new Map<typeof call, Sent>()
  await expect(sendCalls(sender, [call], () => {}, kept)).rejects.toThrow(WalletProblem)
  isMined = true
  await sendCalls(sender, [call], () => {}, kept)
  expect(sent).toBe(1)
})

test('a call that the wallet cancelled is sent again by a retry', async () => {
  let sent = 0
  const sender = {
    send: async () => sentAs(`hash ${++sent}`),
    succeeds: async ({ hash }: Sent) => {
      if (hash === 'hash 2') return true
      throw new WalletProblem('replaced')
    },
  }
  const calls = [{ to: 'a', data: '0x' }]
  const kept = new Map<(typeof calls)[number], Sent>()
  await expect(sendCalls(sender, calls, () => {}, kept)).rejects.toThrow(WalletProblem)
  await sendCalls(sender, calls, () => {}, kept)
  expect(sent).toBe(2)
})

describe('a funding that is not over', () => {
  const [owner, other] = [address('1'), address('2')]
  const calls = fundingCalls(projectWith(true), descriptor, String(amount))
  const [allow, fund] = calls as [FundingCall, FundingCall]
  /** The tab is closed: all that is left is what the browser keeps. */
  const reopen = () => Funding.find(project_id, owner)
  const begin = () => Funding.begin(project_id, owner, String(amount))
  beforeEach(() => {
    const kept = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    })
    return () => vi.unstubAllGlobals()
  })
  const never = new Promise<never>(() => {})

  test('goes on after a closed tab, and sends nothing twice', async () => {
    const sends: string[] = []
    const sender = (isOpen: boolean) => ({
      send: async ({ data }: { data: string }) => {
        sends.push(data)
        return sentAs(`hash ${sends.length}`)
      },
      succeeds: async ({ hash }: Sent) => (isOpen || hash === 'hash 1' ? true : never),
    })
    void sendCalls(sender(false), calls, () => {}, begin())
    await vi.waitFor(() => expect(reopen()?.get(fund)?.hash).toBe('hash 2'))
    const funding = reopen()
    expect([funding?.amount, Funding.find(project_id, other)]).toEqual([String(amount), null])
    await sendCalls(sender(true), calls, () => {}, funding!)
    expect(sends).toEqual([allow.data, fund.data])
    funding?.end()
    expect(reopen()).toBeNull()
  })

  test('does not ask the wallet again whose answer nobody heard, until somebody says so', async () => {
    let asked = 0
    const unheard = { hash: null, own: null, nextBlock: 6 }
    const sender = {
      send: (_: unknown, tell: (sent: Sent) => void) => {
        asked++
        tell(unheard)
        return asked === 1 ? never : Promise.resolve(sentAs('hash'))
      },
      succeeds: async ({ hash }: Sent) => {
        if (hash === null) throw new WalletProblem('unsure')
        return true
      },
    }
    void sendCalls(sender, calls, () => {}, begin())
    const again = () => sendCalls(sender, calls, () => {}, reopen()!)
    await expect(again()).rejects.toMatchObject({ kind: 'unsure' })
    expect([asked, reopen()?.get(allow)]).toEqual([1, unheard])
    reopen()?.delete(allow)
    const funding = Funding.begin(project_id, owner, String(amount))
    await sendCalls(sender, calls, () => {}, funding)
    expect(asked).toBe(3)
  })

  test('keeps what the wallet answers after the dialog is closed, unless somebody has forgotten it', async () => {
    const first = begin()
    first.set(allow, { hash: null, own: null, nextBlock: 6 })
    const second = reopen()!
    first.set(allow, sentAs('late'))
    second.set(allow, { hash: null, own: null, nextBlock: 9 })
    expect([second.get(allow)?.hash, reopen()?.get(allow)?.hash]).toEqual(['late', 'late'])
    second.end()
    first.set(fund, sentAs('later'))
    expect(reopen()).toBeNull()
  })

  test('is forgotten if the wallet refuses its first transaction', async () => {
    const sender = {
      send: async (_: unknown, tell: (sent: Sent) => void) => {
        tell({ hash: null, own: null, nextBlock: 6 })
        throw new WalletProblem('refused')
      },
      succeeds: async () => true,
    }
    await expect(sendCalls(sender, calls, () => {}, begin())).rejects.toMatchObject({ kind: 'refused' })
    expect(reopen()).toBeNull()
  })
})
