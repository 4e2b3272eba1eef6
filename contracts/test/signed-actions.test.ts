import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deriveProjectId, deriveSubscriptionId, profileStrings } from '../../protocol/identity/index.ts'
import { contractWalletAbi, contractWalletBytecode } from '../generated/mocks.ts'
import {
  bytes32,
  eth,
  hasAnvil,
  type Network,
  owner,
  params,
  profile,
  refusal,
  startNetwork,
  stranger,
} from './network.ts'
import { domainOf, type SignedType, sign } from './typed-data.ts'

const nodeKey = bytes32(0xb2)
const slug = 'tide-forecast'
const projectId = deriveProjectId(profile, owner.address.toLowerCase(), slug)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const amount = eth(10)
const noPermit = { deadline: 0n, signature: '0x' } as const
const asStranger = { account: stranger.address }
const weekSecs = 604_800n

type Tail = { nonce: bigint; deadline: bigint }
interface SignedAction {
  type: Exclude<SignedType, 'Permit'>
  /** Member that names the signer. */
  signer: 'owner' | 'developer'
  fields: Record<string, unknown>
  /** Brings the chain to a state in which the action is possible; returns the nonce then. */
  prepare: (network: Network) => Promise<void>
  simulate: (network: Network, message: never, signature: Hex) => Promise<unknown>
  write: (network: Network, message: never, signature: Hex) => Promise<Hex>
}

const asOwner = { account: owner.address }
const bond = async ({ staking, mined }: Network) => {
  await mined(staking.write.bond([projectId, nodeKey, amount], asOwner))
}
const unbond = async (network: Network) => {
  await bond(network)
  await network.mined(network.staking.write.unbond([id], asOwner))
  await network.pass(params.unbonding_secs)
}
const register = async ({ registry, mined }: Network) => {
  await mined(registry.write.register([slug, bytes32(1), bytes32(2), bytes32(3)], asOwner))
}
const nothing = async () => {}

const hashes = { consensusHash: bytes32(4), manifestHash: bytes32(5) }
const actions: SignedAction[] = [
  {
    type: 'Register',
    signer: 'developer',
    fields: { slug, worker: bytes32(1), ...hashes },
    prepare: nothing,
    simulate: ({ registry }, message, signature) =>
      registry.simulate.registerBySig([message, signature], asStranger),
    write: ({ registry }, message, signature) =>
      registry.write.registerBySig([message, signature], asStranger),
  },
  {
    type: 'PublishVersion',
    signer: 'developer',
    fields: { projectId, version: 2, ...hashes },
    prepare: register,
    simulate: ({ registry }, message, signature) =>
      registry.simulate.publishVersionBySig([message, signature], asStranger),
    write: ({ registry }, message, signature) =>
      registry.write.publishVersionBySig([message, signature], asStranger),
  },
  {
    type: 'Bond',
    signer: 'owner',
    fields: { projectId, nodeKey, amount },
    prepare: nothing,
    simulate: ({ staking }, message, signature) =>
      staking.simulate.bondBySig([message, signature, noPermit], asStranger),
    write: ({ staking }, message, signature) =>
      staking.write.bondBySig([message, signature, noPermit], asStranger),
  },
  {
    type: 'SetPayout',
    signer: 'owner',
    fields: { subscriptionId: id, payout: stranger.address },
    prepare: bond,
    simulate: ({ staking }, message, signature) =>
      staking.simulate.setPayoutBySig([message, signature], asStranger),
    write: ({ staking }, message, signature) =>
      staking.write.setPayoutBySig([message, signature], asStranger),
  },
  {
    type: 'Unbond',
    signer: 'owner',
    fields: { subscriptionId: id },
    prepare: bond,
    simulate: ({ staking }, message, signature) =>
      staking.simulate.unbondBySig([message, signature], asStranger),
    write: ({ staking }, message, signature) => staking.write.unbondBySig([message, signature], asStranger),
  },
  {
    type: 'Withdraw',
    signer: 'owner',
    fields: { subscriptionId: id },
    prepare: unbond,
    simulate: ({ staking }, message, signature) =>
      staking.simulate.withdrawBySig([message, signature], asStranger),
    write: ({ staking }, message, signature) => staking.write.withdrawBySig([message, signature], asStranger),
  },
]

/** Another value of the same type. */
function changedValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'bigint') return value + 1n
  const text = String(value)
  if (!text.startsWith('0x')) return `${text}-x`
  return text.length === 42 ? owner.address : bytes32(0xc0ffee)
}

