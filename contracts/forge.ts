/**
 * `npm run test:sol`: the fuzz and invariant tests in Solidity; arguments are passed on to `forge test`.
 *
 * forge is large and needed for nothing else, so it is not a dependency: it is installed on first use, into the folder that
 * FORGE_HOME names or one of the user's cache.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

const version = '1.7.1'
const root = path.resolve(import.meta.dirname, '..')

function forgeHome({ FORGE_HOME, XDG_CACHE_HOME } = process.env): string {
  if (FORGE_HOME) return path.resolve(FORGE_HOME)
  const cache =
    process.platform === 'darwin'
      ? path.join(homedir(), 'Library', 'Caches')
      : (XDG_CACHE_HOME ?? path.join(homedir(), '.cache'))
  return path.join(cache, 'foundry-rs', `forge-${version}`)
}

/** The native binary. Never the wrapper of the package, which answers 0 also when tests fail. */
function binaryIn(folder: string): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  return path.join(folder, 'node_modules', '@foundry-rs', `forge-${process.platform}-${arch}`, 'bin', 'forge')
}

/** Installed beside its place and then moved there whole, so that two at once, or one that is stopped, leave nothing half done. */
function install(home: string): void {
  console.error(`Installing forge ${version} into ${home} (once, about 80 MB) …`)
  mkdirSync(path.dirname(home), { recursive: true })
  const temporary = mkdtempSync(`${home}-installing-`)
  try {
    const flags = ['--prefix', temporary, '--ignore-scripts', '--no-audit', '--no-fund']
    const { status, error } = spawnSync('npm', ['install', ...flags, `@foundry-rs/forge@${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (error) throw error
    if (status !== 0 || !existsSync(binaryIn(temporary)))
      throw new Error(`npm did not install forge ${version} for ${process.platform} ${process.arch}.`)
    // Another one may have been faster, and be in use already.
    if (existsSync(binaryIn(home))) return
    rmSync(home, { recursive: true, force: true })
    renameSync(temporary, home)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** The binary of forge, installed when it is not there yet. */
export function ensureForge(): string {
  const home = forgeHome()
  if (!existsSync(binaryIn(home))) install(home)
  return binaryIn(home)
}

/** The environment in which forge reads the settings beside the contracts. */
export const forgeEnv = { FOUNDRY_CONFIG: 'contracts/foundry.toml' }

if (import.meta.main) {
  const { status, error } = spawnSync(ensureForge(), ['test', '--root', root, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...forgeEnv },
  })
  if (error) throw error
  process.exit(status ?? 1)
}
