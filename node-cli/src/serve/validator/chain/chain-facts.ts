import type { Block } from '../../../../../protocol/committees/index.ts'
import { hashText, isObject, zeroAddress } from '../../../../../protocol/encoding/index.ts'
import { logBlocksOf } from '../../../../../protocol/identity/index.ts'
import { NotYet } from '../refusal.ts'
import type { ChainRpc } from './chain-rpc.ts'

export interface BondedSubscription {
  /** The zero address while nothing is bonded. */
  readonly owner: string
  readonly isUnbonding: boolean
  readonly collateral: string
  /** The address that rewards go to: the owner if no other address was set. */
  readonly payout: string
}

/** Returns (owner, releaseAt, openSlashes, collateral, payout), a word each. */
const subscriptionSelector = hashText('subscriptionOf(bytes32)').slice(0, 10)
const wordDigits = 64

export type ChainFacts = ReturnType<typeof chainFacts>

/** The questions of a validator to its chain. @param chainId The id that the node was told. */
export function chainFacts(rpc: ChainRpc, chainId: number) {
  let isRight = false
  const ask: ChainRpc = async (calls) => {
    if (!isRight) {
      const [id] = await rpc([{ method: 'eth_chainId', params: [] }])
      if (Number(id) !== chainId)
        throw new NotYet(`--chain-rpc leads to the chain ${Number(id)}, not ${chainId}`)
      isRight = true
    }
    return rpc(calls)
  }
  return {
    /** A block by its number; null while it is not mined. @throws {@link NotYet} */
    block: async (number: number): Promise<Block | null> => {
      const [block] = await ask([{ method: 'eth_getBlockByNumber', params: [quantity(number), false] }])
      return block === null ? null : readBlock(block)
    },
    /**
     * Subscriptions as of a block, in the order of their ids. Most nodes keep the states of their last blocks only: without
     * that state, what holds now counts where the contract has logged nothing about them since. @throws {@link NotYet}
     */
    subscriptions: async (
      staking: string,
      ids: readonly string[],
      block: number,
    ): Promise<readonly BondedSubscription[]> => {
      const asOf = async (number: number) => {
        const calls = ids.map((id) => ({
          method: 'eth_call',
          params: [{ to: staking, data: subscriptionSelector + id.slice(2) }, quantity(number)],
        }))
        return (await ask(calls)).map(readSubscription)
      }
      try {
        return await asOf(block)
      } catch (error) {
        if (!(error instanceof NotYet)) throw error
        const head = await readHead(ask)
        const now = await asOf(head)
        if (await isLogged(ask, staking, ids, block + 1, head, logBlocksOf(chainId))) throw error
        return now
      }
    },
  }
}

async function readHead(ask: ChainRpc): Promise<number> {
  const [head] = await ask([{ method: 'eth_blockNumber', params: [] }])
  return Number(head)
}

/** Whether a contract has logged anything about subscriptions in some blocks: every change of one is logged with its id. */
async function isLogged(
  ask: ChainRpc,
  staking: string,
  ids: readonly string[],
  from: number,
  to: number,
  blocksAtOnce: number,
): Promise<boolean> {
  const starts = Array.from(
    { length: Math.ceil((to - from + 1) / blocksAtOnce) },
    (_, part) => from + part * blocksAtOnce,
  )
  const answers = await ask(
    starts.map((start) => {
      const toBlock = quantity(Math.min(to, start + blocksAtOnce - 1))
      return {
        method: 'eth_getLogs',
        params: [{ address: staking, fromBlock: quantity(start), toBlock }],
      }
    }),
  )
  const asked = new Set(ids)
  return answers.some((logs) => {
    if (!Array.isArray(logs)) throw new NotYet('the chain does not return logs')
    return logs.some(
      (log) => !isObject(log) || !Array.isArray(log.topics) || log.topics.some((topic) => asked.has(topic)),
    )
  })
}

const quantity = (value: number): string => `0x${value.toString(16)}`

function readBlock(value: unknown): Block {
  if (isObject(value) && typeof value.hash === 'string')
    return { number: Number(value.number), hash: value.hash, timestamp: Number(value.timestamp) }
  throw new NotYet('the chain does not return a block')
}

function readSubscription(value: unknown): BondedSubscription {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{320}$/.test(value))
    throw new NotYet('the chain does not return a subscription; does it have the contracts of the network?')
  const word = (i: number): string => value.slice(2 + i * wordDigits, 2 + (i + 1) * wordDigits)
  const address = (i: number): string => `0x${word(i).slice(24)}`
  const owner = address(0)
  const payout = address(4)
  return {
    owner,
    isUnbonding: BigInt(`0x${word(1)}`) !== 0n,
    collateral: String(BigInt(`0x${word(3)}`)),
    payout: payout === zeroAddress ? owner : payout,
  }
}
