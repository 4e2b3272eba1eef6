import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hubTokenAbi,
  projectRegistryAbi,
  projectVaultAbi,
  vaultFactoryAbi,
} from '../contracts/generated/contracts.ts'
import {
  type Action,
  actions,
  bondBatchMax,
  domainOf,
  hashAction,
  payloadSeconds,
  permitActions,
} from '../protocol/actions/index.ts'
import { hashPayoutLeaf } from '../protocol/earnings/index.ts'
import { hashBytes } from '../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  deriveProjectId,
  deriveSubscriptionId,
  deriveVaultAddress,
  resolveProfile,
} from '../protocol/identity/index.ts'
import type { TypedMessage } from '../protocol/signatures/index.ts'
import { hasAnvil } from '../testing/anvil.ts'
import { costlySignature, deployContractWallets } from '../testing/contract-wallets.ts'
import { type RelayerNetwork, startRelayerNetwork } from '../testing/relayer-network.ts'
import { encodeActionCall } from '../workers/actions/action-calls.ts'
import {
  defaultAllowances,
  gasMaxOf,
  type RelayedAction,
  relayedActions,
  relayedGasMax,
} from '../workers/actions/allowances.ts'
import { settingFields } from '../workers/settings.ts'

/** The gas that a wallet uses to check the curve of passkeys in its own code. */
const fairCheckGas = 400_000
const greedyCheckGas = 11_000_000
/** With it a registration takes nearly what it may. */
const dearestCheckGas = 470_000
/** A tenth of what it is without settings, so that a tenth of the registrations takes as much of it. */
const gasPerDay = settingFields.RELAYER_GAS_PER_DAY.parse(undefined) / 10
const slug = 'a'.repeat(48)
const amount = 987_654_321_987_654_321_987n
const fresh32 = (): Hex => `0x${randomBytes(32).toString('hex')}`
const profile = resolveProfile()

