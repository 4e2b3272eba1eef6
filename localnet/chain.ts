import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs'
import { AnvilError, startAnvil } from '../contracts/anvil.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { defaultNetworkParams } from '../protocol/identity/index.ts'
import { callOf } from '../scripts/command/call.ts'
import { historyBlocksOf, usualBlockSecs } from './chain-history.ts'
import { StartError } from './errors.ts'
import { pickPort, probePort } from './port.ts'

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
 * The contract of EIP-2935, which stores the hash of every block. Nothing of the network reads it, and the state of every
 * block would have 8,191 slots of it: half of the stored data, and nine tenths of the time that a block takes.
 */
const blockHashContract = '0x0000F90827F1C53a10cb7A02335B175320002935'

export interface ChainOptions {
  /** The end of the terminal, which would kill it before it has written its state, does not reach it then. */
  readonly detached?: boolean
  /** The command that begins without its state. */
  readonly startOver?: string
  /** The chain starts this many seconds before now, or where it was stopped later than that, and stays that far behind the machine until {@link catchUp}. */
  readonly pastSecs?: number
  /**
   * Seconds from one block to the next if there is no transaction. Transactions are mined at once. Blocks also come without
   * any, because rules that need a block after some time would otherwise wait for ever: each task waits for the block after
   * its committee agreed.
   */
  readonly blockSecs?: number
}

/**
 * Starts a chain that goes on where it was stopped: anvil writes its state when it is told to end. A new chain has a block 1
 * from the start, so nothing begins with block 0: anvil writes down one more of them each time it is stopped, and after the
 * next start any of these is the chain's.
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
    startOver = callOf('start', '--fresh'),
    pastSecs = 0,
    blockSecs = usualBlockSecs,
  }: ChainOptions = {},
): Promise<Chain> {
  const states = statesOf(file)
  try {
    // They are of no use to another process than the one that wrote them.
    rmSync(states, { recursive: true, force: true })
    const { url, ended, stop } = await startAnvil({
      port: port ?? (await choosePort(note)),
      history: { blocks: historyBlocksOf(defaultNetworkParams, blockSecs), folder: states },
      flags: [
        ...['--block-time', String(blockSecs), '--mixed-mining', '--state', file],
        ...(existsSync(file) ? goingOn(file, pastSecs) : beginning(pastSecs)),
      ],
      detached,
    })
    const [head] = await callBatch(url, [['eth_blockNumber'], ['anvil_setCode', blockHashContract, '0x']])
    if (Number(head) === 0) await callBatch(url, [['evm_mine']])
    return {
      url,
      id: 31337,
      ended,
      stop: async () => {
        await stop()
        rmSync(states, { recursive: true, force: true })
      },
    }
  } catch (error) {
    if (!(error instanceof AnvilError)) throw error
    const isDamaged = error.message.includes("for '--state")
    const hint = isDamaged ? ` ${startOver} starts with empty data.` : ''
    throw new StartError(error.message + hint)
  }
}

/** The folder of the states of older blocks while the chain runs. */
export const statesOf = (file: string): string => `${file.replace(/\.json$/, '')}-states`

/** Bytes of the state file that are read: more than stand before the accounts. */
const stateStartBytes = 1_024

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
 * Lets the chain go on as far ahead of the machine as its last block is: anvil does not keep that its time was moved, and the
 * next block would be older than its parent. Anvil is told as it starts, since a block may come before it takes calls.
 */
function goingOn(file: string, pastSecs: number): string[] {
  const start = Math.max(timeOfState(file), unixNow() - pastSecs)
  return pastSecs > 0 || start > unixNow() ? ['--timestamp', String(start)] : []
}

/** The time of the last block, which is at the start of the file; 0 for a file that anvil refuses, and says why. */
function timeOfState(file: string): number {
  let descriptor: number | null = null
  try {
    descriptor = openSync(file, 'r')
    const start = Buffer.alloc(stateStartBytes)
    readSync(descriptor, start)
    return Number(/"timestamp":"(0x[0-9a-f]+)"/.exec(start.toString('latin1'))?.[1] ?? 0)
  } catch {
    return 0
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
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

/** Null for the default port, or another one where the hub has that. */
export const chainPortBeside = async (hubPort: number): Promise<number | null> =>
  hubPort === defaultPort ? pickPort() : null

async function choosePort(note: (text: string) => void): Promise<number> {
  try {
    return await probePort(defaultPort)
  } catch {
    const other = await pickPort()
    note(`Port ${defaultPort} is in use; the chain is on ${other}`)
    return other
  }
}
