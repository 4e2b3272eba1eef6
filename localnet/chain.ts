import { existsSync, readFileSync } from 'node:fs'
import { AnvilError, startAnvil } from '../contracts/anvil.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import { probePort } from './port.ts'
import { StartError, setAside } from './state.ts'

/** The chain that a local network runs on. */
export interface Chain {
  readonly url: string
  readonly id: number
  /** Settles when the chain is gone although nobody stopped it; never for a chain of somebody else. */
  readonly ended: Promise<void>
  readonly stop: () => Promise<void>
}

/** Taken when nobody names another. */
const usualPort = 8545

/**
 * Transactions are mined at once. Blocks come without any too, because rules that ask for a block after some time would
 * wait for ever else; not often, because the chain gets slower with its height.
 */
const miningFlags = ['--block-time', '12', '--mixed-mining']
/** What a chain that is killed can forget. It writes all of itself each time, megabytes after some days, so not more often. */
const saveSeconds = '60'

/**
 * Starts a chain that goes on where it was stopped.
 *
 * @param file what it keeps of itself.
 * @param port a free one; null for the usual one, or any other when that is taken.
 * @throws {@link StartError}
 */
export async function startChain(
  file: string,
  port: number | null,
  note: (text: string) => void,
): Promise<Chain> {
  if (existsSync(file) && !isWhole(file))
    note(`The chain was not written completely when it ended; it is set aside in ${setAside(file)}`)
  try {
    const anvil = await startAnvil({
      port: port ?? (await choosePort(note)),
      flags: [...miningFlags, '--state', file, '--state-interval', saveSeconds],
    })
    return { url: anvil.url, id: 31337, ended: anvil.ended, stop: anvil.stop }
  } catch (error) {
    if (error instanceof AnvilError) throw new StartError(error.message)
    throw error
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

/** Whether the file holds everything that was to be written: it ends where its first brace is closed. */
function isWhole(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}

async function choosePort(note: (text: string) => void): Promise<number> {
  try {
    return await probePort(usualPort)
  } catch {
    const other = await probePort(0)
    note(`Port ${usualPort} is in use; the chain is on ${other}`)
    return other
  }
}
