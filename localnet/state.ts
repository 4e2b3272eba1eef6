import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Where the local network keeps its data; `LOCALNET_DIR` names another place. */
export const stateFolder = process.env.LOCALNET_DIR ?? '.localnet'

/** Thrown with a message that is meant for the person at the keyboard. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/**
 * Takes the state folder for this process; two hubs on one database would corrupt it.
 *
 * @returns Gives it back.
 * @throws {@link StartError} while another process has it.
 */
export function lockState(): () => void {
  mkdirSync(stateFolder, { recursive: true })
  const file = path.join(stateFolder, 'pid')
  const owner = existsSync(file) ? Number(readFileSync(file, 'utf8')) : null
  if (owner !== null && owner > 0 && isAlive(owner))
    throw new StartError(
      `The local network is running already (process ${owner}); stop it first: kill ${owner}`,
    )
  writeFileSync(file, String(process.pid))
  return () => rmSync(file, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Forgets databases, objects and secrets. */
export function clearState(): void {
  for (const name of ['storage', 'hub-secret'])
    rmSync(path.join(stateFolder, name), { recursive: true, force: true })
}

/** The secret of this local network, made at its first start. */
export function readHubSecret(): string {
  const file = path.join(stateFolder, 'hub-secret')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}
