import { homedir } from 'node:os'
import path from 'node:path'

/** The folder for what the user's programs can make again. */
export function userCache(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return env.LOCALAPPDATA ?? path.join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return path.join(homedir(), 'Library', 'Caches')
  return env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache')
}