describe.skipIf(!hasAnvil)('signed actions', () => {
  let network: Network
  let snapshot: Hex
  beforeAll(async () => {
    network = await startNetwork()
    await network.give(owner.address, eth(1_000))
    await network.mined(network.token.write.approve([network.addresses.staking, eth(1_000)], asOwner))
    snapshot = await network.client.snapshot()
  })
  beforeEach(async () => {
    await network.client.revert({ id: snapshot })
    snapshot = await network.client.snapshot()
  })
  afterAll(() => network?.stop())

  const nonceOf = (action: SignedAction, account: Address = owner.address): Promise<bigint> =>
    action.signer === 'owner'
      ? network.staking.read.nonces([account])
      : network.registry.read.nonces([account])

  const build = async (action: SignedAction, over: Partial<Tail & Record<string, unknown>> = {}) => {
    const tail: Tail = { nonce: 0n, deadline: (await network.now()) + 3600n }
    const message = { [action.signer]: owner.address, ...action.fields, ...tail, ...over }
    const signature = await sign(owner, action.type, domainOf(action.type, network.addresses), message)
    return { message: message as never, signature, deadline: (message as unknown as Tail).deadline }
  }

  describe.each(actions)('$type', (action) => {
    beforeEach(() => action.prepare(network))

    test('is accepted once, from anyone, and raises the nonce by one', async () => {
      const { message, signature } = await build(action)
      await network.mined(action.write(network, message, signature))
      expect(await nonceOf(action)).toBe(1n)
      expect(await refusal(action.simulate(network, message, signature))).toEqual([
        'InvalidAccountNonce',
        owner.address,
        1n,
      ])
    })

    test('is refused with a nonce that is not the current one', async () => {
      const { message, signature } = await build(action, { nonce: 1n })
      expect(await refusal(action.simulate(network, message, signature))).toEqual([
        'InvalidAccountNonce',
        owner.address,
        0n,
      ])
    })

    test('is worth nothing once the signer has taken its nonce back, and only the next nonce is taken back', async () => {
      const { message, signature } = await build(action)
      const { staking, registry } = network
      // Both have the same gate.
      const gate = network.at(staking.abi, (action.signer === 'owner' ? staking : registry).address)
      const { simulate, write } = gate
      expect(await refusal(simulate.cancelNonce([1n], asOwner))).toEqual([
        'InvalidAccountNonce',
        owner.address,
        0n,
      ])
      await network.mined(write.cancelNonce([0n], asStranger))
      await action.simulate(network, message, signature)
      const said = await network.events(gate, write.cancelNonce([0n], asOwner))
      expect(said).toEqual([{ event: 'NonceCancelled', signer: owner.address, nonce: 0n }])
      expect(await refusal(action.simulate(network, message, signature))).toEqual([
        'InvalidAccountNonce',
        owner.address,
        1n,
      ])
      const next = await build(action, { nonce: 1n })
      await action.simulate(network, next.message, next.signature)
    })

    test('is refused from its deadline on, and with a deadline more than a week ahead', async () => {
      const { message, signature, deadline } = await build(action)
      const far = await build(action, { deadline: (await network.now()) + weekSecs + 1n })
      expect((await refusal(action.simulate(network, far.message, far.signature)))[0]).toBe('DeadlineTooFar')
      const latest = await build(action, { deadline: (await network.now()) + weekSecs })
      await action.simulate(network, latest.message, latest.signature)

      await network.passTo(deadline - 1n)
      await action.simulate(network, message, signature)
      await network.passTo(deadline)
      expect(await refusal(action.simulate(network, message, signature))).toEqual([
        'SignatureExpired',
        deadline,
      ])
    })

    test('is refused with a signature of another key, another domain, or any changed member', async () => {
      const { message, signature } = await build(action)
      const domain = domainOf(action.type, network.addresses)
      const refused = async (signed: Hex, said: Record<string, unknown> = message) =>
        expect(await refusal(action.simulate(network, said as never, signed))).toEqual([
          'InvalidSignature',
          owner.address,
        ])
      await refused(await sign(stranger, action.type, domain, message))
      await refused(await sign(owner, action.type, { ...domain, chainId: 1 }, message))
      await refused(await sign(owner, action.type, { ...domain, name: 'Other' }, message))
      await refused(await sign(owner, action.type, { ...domain, version: '2' }, message))
      await refused(
        await sign(owner, action.type, { ...domain, verifyingContract: stranger.address }, message),
      )
      await refused('0x')
      await refused(signature.slice(0, 130) as Hex)
      for (const [member, value] of Object.entries(action.fields)) {
        const changed = changedValue(value)
        await refused(signature, { ...(message as object), [member]: changed })
      }
    })

    test('is refused in the second form that every signature has', async () => {
      const { message, signature } = await build(action)
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const s = order - BigInt(`0x${signature.slice(66, 130)}`)
      const v = signature.endsWith('1b') ? '1c' : '1b'
      const twin: Hex = `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`
      expect((await refusal(action.simulate(network, message, twin)))[0]).toBe('InvalidSignature')
    })

    test('a message of somebody else does not act on the owner, however well signed', async () => {
      const message = {
        [action.signer]: stranger.address,
        ...action.fields,
        nonce: 0n,
        deadline: (await network.now()) + 3600n,
      } as never
      const signature = await sign(stranger, action.type, domainOf(action.type, network.addresses), message)
      const attempt = action.simulate(network, message, signature)
      if (action.type === 'Register') await attempt
      else
        expect((await refusal(attempt))[0]).toBe(
          { Bond: 'ERC20InsufficientAllowance', PublishVersion: 'NotDeveloper' }[action.type as string] ??
            'NotOwner',
        )
    })

    test('an account that delegated to code still signs with its key', async () => {
      await network.client.setCode({
        address: owner.address,
        bytecode: `0xef0100${network.addresses.faucet.slice(2)}`,
      })
      const { message, signature } = await build(action)
      await network.mined(action.write(network, message, signature))
    })
  })

  test('a contract vouches by EIP-1271 for what its key-holder signed, and for nothing else', async () => {
    const hash = network.client.deployContract({
      abi: contractWalletAbi,
      bytecode: contractWalletBytecode,
      args: [owner.address],
      account: owner.address,
    })
    const { contractAddress } = await network.receiptOf(hash)
    const register = actions[0]!
    const message = {
      developer: contractAddress,
      ...register.fields,
      nonce: 0n,
      deadline: (await network.now()) + 3600n,
    } as never
    const domain = domainOf('Register', network.addresses)
    expect(
      (
        await refusal(register.simulate(network, message, await sign(stranger, 'Register', domain, message)))
      )[0],
    ).toBe('InvalidSignature')
    await network.mined(register.write(network, message, await sign(owner, 'Register', domain, message)))
    const walletProject = deriveProjectId(profile, contractAddress!.toLowerCase(), slug)
    expect((await network.registry.read.developerOf([walletProject])).toLowerCase()).toBe(contractAddress)
  })

  test('a contract that answers nothing of EIP-1271 vouches for nothing', async () => {
    const bonding = actions[2]!
    const message = {
      owner: network.addresses.token,
      ...bonding.fields,
      nonce: 0n,
      deadline: (await network.now()) + 3600n,
    } as never
    const signature = await sign(owner, 'Bond', domainOf('Bond', network.addresses), message)
    expect((await refusal(bonding.simulate(network, message, signature)))[0]).toBe('InvalidSignature')
  })

  test('the zero address signs nothing', async () => {
    const bonding = actions[2]!
    const message = {
      owner: `0x${'00'.repeat(20)}`,
      ...bonding.fields,
      nonce: 0n,
      deadline: (await network.now()) + 3600n,
    } as never
    expect((await refusal(bonding.simulate(network, message, `0x${'00'.repeat(65)}`)))[0]).toBe(
      'InvalidSignature',
    )
  })

  test('domains are name, version, chain and contract, and nothing more', async () => {
    const { registry, staking, token } = network
    const { registry_domain, staking_domain, permit_domain } = profileStrings(profile)
    for (const [contract, name] of [
      [registry, registry_domain],
      [staking, staking_domain],
      [token, permit_domain],
    ] as const) {
      const [fields, ...domain] = await contract.read.eip712Domain()
      expect(fields).toBe('0x0f')
      expect([domain[0], domain[1], domain[2], domain[3].toLowerCase()]).toEqual([
        name,
        '1',
        BigInt(profile.chain_id),
        contract.address,
      ])
    }
    expect(await token.read.name()).toBe(profile.token_name)
    expect(await token.read.symbol()).toBe(profile.token_symbol)
  })
})
