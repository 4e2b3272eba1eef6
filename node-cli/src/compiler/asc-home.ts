import { type ChildProcess, type ExecFileOptions, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { CliError } from '../cli/errors.ts'
import { tell } from '../cli/output.ts'
import { makeFolder } from '../data-dir/make-folder.ts'
import { userCache } from '../user-cache.ts'

/** The one compiler version: another one would give other bytes, and so other addresses. */
export const ascVersion = '0.28.20'

/** The folder of the compiler: `NODE_ASC_HOME`, else a folder of the user's cache. */
export function ascHome(env: NodeJS.ProcessEnv = process.env): string {
  if (env.NODE_ASC_HOME) return path.resolve(env.NODE_ASC_HOME)
  return path.join(userCache(env), 'nodectl', `asc-${ascVersion}`)
}

const temporaryPrefix = '.installing-'

/**
 * The folder of the installed compiler; installs it on first use. Processes that install at the same time use separate
 * folders; the first to finish gives its folder the final name. All happens inside `home`, which may be a separate volume.
 *
 * @throws {@link CliError} when npm or the network is missing, or the folder holds something else.
 */
export async function ensureAsc(home = ascHome()): Promise<string> {
  const installed = compilerIn(home)
  // Looked at before the version: what another process installs meanwhile is then taken for nothing foreign.
  const occupied = await isOccupied(home)
  if (await isVersion(installed)) return installed
  if (occupied)
    throw new CliError(
      'asc_home',
      `${home} does not hold AssemblyScript ${ascVersion}, and is not empty; remove it or name another folder in NODE_ASC_HOME`,
    )

  tell(`Installing AssemblyScript ${ascVersion} into ${home} (once, about 100 MB) …`)
  let temporary: string
  try {
    makeFolder(home)
    temporary = await mkdtemp(path.join(home, temporaryPrefix))
  } catch (error) {
    throw new CliError(
      'asc_home',
      `the compiler cannot be installed into ${home}: ${(error as Error).message}`,
    )
  }
  try {
    await runNpm(temporary)
    if (!(await isVersion(path.join(temporary, 'node_modules', 'assemblyscript'))))
      throw new CliError('asc_install', `npm did not install AssemblyScript ${ascVersion}`)
    const modules = path.join(home, 'node_modules')
    await rename(path.join(temporary, 'node_modules'), modules).catch(async (error) => {
      if (!(await isVersion(installed)))
        throw new CliError('asc_home', `${home} cannot be written: ${error.message}`)
    })
  } catch (error) {
    await clear(home, temporary)
    // This time nobody takes it, so that the caller sees a process that the signal ended.
    if (error instanceof Interrupted) process.kill(process.pid, error.signal)
    throw error
  }
  await clear(home, temporary)
  tell('Installed.')
  return installed
}

/** Removes the folder of an installation, and that of the compiler if a failed one leaves it empty. */
async function clear(home: string, temporary: string): Promise<void> {
  await rm(temporary, { recursive: true, force: true })
  await rmdir(home).catch(() => {})
}

const compilerIn = (home: string): string => path.join(home, 'node_modules', 'assemblyscript')

/** Whether {@link ensureAsc} would find the compiler there. */
export const isAscInstalled = (home: string): Promise<boolean> => isVersion(compilerIn(home))

async function isVersion(folder: string): Promise<boolean> {
  try {
    const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
      version: string
    }
    return version === ascVersion
  } catch {
    return false
  }
}

async function isOccupied(home: string): Promise<boolean> {
  const names = await readdir(home).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw new CliError('asc_home', `${home} cannot be used for the compiler: ${error.message}`)
  })
  return names.some((name) => !name.startsWith(temporaryPrefix))
}

/** Settings that say how the registry is reached. */
const reachSettings =
  /^npm_config_(registry|(https_?|http_)?proxy|noproxy|cafile|ca|cert|key|strict_ssl|userconfig|globalconfig|cache|fetch_.*|\/\/.*)$/i

/**
 * The environment for npm. A script of a package, or npx, has the settings of its caller in the environment, such as
 * `npm_config_global`; of these only those are passed on that say how the registry is reached.
 */
export const npmEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_config_/i.test(name) || reachSettings.test(name)),
  )

/** Thrown when a signal asks this process to end. */
class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`)
    this.signal = signal
  }
}

/**
 * Runs a program that reads nothing. A signal that would end this process ends the program first, so that its files can
 * be removed.
 *
 * @throws {@link Interrupted}, or what the program failed with.
 */
async function runProgram(program: string, args: readonly string[], options: ExecFileOptions): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let interrupted: Interrupted | null = null
  let child: ChildProcess | null = null
  const interrupt = (signal: NodeJS.Signals): void => {
    interrupted = new Interrupted(signal)
    child?.kill(signal)
  }
  for (const signal of signals) process.on(signal, interrupt)
  try {
    const running = promisify(execFile)(program, args, options)
    child = running.child
    const ended = once(child, 'close').catch(() => {})
    child.stdin?.end()
    await running.finally(() => ended)
  } catch (error) {
    throw interrupted ?? error
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
  if (interrupted !== null) throw interrupted
}

async function runNpm(folder: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  const args = [
    ...['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'],
    // Settings of the user's own files that would have npm do something else.
    ...['--no-global', '--no-dry-run', '--no-package-lock-only', '--include=prod'],
    ...['--install-strategy=hoisted', `assemblyscript@${ascVersion}`],
  ]
  try {
    const options = {
      env: npmEnvironment(process.env),
      shell: isWindows,
      maxBuffer: Number.POSITIVE_INFINITY,
    }
    await runProgram(isWindows ? 'npm.cmd' : 'npm', args, options)
  } catch (error) {
    if (error instanceof Interrupted) throw error
    const { code, stderr, syscall } = error as { code: unknown; stderr: string; syscall?: string }
    // A program that was not started has no exit code.
    if (typeof code === 'string' && !syscall?.startsWith('spawn')) throw error
    if (typeof code === 'string')
      throw new CliError(
        'npm_missing',
        'npm was not found; it comes with Node.js and is needed once, to install the compiler',
      )
    throw new CliError(
      'asc_install',
      `npm could not install AssemblyScript ${ascVersion} (is the network reachable?); install it yourself with: npm install --prefix <DIR> assemblyscript@${ascVersion}, and set NODE_ASC_HOME=<DIR>`,
      { output: stderr.trim() },
    )
  }
}
