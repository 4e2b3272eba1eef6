import type { RelayerNetwork } from '../../testing/relayer-network.ts'
import { FaultCounts } from '../harness/figures.ts'
import { delay } from '../harness/time.ts'

/** A chain that makes a block every so often, and that a test may disturb between two of them. */
export type FaultyChain = Awaited<ReturnType<typeof startFaultyChain>>

/** More than twenty times the tip of a chain that is idle, and less than the cap of the relayers. */
const jumpWei = 30n * 10n ** 9n

/** Takes mining over from the chain of a network. */
export async function startFaultyChain(
  { chain, fund }: Pick<RelayerNetwork, 'chain' | 'fund'>,
  { blockMs, depthMax }: { blockMs: number; depthMax: number },
) {
  const faults = new FaultCounts()
  await chain.rpc('evm_setAutomine', false)
  // The contracts lie deeper than any reorganisation goes.
  await chain.rpc('anvil_mine', `0x${(depthMax + 1).toString(16)}`)
  let last: Promise<unknown> = Promise.resolve()
  /** One thing after the other: a block must not come into a reorganisation. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.catch(() => {}).then(work)
    last = done
    return done
  }
  const time = async () => {
    const head = await chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    return Number(head.timestamp)
  }
  const passUntil = async (end: number) => {
    const seconds = end - (await time())
    if (seconds > 0) await chain.rpc('evm_increaseTime', seconds)
    await chain.rpc('evm_mine')
  }
  let stopped = false
  const mine = async () => {
    while (!stopped) {
      await inTurn(() => chain.rpc('evm_mine'))
      await delay(blockMs)
    }
  }
  const mining = mine()
  return {
    /** Replaces the last blocks by empty ones; `share` of as many as there may be. */
    reorganise: (share: number) =>
      inTurn(async () => {
        const depth = 1 + Math.floor(share * depthMax)
        const before = await time()
        await chain.rpc('anvil_reorg', depth, [])
        // The chain's clock was set back with its blocks.
        await passUntil(before)
        await fund()
        faults.note('reorganisation')
      }),
    pass: (seconds: number) => inTurn(async () => passUntil((await time()) + seconds)),
    /** Lets the base fee jump to twenty times what transactions have offered so far. */
    jump: () =>
      inTurn(async () => {
        await chain.rpc('anvil_setNextBlockBaseFeePerGas', `0x${jumpWei.toString(16)}`)
        faults.note('base_fee_jump')
      }),
    faults: faults.counts,
    async stop() {
      stopped = true
      await mining
    },
  }
}
