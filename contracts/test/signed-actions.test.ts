import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { deriveProjectId, deriveSubscriptionId, profileStrings } from '../../protocol/identity/index.ts'
import { contractWalletAbi, contractWalletBytecode } from '../generated/mocks.ts'
import { by, bytes32, eth, hasAnvil, type Network, owner, params, profile, stranger } from './network.ts'
import { domainOf, type SignedType, sign } from './typed-data.ts'
import { refused, refusedAs, useNetwork } from './use-network.ts'

const nodeKey = bytes32(0xb2)
const slug = 'tide-forecast'
const projectId = deriveProjectId(profile, owner.address.toLowerCase(), slug)
const id = deriveSubscriptionId(projectId, owner.address.toLowerCase(), nodeKey)
const amount = eth(10)
const noPermit = { deadline: 0n, signature: '0x' } as const
const weekSecs = 604_800n

type Tail = { nonce: bigint; deadline: bigint }
interface SignedAction {
  readonly type: Exclude<SignedType, 'Permit'>
  readonly contract: 'registry' | 'staking'
  /** Members beside those that every action has. */
  readonly fields: Record<string, unknown>
  /** Makes the action possible. */
  readonly prepare: (network: Network) => Promise<void>
}

/** The member that names the signer. */
const signerOf = ({ contract }: SignedAction) => (contract === 'registry' ? 'developer' : 'owner')

/** Brings an action to the contract, as a stranger can. */
const bring = <Way extends 'simulate' | 'write'>(
  way: Way,
  network: Network,
  { type, contract }: SignedAction,
  message: unknown,
  signature: Hex,
) => {
  const name = `${type.charAt(0).toLowerCase()}${type.slice(1)}BySig`
  const functions = network[contract][way] as unknown as Record<
    string,
    (args: readonly unknown[], from: typeof by.stranger) => Promise<Way extends 'write' ? Hex : unknown>
  >
  const permit = type === 'Bond' ? [noPermit] : []
  return functions[name]!([message, signature, ...permit], by.stranger)
}

const bond = async ({ staking, mined }: Network) => {
  await mined(staking.write.bond([projectId, nodeKey, amount], by.owner))
}
const unbond = async (network: Network) => {
  await bond(network)
  await network.mined(network.staking.write.unbond([id], by.owner))
  await network.pass(params.unbonding_secs)
}
const registered = async ({ registry, mined }: Network) => {
  await mined(registry.write.register([slug, bytes32(1), bytes32(2), bytes32(3)], by.owner))
}
const nothing = async () => {}

