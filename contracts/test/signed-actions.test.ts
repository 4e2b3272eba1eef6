import { type Hex, zeroAddress } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { deriveProjectId, deriveSubscriptionId, profileStrings } from '../../protocol/identity/index.ts'
import { by, bytes32, eth, hasAnvil, owner, params, profile, stranger } from './network.ts'
import { deployWallet, domainOf, type SignedType, sign } from './typed-data.ts'
import { network, refused, refusedAs, useNetwork } from './use-network.ts'

const nodeKey = bytes32(0xb2)
const slug = 'tide-forecast'
const projectId = deriveProjectId(profile, owner.address.toLowerCase(), slug)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const amount = eth(10)
const noPermit = { deadline: 0n, signature: '0x' } as const
const weekSecs = 604_800n

interface SignedAction {
  readonly type: Exclude<SignedType, 'Permit'>
  readonly contract: 'registry' | 'staking'
  /** Members beside those that every action has. */
  readonly fields: Record<string, unknown>
  readonly prepare?: () => Promise<void>
}

const signerOf = ({ contract }: SignedAction) => (contract === 'registry' ? 'developer' : 'owner')

/** Brings an action to the contract, as a stranger can. */
const bring = <Way extends 'simulate' | 'write'>(
  way: Way,
  { type, contract }: SignedAction,
  { message, signature }: { message: unknown; signature: Hex },
) => {
  const name = `${type.charAt(0).toLowerCase()}${type.slice(1)}BySig`
  const functions = network[contract][way] as unknown as Record<
    string,
    (args: readonly unknown[], from: typeof by.stranger) => Promise<Way extends 'write' ? Hex : unknown>
  >
  const permit = type === 'Bond' || type === 'BondBatch' ? [noPermit] : []
  return functions[name]!([message, signature, ...permit], by.stranger)
}

const bond = async () => {
  await network.mined(network.staking.write.bond([projectId, nodeKey, amount], by.owner))
}
const unbond = async () => {
  await bond()
  await network.mined(network.staking.write.unbond([id], by.owner))
  await network.pass(params.unbonding_secs)
}
const registered = async () => {
  await network.mined(network.registry.write.register([slug, bytes32(1), bytes32(2), bytes32(3)], by.owner))
}

const hashes = { consensusHash: bytes32(4), manifestHash: bytes32(5) }
const register: SignedAction = {
  type: 'Register',
  contract: 'registry',
  fields: { slug, worker: bytes32(1), ...hashes },
}
const bonding: SignedAction = { type: 'Bond', contract: 'staking', fields: { projectId, nodeKey, amount } }
const ofSubscription = { contract: 'staking', fields: { subscriptionId: id }, prepare: bond } as const
const actions: SignedAction[] = [
  register,
  {
    type: 'PublishVersion',
    contract: 'registry',
    fields: { projectId, version: 2, ...hashes },
    prepare: registered,
  },
  bonding,
  {
    type: 'BondBatch',
    contract: 'staking',
    fields: {
      projectIds: [projectId, projectId],
      nodeKeys: [nodeKey, bytes32(0xb3)],
      amounts: [amount, amount],
    },
  },
  { ...ofSubscription, type: 'SetPayout', fields: { subscriptionId: id, payout: stranger.address } },
  { ...ofSubscription, type: 'Unbond' },
  { ...ofSubscription, type: 'Withdraw', prepare: unbond },
]

function changedValue(value: unknown): unknown {
  if (Array.isArray(value)) return [...value.slice(0, -1), changedValue(value.at(-1))]
  if (typeof value === 'number') return value + 1
  if (typeof value === 'bigint') return value + 1n
  const text = String(value)
  if (!text.startsWith('0x')) return `${text}-x`
  return text.length === 42 ? owner.address : bytes32(0xc0ffee)
}