describe.skipIf(!hasAnvil)('the gas of relayed actions of contract wallets', () => {
  let network: RelayerNetwork
  let deployer: string
  beforeAll(async () => {
    // One wallet may use as much as without settings.
    network = await startRelayerNetwork({
      vars: { RELAYER_GAS_PER_DAY: String(gasPerDay), RELAYER_OWNER_GAS_PERCENT: '50' },
    })
    const [first] = await network.chain.rpc<string[]>('eth_accounts')
    deployer = first!
  })
  afterAll(() => network?.stop())

  const chainTime = async () =>
    Number((await network.chain.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)).timestamp)

  const passTime = async (seconds: number) => {
    await network.chain.rpc('evm_increaseTime', seconds)
    await network.chain.rpc('evm_mine')
  }

  const mined = async (hash: string | null) => {
    const read = () =>
      network.chain.rpc<{ status: Hex; gasUsed: Hex } | null>('eth_getTransactionReceipt', hash)
    await expect.poll(read).toMatchObject({ status: '0x1' })
    return Number((await read())!.gasUsed)
  }

  const send = async (from: string, to: string, data: Hex) =>
    mined(await network.chain.rpc<string>('eth_sendTransaction', { from, to, data, gas: '0x2dc6c0' }))

  const sendAs = async (account: string, to: string, data: Hex) => {
    const { rpc } = network.chain
    await rpc('anvil_setBalance', account, `0x${(10n ** 18n).toString(16)}`)
    await rpc('anvil_impersonateAccount', account)
    await send(account, to, data)
    await rpc('anvil_stopImpersonatingAccount', account)
  }

  const relay = (
    action: RelayedAction,
    {
      id = fresh32(),
      gasMax = relayedGasMax[action],
      ...call
    }: { id?: string; gasMax?: number; owner: string; to: string; data: Hex },
  ) =>
    network.relayer.relay({
      ...{ id, action, ...call, valueWei: '0', serializationKey: null },
      ...{ gasMax, perDay: defaultAllowances[action] },
    })

  /** Relays an action that a wallet signed; a bond carries a permit that the token will refuse. */
  const relaySigned = async (
    action: Action,
    fields: TypedMessage,
    { nonce, checkGas, deadline }: { nonce: number; checkGas: number; deadline: number },
  ) => {
    const message = { ...fields, nonce: String(nonce), deadline: String(deadline) }
    const domain = domainOf(profile, network.contracts, actions[action])
    const digest = hashAction(domain, actions[action], message)
    const signed = { message, digest, signature: costlySignature(checkGas) }
    const owner = String(fields.owner ?? fields.developer)
    const data = encodeActionCall(action, {
      ...signed,
      permit: permitActions.includes(action) ? signed : null,
    })
    return relay(action, {
      id: digest,
      gasMax: gasMaxOf(action, fields),
      owner,
      to: domain.verifyingContract,
      data,
    })
  }

  /** The gas that the transaction of an accepted action took. */
  const gasOf = async (result: Awaited<ReturnType<typeof relay>>) => {
    expect(result).toMatchObject({ status: 'accepted' })
    const { id } = (result as { relay: { id: string } }).relay
    const view = () => network.relayer.find(id)
    await expect.poll(view).toMatchObject({ status: 'confirmed' })
    return mined((await view())!.txHash)
  }

  const tooMuch = { status: 'refused', name: 'TooMuchGas' }

  test('after seven registrations of contract wallets with costly checks in a tenth of the gas of a day, the action of another wallet is accepted', async () => {
    const wallets = await deployContractWallets(network.chain, 4)
    const { gasToday: before } = await network.relayer.health()
    const registerAll = async (developer: string, count: number) => {
      // The dearest check, and where it is refused, the dearest that is not. The chain works long on a trial of the former.
      let checkGas = developer === wallets[0] ? greedyCheckGas : dearestCheckGas
      for (let nonce = 0; nonce < count; ) {
        const hashes = { worker: fresh32(), consensusHash: fresh32(), manifestHash: fresh32() }
        const fields = { developer, slug: `project-${nonce}`, ...hashes }
        const deadline = (await chainTime()) + payloadSeconds
        const result = await relaySigned('register_project', fields, { nonce, checkGas, deadline })
        if (result.status === 'refused' && checkGas === greedyCheckGas) checkGas = dearestCheckGas
        else {
          await gasOf(result)
          nonce += 1
        }
      }
    }
    await Promise.all(wallets.map((developer, i) => registerAll(developer, i < 3 ? 2 : 1)))

    const other = network.action({
      gasMax: relayedGasMax.register_project,
      perDay: defaultAllowances.register_project,
    })
    expect(await network.relayer.relay(other)).toMatchObject({ status: 'accepted' })
    await expect.poll(() => network.relayer.find(other.id)).toMatchObject({ status: 'confirmed' })
    expect(await network.done()).toContain(other.projectId)
    const health = await network.relayer.health()
    expect(health.gasPerDay).toBe(gasPerDay)
    expect(health.gasToday - before).toBeLessThan(gasPerDay / 10)
  })

  test('each kind uses less gas than its limit with a costly check, and is refused with a greedy check', async () => {
    const [wallet] = await deployContractWallets(network.chain, 1)
    const owner = wallet!
    const { token, staking } = network.contracts
    const projectId = deriveProjectId(profile, owner, slug)
    const nodeKey = fresh32()
    const subscriptionId = deriveSubscriptionId(projectId, owner, nodeKey)
    const hashes = () => ({ consensusHash: fresh32(), manifestHash: fresh32() })
    await send(
      deployer,
      token,
      encodeFunctionData({ abi: hubTokenAbi, functionName: 'mint', args: [owner as Hex, 2n * amount] }),
    )
    await sendAs(
      owner,
      token,
      encodeFunctionData({ abi: hubTokenAbi, functionName: 'approve', args: [staking as Hex, 2n * amount] }),
    )

    const batch = {
      owner,
      projectIds: Array(bondBatchMax).fill(projectId),
      nodeKeys: Array.from({ length: bondBatchMax }, fresh32),
      amounts: Array(bondBatchMax).fill(String(10n ** 18n)),
    }
    const taken = new Map<RelayedAction, number>()
    for (const [action, nonce, fields] of [
      ['register_project', 0, { developer: owner, slug, worker: fresh32(), ...hashes() }],
      ['publish_version', 1, { developer: owner, projectId, version: 2 ** 32 - 1, ...hashes() }],
      ['bond', 0, { owner, projectId, nodeKey, amount: String(amount) }],
      ['bond_batch', 1, batch],
      ['set_payout', 2, { owner, subscriptionId, payout: `0x${randomBytes(20).toString('hex')}` }],
      ['unbond', 3, { owner, subscriptionId }],
      ['withdraw', 4, { owner, subscriptionId }],
    ] as const) {
      if (action === 'withdraw') await passTime(600)
      const deadline = (await chainTime()) + payloadSeconds
      // The check alone takes more than the action may.
      const greedy = { nonce, checkGas: gasMaxOf(action, fields) + 1_000, deadline }
      expect(await relaySigned(action, fields, greedy)).toMatchObject(tooMuch)
      const costly = { nonce, checkGas: fairCheckGas, deadline }
      taken.set(action, await gasOf(await relaySigned(action, fields, costly)))
    }
    taken.set('claim_payouts', await gasOf(await relay('claim_payouts', await payoutsOf(owner))))

    expect([...taken.keys()].toSorted()).toEqual(relayedActions.toSorted())
    for (const [action, gas] of taken)
      expect([
        action,
        gas < gasMaxOf(action, action === 'bond_batch' ? batch : {}),
        gas > fairCheckGas,
      ]).toEqual([action, true, true])
  })

  /** A claim of a hundred payouts, of epochs that have as many recipients as a project can have. */
  async function payoutsOf(miner: string) {
    const { contracts } = network
    const projectId = deriveProjectId(profile, deployer, slug)
    const vault = deriveVaultAddress(contracts.vault_factory, contracts.vault_implementation, projectId)
    const hash = fresh32()
    const total = 100n * amount
    const call = (to: string, data: Hex) => send(deployer, to, data)
    await call(
      contracts.project_registry,
      encodeFunctionData({
        abi: projectRegistryAbi,
        functionName: 'register',
        args: [slug, hash, hash, hash],
      }),
    )
    await call(
      contracts.vault_factory,
      encodeFunctionData({
        abi: vaultFactoryAbi,
        functionName: 'create',
        args: [projectId, contracts.token as Hex, 3_600, amount],
      }),
    )
    for (const [functionName, args] of [
      ['mint', [deployer as Hex, total]],
      ['approve', [vault as Hex, total]],
    ] as const)
      await call(contracts.token, encodeFunctionData({ abi: hubTokenAbi, functionName, args } as never))
    await call(vault, encodeFunctionData({ abi: projectVaultAbi, functionName: 'fund', args: [total] }))
    const first = Math.floor((await chainTime()) / 3_600)
    await passTime(102 * 3_600)
    const claims = Array.from({ length: 100 }, (_, i) => {
      const epoch = first + 1 + i
      const leaf = hashPayoutLeaf(projectId, epoch, { miner, amount: String(amount) })
      // The tree of 10,000 recipients has 14 levels.
      const proof = Array.from({ length: 14 }, fresh32)
      return { epoch: BigInt(epoch), miner: miner as Hex, amount, proof, root: proof.reduce(hashPair, leaf) }
    })
    for (const { epoch, root } of claims)
      await call(
        vault,
        encodeFunctionData({
          abi: projectVaultAbi,
          functionName: 'postEpoch',
          args: [epoch, root, hash, { miner: amount, developer: 0n, treasury: 0n }],
        }),
      )
    await passTime(defaultNetworkParams.vault_challenge_secs)
    const data = encodeFunctionData({ abi: projectVaultAbi, functionName: 'claimMany', args: [claims] })
    return { owner: miner, to: vault, data }
  }
})

/** As the payout tree pairs two nodes. */
function hashPair(a: Hex, b: Hex): Hex {
  const [low, high] = a < b ? [a, b] : [b, a]
  return hashBytes(Buffer.from(low.slice(2) + high.slice(2), 'hex'))
}
