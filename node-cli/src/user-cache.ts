import { homedir } from 'node:os'
import path from 'node:path'

/** The folder for what the user's programs can make again. */
export function userCache(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return env.LOCALAPPDATA ?? path.join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return path.join(homedir(), 'Library', 'Caches')
  // An empty variable counts as none, and a relative path has to be ignored (XDG Base Directory Specification).
  const named = env.XDG_CACHE_HOME ?? ''
  return path.isAbsolute(named) ? named : path.join(homedir(), '.cache')
}
