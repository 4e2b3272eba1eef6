import { existsSync } from 'node:fs'
import { AnvilError, startAnvil } from '../contracts/anvil.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { StartError } from './errors.ts'
import { probePort } from './port.ts'

/** The chain that a local network runs on. */
export interface Chain {
  readonly url: string
  readonly id: number
  /** Settles when the process of the chain is gone; never for a chain that was not started here. */
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

const defaultPort = 8545

/**
 * Transactions are mined at once. Blocks come without any too, because rules that ask for a block after some time would
 * wait for ever else: each task waits for the one after its committee agreed. No more often, because the chain gets slower
 * with its height: mining a block takes 6 ms at 4,000 of them, and after a day on end, at 21,600, some 30 ms and 38 MB of
 * state.
 */
const usualBlockSecs = 4

export interface ChainOptions {
  /** The end of the terminal, which would kill it before it has written its state, does not reach it then. */
  readonly detached?: boolean
  /** The command that begins without its state. */
  readonly startOver?: string
  /** A new chain begins so long ago, and stays so far behind the machine until {@link catchUp}. */
  readonly pastSecs?: number
  /** From one block to the next where there is no transaction. */
  readonly blockSecs?: number
}

/**
 * Starts a chain that goes on where it was stopped: anvil writes its state when it is told to end.
 *
 * @param file where its state is kept.
 * @param port a free one; null for the default one, or any other when that is taken.
 * @throws {@link StartError}
 */
export async function startChain(
  file: string,
  port: number | null,
  note: (text: string) => void,
  {
    detached = false,
    startOver = 'npm start -- --fresh',
    pastSecs = 0,
    blockSecs = usualBlockSecs,
  }: ChainOptions = {},
): Promise<Chain> {
  try {
    const { url, ended, stop } = await startAnvil({
      port: port ?? (await choosePort(note)),
      flags: [
        ...['--block-time', String(blockSecs), '--mixed-mining', '--state', file],
        // Validators ask for what was staked as of the beacon block, which may have come before the chain was stopped.
        '--preserve-historical-states',
        ...(existsSync(file) ? [] : beginning(pastSecs)),
      ],
      detached,
    })
    await keepLead(url)
    return { url, id: 31337, ended, stop }
  } catch (error) {
    if (!(error instanceof AnvilError)) throw error
    const isDamaged = error.message.includes("for '--state")
    const hint = isDamaged ? ` ${startOver} begins with empty data.` : ''
    throw new StartError(error.message + hint)
  }
}

const beginning = (pastSecs: number): string[] => ['--timestamp', String(unixNow() - pastSecs)]

const unixNow = (): number => Math.floor(Date.now() / 1000)

/** Blocks that stand for the time that a chain catches up with, the fewer the faster. */
const caughtUpBlocks = 24

/** Mines up to the time of the machine, where the chain is behind it. */
export async function catchUp(url: string): Promise<void> {
  const behind = unixNow() - (await mineOne(url))
  if (behind <= 0) return
  const secondsEach = Math.floor(behind / caughtUpBlocks)
  await callBatch(url, [
    ['anvil_mine', caughtUpBlocks, secondsEach],
    ['evm_increaseTime', behind - secondsEach * caughtUpBlocks],
    ['evm_mine'],
  ])
}

/** @returns Its time. */
async function mineOne(url: string): Promise<number> {
  const [, head] = await callBatch(url, [['evm_mine'], ['eth_getBlockByNumber', 'latest', false]])
  return Number((head as { timestamp: string }).timestamp)
}

/**
 * Lets the chain be as far ahead of the machine as its last block is. After a restart anvil knows no more that its time was
 * moved, and the next block would be older than its parent.
 */
async function keepLead(url: string): Promise<void> {
  const [head] = await callBatch(url, [['eth_getBlockByNumber', 'latest', false]])
  const lead = Number((head as { timestamp: string }).timestamp) - unixNow()
  if (lead > 0) await callBatch(url, [['evm_increaseTime', lead]])
}

/** @throws {@link StartError} when no chain answers there. */
export async function reachChain(url: string): Promise<Chain> {
  try {
    const [id] = await callBatch(url, [['eth_chainId']])
    return { url, id: Number(id), ended: new Promise(() => {}), stop: async () => {} }
  } catch (error) {
    const { cause, message } = error as Error
    throw new StartError(`No chain answers at ${url}: ${cause instanceof Error ? cause.message : message}`)
  }
}

async function choosePort(note: (text: string) => void): Promise<number> {
  try {
    return await probePort(defaultPort)
  } catch {
    const other = await probePort(0)
    note(`Port ${defaultPort} is in use; the chain is on ${other}`)
    return other
  }
}
