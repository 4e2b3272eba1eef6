import { setTimeout as wait } from 'node:timers/promises'
import {
  type Abi,
  type Address,
  createTestClient,
  getContract,
  type Hex,
  http,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { anvilKeys, defaultNetworkParams, resolveProfile } from '../../protocol/identity/index.ts'
import { type AnvilOptions, findAnvil, startAnvil } from '../anvil.ts'
import { type Deployment, deployContracts } from '../deploy.ts'
import {
  adminTimelockAbi,
  faucetAbi,
  hubTokenAbi,
  projectRegistryAbi,
  projectVaultAbi,
  stakingAbi,
  vaultFactoryAbi,
} from '../generated/contracts.ts'
import { contractErrorsAbi } from '../generated/errors.ts'
import { roleHash } from '../verify.ts'

/** Whether this machine has the chain at all; tests that need one are skipped elsewhere. */
export const hasAnvil = findAnvil() !== null

export const profile = resolveProfile()
export const params = defaultNetworkParams
export const eth = (amount: number): bigint => BigInt(amount) * 10n ** 18n
/** 32 bytes that say which ones they are. */
export const bytes32 = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** The accounts that anvil funds, one for every part that somebody plays. */
const key = (number: number) => privateKeyToAccount(anvilKeys[number]!)
export const deployer = key(0)
export const owner = key(1)
export const developer = key(2)
export const stranger = key(3)
export const roles = {
  admin: key(4).address,
  guardian: key(4).address,
  minter: key(5).address,
  dripper: key(5).address,
  reviewer: key(6).address,
  proposer: key(7).address,
  arbiter: key(8).address,
  poster: key(9).address,
}
const senders = { owner: owner.address, developer: developer.address, stranger: stranger.address, ...roles }
/** Senders of transactions, by name. */
export const by = Object.fromEntries(
  Object.entries(senders).map(([name, account]) => [name, { account }]),
) as Record<keyof typeof senders, { account: Address }>
export const treasury: Address = '0x7ea5000000000000000000000000000000000000'

export type Network = Awaited<ReturnType<typeof startNetwork>>

export async function startNetwork(options: AnvilOptions = {}, over: Partial<typeof params> = {}) {
  const anvil = await startAnvil(options)
  try {
    const deployment = await deployContracts({
      rpcUrl: anvil.url,
      account: deployer,
      profile,
      params: { ...params, ...over },
      treasury,
      roles,
      faucetSupplyWei: eth(1_000_000),
    })
    return { ...connect(anvil.url, deployment), stop: anvil.stop }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** Every role but those of admin and guardian, in its contract, with the account that has it. */
export const heldRoles = ({ at, token, faucet, registry, staking, factory }: Network) =>
  (
    [
      [token, 'minter'],
      [faucet, 'dripper'],
      [registry, 'reviewer'],
      [staking, 'proposer'],
      [staking, 'arbiter'],
      [factory, 'poster'],
      [factory, 'arbiter'],
    ] as const
  ).map(([{ address }, name]) => ({
    contract: at([...stakingAbi, ...contractErrorsAbi], address),
    change: [roleHash(`${name.toUpperCase()}_ROLE`), roles[name]] as const,
  }))

function connect(url: string, { contracts: addresses, adminTimelock }: Deployment) {
  const client = createTestClient({
    mode: 'anvil',
    chain: foundry,
    cacheTime: 0,
    pollingInterval: 10,
    transport: http(url),
  })
    .extend(publicActions)
    .extend(walletActions)
  // Every contract knows every error, because a revert may come from another one.
  const at = <const A extends Abi>(abi: A, address: Address) => getContract({ abi, address, client })
  const errors = contractErrorsAbi
  const token = at([...hubTokenAbi, ...errors], addresses.token)
  /**
   * Asks until the receipt is there. viem's own wait asks once for every new block, and waits for ever should a block be
   * told before its receipts are.
   */
  async function receiptOf(sent: Promise<Hex>): Promise<TransactionReceipt> {
    for (const hash = await sent; ; await wait(5)) {
      const receipt = await client.getTransactionReceipt({ hash }).catch((error) => {
        if (error instanceof TransactionReceiptNotFoundError) return null
        throw error
      })
      if (receipt !== null) return receipt
    }
  }

  return {
    client,
    addresses,
    at,
    token,
    faucet: at([...faucetAbi, ...errors], addresses.faucet),
    registry: at([...projectRegistryAbi, ...errors], addresses.project_registry),
    factory: at([...vaultFactoryAbi, ...errors], addresses.vault_factory),
    staking: at([...stakingAbi, ...errors], addresses.staking),
    adminTimelock: at([...adminTimelockAbi, ...errors], adminTimelock),
    vaultAt: (address: Address) => at([...projectVaultAbi, ...errors], address),

    receiptOf,
    /** Deploys a contract that only tests have. */
    async deploy<const A extends Abi>(abi: A, bytecode: Hex, from = deployer.address, args: unknown[] = []) {
      const hash = client.deployContract({ abi: abi as Abi, bytecode, args, account: from })
      return at(abi, (await receiptOf(hash)).contractAddress!)
    },
    async mined(sent: Promise<Hex>) {
      const receipt = await receiptOf(sent)
      if (receipt.status !== 'success') throw new Error(`${receipt.transactionHash} reverted`)
      return receipt
    },
    async events<const A extends Abi>(contract: { abi: A }, sent: Promise<Hex>) {
      const { logs } = await this.mined(sent)
      return parseEventLogs({ abi: contract.abi as Abi, logs }).map((log) => ({
        event: log.eventName,
        ...(log.args as unknown as Record<string, unknown>),
      }))
    },
    async give(to: Address, amount: bigint) {
      await this.mined(token.write.mint([to, amount], by.minter))
    },
    balanceOf: (account: Address) => token.read.balanceOf([account]),
    now: async () => (await client.getBlock()).timestamp,
    /** Lets time pass; calls that follow are answered at the new time. */
    async pass(seconds: bigint | number) {
      await client.increaseTime({ seconds: Number(seconds) })
      await client.mine({ blocks: 1 })
    },
    /** Makes a block with exactly this time, at which calls are then answered. */
    async passTo(timestamp: bigint) {
      await client.setNextBlockTimestamp({ timestamp })
      await client.mine({ blocks: 1 })
    },
  }
}
