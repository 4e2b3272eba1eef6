import { lstatSync, realpathSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { makeFolder } from './data-dir/make-folder.ts'
import { userCache } from './user-cache.ts'

const othersMayAny = 0o077
const othersMayWrite = 0o022
const sticky = 0o1000

/**
 * Lets Node keep the code that V8 compiles for this tool until its next start, in the cache of the user. Anybody who can write
 * there decides what this process does, so nobody else may be able to, and the system must report the owners of files. Node's own
 * `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` come first.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv = process.env): void {
  const uid = process.getuid?.()
  if (uid === undefined || env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE !== undefined) return
  try {
    const folder = path.resolve(userCache(env), 'nodectl', 'compiled')
    makeFolder(folder, 0o700)
    // Links are resolved once, so that the folder that is checked is the folder that is used.
    const real = realpathSync(folder)
    if (isPrivate(real, uid)) enableCompileCache(real)
  } catch {
    // A folder that cannot be made or looked at costs some milliseconds at each start, and nothing else.
  }
}

/** Whether nobody but a user, and the system's own, can write to a folder or put another in its place. */
export function isPrivate(folder: string, uid: number): boolean {
  const { uid: owner, mode } = lstatSync(folder)
  return owner === uid && (mode & othersMayAny) === 0 && isHeld(path.dirname(folder), uid)
}

/** Whether nobody else can rename what is in a folder, or the folder. In a sticky one only what is their own. */
function isHeld(folder: string, uid: number): boolean {
  const { uid: owner, mode } = lstatSync(folder)
  if (owner !== uid && owner !== 0) return false
  if ((mode & othersMayWrite) !== 0 && (mode & sticky) === 0) return false
  const parent = path.dirname(folder)
  return parent === folder || isHeld(parent, uid)
}