const hashes = { consensusHash: bytes32(4), manifestHash: bytes32(5) }
const register: SignedAction = {
  type: 'Register',
  contract: 'registry',
  fields: { slug, worker: bytes32(1), ...hashes },
  prepare: nothing,
}
const bonding: SignedAction = {
  type: 'Bond',
  contract: 'staking',
  fields: { projectId, nodeKey, amount },
  prepare: nothing,
}
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
  { ...ofSubscription, type: 'SetPayout', fields: { subscriptionId: id, payout: stranger.address } },
  { ...ofSubscription, type: 'Unbond' },
  { ...ofSubscription, type: 'Withdraw', prepare: unbond },
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
  useNetwork(async (started) => {
    network = started
    await network.give(owner.address, eth(1_000))
    await network.mined(network.token.write.approve([network.addresses.staking, eth(1_000)], by.owner))
  })

  const build = async (action: SignedAction, over: Partial<Tail & Record<string, unknown>> = {}) => {
    const tail: Tail = { nonce: 0n, deadline: (await network.now()) + 3600n }
    const message = { [signerOf(action)]: owner.address, ...action.fields, ...tail, ...over }
    const signature = await sign(owner, action.type, domainOf(action.type, network.addresses), message)
    return { message: message as never, signature, deadline: (message as unknown as Tail).deadline }
  }

  describe.each(actions)('$type', (action) => {
    beforeEach(() => action.prepare(network))

    test('is accepted once, from anyone, and raises the nonce by one', async () => {
      const { message, signature } = await build(action)
      await network.mined(bring('write', network, action, message, signature))
      expect(await network[action.contract].read.nonces([owner.address])).toBe(1n)
      await refused(bring('simulate', network, action, message, signature), [
        'InvalidAccountNonce',
        owner.address,
        1n,
      ])
    })

    test('is refused with a nonce that is not the current one', async () => {
      const { message, signature } = await build(action, { nonce: 1n })
      await refused(bring('simulate', network, action, message, signature), [
        'InvalidAccountNonce',
        owner.address,
        0n,
      ])
    })

    test('is worth nothing once the signer has taken its nonce back, and only the next nonce is taken back', async () => {
      const { message, signature } = await build(action)
      // Both contracts have the same gate.
      const gate = network.at(network.staking.abi, network[action.contract].address)
      const { simulate, write } = gate
      await refused(simulate.cancelNonce([1n], by.owner), ['InvalidAccountNonce', owner.address, 0n])
      await network.mined(write.cancelNonce([0n], by.stranger))
      await bring('simulate', network, action, message, signature)
      const said = await network.events(gate, write.cancelNonce([0n], by.owner))
      expect(said).toEqual([{ event: 'NonceCancelled', signer: owner.address, nonce: 0n }])
      await refused(bring('simulate', network, action, message, signature), [
        'InvalidAccountNonce',
        owner.address,
        1n,
      ])
      const next = await build(action, { nonce: 1n })
      await bring('simulate', network, action, next.message, next.signature)
    })

    test('is refused from its deadline on, and with a deadline more than a week ahead', async () => {
      const { message, signature, deadline } = await build(action)
      const far = await build(action, { deadline: (await network.now()) + weekSecs + 1n })
      await refusedAs(bring('simulate', network, action, far.message, far.signature), 'DeadlineTooFar')
      const latest = await build(action, { deadline: (await network.now()) + weekSecs })
      await bring('simulate', network, action, latest.message, latest.signature)

      await network.passTo(deadline - 1n)
      await bring('simulate', network, action, message, signature)
      await network.passTo(deadline)
      await refused(bring('simulate', network, action, message, signature), ['SignatureExpired', deadline])
    })

    test('is refused with a signature of another key, another domain, or any changed member', async () => {
      const { message, signature } = await build(action)
      const domain = domainOf(action.type, network.addresses)
      const isWorthless = async (signed: Hex, said: Record<string, unknown> = message) =>
        await refused(bring('simulate', network, action, said as never, signed), [
          'InvalidSignature',
          owner.address,
        ])
      await isWorthless(await sign(stranger, action.type, domain, message))
      await isWorthless(await sign(owner, action.type, { ...domain, chainId: 1 }, message))
      await isWorthless(await sign(owner, action.type, { ...domain, name: 'Other' }, message))
      await isWorthless(await sign(owner, action.type, { ...domain, version: '2' }, message))
      await isWorthless(
        await sign(owner, action.type, { ...domain, verifyingContract: stranger.address }, message),
      )
      await isWorthless('0x')
      await isWorthless(signature.slice(0, 130) as Hex)
      for (const [member, value] of Object.entries(action.fields)) {
        const changed = changedValue(value)
        await isWorthless(signature, { ...(message as object), [member]: changed })
      }
    })

    test('is refused in the second form that every signature has', async () => {
      const { message, signature } = await build(action)
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const s = order - BigInt(`0x${signature.slice(66, 130)}`)
      const v = signature.endsWith('1b') ? '1c' : '1b'
      const twin: Hex = `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`
      await refusedAs(bring('simulate', network, action, message, twin), 'InvalidSignature')
    })

    test('a message of somebody else does not act on the owner, however well signed', async () => {
      const message = {
        [signerOf(action)]: stranger.address,
        ...action.fields,
        nonce: 0n,
        deadline: (await network.now()) + 3600n,
      } as never
      const signature = await sign(stranger, action.type, domainOf(action.type, network.addresses), message)
      const attempt = bring('simulate', network, action, message, signature)
      if (action.type === 'Register') await attempt
      else
        await refusedAs(
          attempt,
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
      await network.mined(bring('write', network, action, message, signature))
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
    const message = {
      developer: contractAddress,
      ...register.fields,
      nonce: 0n,
      deadline: (await network.now()) + 3600n,
    } as never
    const domain = domainOf('Register', network.addresses)
    await refusedAs(
      bring('simulate', network, register, message, await sign(stranger, 'Register', domain, message)),
      'InvalidSignature',
    )
    await network.mined(
      bring('write', network, register, message, await sign(owner, 'Register', domain, message)),
    )
    const walletProject = deriveProjectId(profile, contractAddress!.toLowerCase(), slug)
    expect((await network.registry.read.developerOf([walletProject])).toLowerCase()).toBe(contractAddress)
  })

  test('a contract that answers nothing of EIP-1271 vouches for nothing', async () => {
    const message = {
      owner: network.addresses.token,
      ...bonding.fields,
      nonce: 0n,
      deadline: (await network.now()) + 3600n,
    } as never
    const signature = await sign(owner, 'Bond', domainOf('Bond', network.addresses), message)
    await refusedAs(bring('simulate', network, bonding, message, signature), 'InvalidSignature')
  })

  test('the zero address signs nothing', async () => {
    const message = {
      owner: `0x${'00'.repeat(20)}`,
      ...bonding.fields,
      nonce: 0n,
      deadline: (await network.now()) + 3600n,
    } as never
    await refusedAs(bring('simulate', network, bonding, message, `0x${'00'.repeat(65)}`), 'InvalidSignature')
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
