import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { callBatch } from './json-rpc.ts'

/** A local chain, forgotten when it stops unless a flag names a file for it. */
export interface Anvil {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Settles when the process is gone, for whatever reason. */
  readonly ended: Promise<void>
  /** One JSON-RPC call. */
  readonly rpc: <T = unknown>(method: string, ...params: unknown[]) => Promise<T>
  /** Ends the process and returns when it is gone. */
  readonly stop: () => Promise<void>
}

/** Thrown when there is no chain to start, or it does not start. */
export class AnvilError extends Error {
  override readonly name = 'AnvilError'
}

const startLimitMs = 15_000

/**
 * Finds the native binary: the npm package of this platform, else the one on PATH; null when there is neither.
 *
 * The wrapper that npm links into `.bin` is never taken: it hides exit codes, and outlives or orphans the chain.
 */
export function findAnvil(): string | null {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const executable = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    return createRequire(import.meta.url).resolve(
      `@foundry-rs/anvil-${process.platform}-${arch}/bin/${executable}`,
    )
  } catch {
    return findOnPath(executable)
  }
}

/** States of blocks that are kept in memory where no other history is asked for. */
const usualHistoryBlocks = '128'

/**
 * Starts a chain.
 *
 * The number of stored states is always limited: by default anvil writes one file for every older block and never removes it.
 * The hardfork is pinned, because the default changes with the version.
 *
 * @param port 0 for any free one.
 * @param flags further flags, for example `--block-time 4 --mixed-mining`.
 * @throws {@link AnvilError}
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { port = 0, flags = [], history, detached = false } = options
  const binary = findAnvil()
  if (binary === null)
    throw new AnvilError(
      'The local chain (anvil) is not installed: there is no npm package for this platform, or optional ' +
        'dependencies were left out. Run "npm ci", or put anvil 1.7 on PATH (https://getfoundry.sh).',
    )
  const fixed = ['--port', String(port), '--hardfork', 'prague']
  const kept =
    history === undefined
      ? ['--prune-history', usualHistoryBlocks]
      : ['--max-persisted-states', String(history.blocks), '--cache-path', history.folder]
  const child = spawn(binary, [...fixed, ...kept, ...flags], { stdio: ['ignore', 'pipe', 'pipe'], detached })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  // Not SIGKILL, upon which nothing would be written of what the chain was told to keep.
  const endChild = () => void child.kill('SIGTERM')
  process.once('exit', endChild)
  const stop = async () => {
    endChild()
    await ended
    process.off('exit', endChild)
  }
  try {
    const opened = await readPort(child)
    const url = `http://127.0.0.1:${opened}`
    return {
      url,
      port: opened,
      pid: child.pid!,
      ended,
      rpc: async (method, ...params) => (await callBatch(url, [[method, ...params]]))[0] as never,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

export interface AnvilOptions {
  readonly port?: number
  readonly flags?: readonly string[]
  /** For longer than 128 blocks: of how many older ones the states lie in a folder, which the caller empties. */
  readonly history?: { readonly blocks: number; readonly folder: string }
  /** Whether it is out of reach of the terminal's signals, such as Ctrl-C. */
  readonly detached?: boolean
}

/** The port stands in the output, after everything else of the start. */
function readPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (reason: string) => reject(new AnvilError(`anvil ${reason}. ${output.trim()}`.trim()))
    const limit = setTimeout(() => fail(`did not start within ${startLimitMs / 1000} s`), startLimitMs)
    const read = (chunk: unknown) => {
      output = (output + String(chunk)).slice(-4_000)
      const port = /Listening on [\d.]+:(\d+)/.exec(output)?.[1]
      if (port) settle(() => resolve(Number(port)))
    }
    const settle = (then: () => void) => {
      clearTimeout(limit)
      child.stdout?.off('data', read)
      child.stderr?.off('data', read)
      // A pipe that nobody reads would stop the chain once it is full.
      child.stdout?.resume()
      child.stderr?.resume()
      then()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', (error) => settle(() => fail(`cannot be run: ${error.message}`)))
    child.once('close', (code, signal) => settle(() => fail(`ended at once (${code ?? signal})`)))
  })
}

function findOnPath(executable: string): string | null {
  const candidates = (process.env.PATH ?? '').split(path.delimiter).map((dir) => path.join(dir, executable))
  return candidates.find(isNative) ?? null
}

function isNative(file: string): boolean {
  if (file.includes(`${path.sep}node_modules${path.sep}.bin${path.sep}`)) return false
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