describe.skipIf(!hasAnvil)('signed actions', () => {
  useNetwork(async () => {
    await network.give(owner.address, eth(1_000))
    await network.mined(network.token.write.approve([network.addresses.staking, eth(1_000)], by.owner))
  })

  /** Signed by the owner, unless another signature takes the place of the key. */
  const build = async (
    action: SignedAction,
    over: Record<string, unknown> = {},
    by: LocalAccount | Hex = owner,
  ) => {
    const deadline = (await network.now()) + 3600n
    const message = { [signerOf(action)]: owner.address, ...action.fields, nonce: 0n, deadline, ...over }
    const domain = domainOf(action.type, network.addresses)
    const signature = typeof by === 'string' ? by : await sign(by, action.type, domain, message)
    return { message, signature, deadline }
  }
  type Built = { message: Record<string, unknown>; signature: Hex }
  const attempt = (action: SignedAction, built: Built) => bring('simulate', action, built)
  const act = (action: SignedAction, built: Built) => network.mined(bring('write', action, built))
  const otherNonce = (next: bigint) => ['InvalidAccountNonce', owner.address, next]

  describe.each(actions)('$type', (action) => {
    beforeEach(() => action.prepare?.())

    test('is accepted once, from anyone, and raises the nonce by one', async () => {
      const built = await build(action)
      await act(action, built)
      expect(await network[action.contract].read.nonces([owner.address])).toBe(1n)
      await refused(attempt(action, built), otherNonce(1n))
    })

    test('is refused with a nonce that is not the current one', async () => {
      await refused(attempt(action, await build(action, { nonce: 1n })), otherNonce(0n))
    })

    test('is refused after its signer cancels the nonce, and only the current nonce can be cancelled', async () => {
      const built = await build(action)
      // Both contracts have the same gate.
      const gate = network.at(network.staking.abi, network[action.contract].address)
      const { simulate, write } = gate
      await refused(simulate.cancelNonce([1n], by.owner), otherNonce(0n))
      await network.mined(write.cancelNonce([0n], by.stranger))
      await attempt(action, built)
      const said = await network.events(gate, write.cancelNonce([0n], by.owner))
      expect(said).toEqual([{ event: 'NonceCancelled', signer: owner.address, nonce: 0n }])
      await refused(attempt(action, built), otherNonce(1n))
      await attempt(action, await build(action, { nonce: 1n }))
    })

    test('is refused from its deadline on, and with a deadline more than a week ahead', async () => {
      const built = await build(action)
      const latest = (await network.now()) + weekSecs
      await refusedAs(attempt(action, await build(action, { deadline: latest + 1n })), 'DeadlineTooFar')
      await attempt(action, await build(action, { deadline: latest }))

      await network.passTo(built.deadline - 1n)
      await attempt(action, built)
      await network.passTo(built.deadline)
      await refused(attempt(action, built), ['SignatureExpired', built.deadline])
    })

    test('is refused with a signature of another key, another domain, or any changed member', async () => {
      const { message, signature } = await build(action)
      const domain = domainOf(action.type, network.addresses)
      const isWorthless = (signed: Hex, said: Record<string, unknown> = message) =>
        refused(attempt(action, { message: said, signature: signed }), ['InvalidSignature', owner.address])
      await isWorthless(await sign(stranger, action.type, domain, message))
      const others = [{ chainId: 1 }, { name: 'Other' }, { version: '2' }]
      for (const other of [...others, { verifyingContract: stranger.address }])
        await isWorthless(await sign(owner, action.type, { ...domain, ...other }, message))
      await isWorthless('0x')
      await isWorthless(signature.slice(0, 130) as Hex)
      for (const [member, value] of Object.entries(action.fields))
        await isWorthless(signature, { ...message, [member]: changedValue(value) })
    })

    test('is refused with the second, malleable form of its signature', async () => {
      const { message, signature } = await build(action)
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const s = order - BigInt(`0x${signature.slice(66, 130)}`)
      const v = signature.endsWith('1b') ? '1c' : '1b'
      const twin: Hex = `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`
      await refusedAs(attempt(action, { message, signature: twin }), 'InvalidSignature')
    })

    test('a message that a stranger signed for itself does not act on the owner', async () => {
      const built = await build(action, { [signerOf(action)]: stranger.address }, stranger)
      const reasons: Record<string, string> = {
        Bond: 'ERC20InsufficientAllowance',
        BondBatch: 'ERC20InsufficientAllowance',
        PublishVersion: 'NotDeveloper',
      }
      if (action.type === 'Register') await attempt(action, built)
      else await refusedAs(attempt(action, built), reasons[action.type] ?? 'NotOwner')
    })

    test('an account that delegated to code still signs with its key', async () => {
      await network.client.setCode({
        address: owner.address,
        bytecode: `0xef0100${network.addresses.faucet.slice(2)}`,
      })
      await act(action, await build(action))
    })
  })

  test('a contract wallet accepts by EIP-1271 only signatures of its key holder', async () => {
    const { address } = await deployWallet(network, owner.address)
    const isWallets = { developer: address }
    await refusedAs(attempt(register, await build(register, isWallets, stranger)), 'InvalidSignature')
    await act(register, await build(register, isWallets))
    const walletProject = deriveProjectId(profile, address.toLowerCase(), slug)
    expect((await network.registry.read.developerOf([walletProject])).toLowerCase()).toBe(address)
  })

  test('signatures of a contract without EIP-1271 and of the zero address are refused', async () => {
    const byToken = await build(bonding, { owner: network.addresses.token })
    const byNobody = await build(bonding, { owner: zeroAddress }, `0x${'00'.repeat(65)}`)
    for (const built of [byToken, byNobody]) await refusedAs(attempt(bonding, built), 'InvalidSignature')
  })

  test('domains contain exactly name, version, chain and contract', async () => {
    const { registry, staking, token } = network
    const { registry_domain, staking_domain, permit_domain } = profileStrings(profile)
    for (const [contract, name] of [
      [registry, registry_domain],
      [staking, staking_domain],
      [token, permit_domain],
    ] as const) {
      const [fields, ...[given, version, chainId, address]] = await contract.read.eip712Domain()
      const expected = ['0x0f', name, '1', BigInt(profile.chain_id), contract.address]
      expect([fields, given, version, chainId, address.toLowerCase()]).toEqual(expected)
    }
    expect(await token.read.name()).toBe(profile.token_name)
    expect(await token.read.symbol()).toBe(profile.token_symbol)
  })
})
