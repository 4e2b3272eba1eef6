import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'

export interface Anvil {
  url: string
  rpc: <T = unknown>(method: string, ...params: unknown[]) => Promise<T>
  stop: () => Promise<void>
}

/** Whether this machine has the chain at all; tests that need one are skipped elsewhere. */
export const hasAnvil = process.platform === 'linux' && process.arch === 'x64'

/** Starts a chain of its own on a free port, forgotten at the end. */
export async function startAnvil(flags: readonly string[] = []): Promise<Anvil> {
  const binary = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  const child = spawn(binary, ['--port', '0', '--prune-history', '128', '--hardfork', 'prague', ...flags])
  const url = `http://127.0.0.1:${await listening(child)}`
  return {
    url,
    rpc: (method, ...params) => rpc(url, method, params),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill()
      }),
  }
}

async function rpc<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

const listening = (child: ChildProcess) =>
  new Promise<number>((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      const found = /Listening on 127\.0\.0\.1:(\d+)/.exec(String(text))
      if (found) resolve(Number(found[1]))
    })
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`anvil ended with ${code}`)))
  })
