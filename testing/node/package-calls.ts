import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Fills a compiler folder from the project's own copy. @returns It. */
export function fillAscHome(home: string): string {
  mkdirSync(home)
  symlinkSync(path.join(root, 'node_modules'), path.join(home, 'node_modules'))
  return home
}

/** The outcome of a program. */
export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Arguments of a command, and its exit code and a word of its output. */
export type PackageCall = readonly [args: readonly string[], status: number, word: string]

/** An environment without the user's own: a home and an npm cache in `folder`. */
export const strangersEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: path.join(folder, 'home'),
  npm_config_cache: path.join(folder, 'npm-cache'),
  npm_config_userconfig: path.join(folder, 'npmrc'),
})

export function runProgram(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Ran {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8', env })
  return { status, stdout, stderr }
}

/** The major version of the npm of this machine, which is that of its user. */
export const npmMajor = (): number =>
  Number(spawnSync('npm', ['--version'], { encoding: 'utf8' }).stdout.split('.')[0])

/**
 * A call of each command, which needs no network; a key is made by the first.
 *
 * @param folder where they work.
 * @param nodectl makes the receipt that one of them verifies.
 */
export function packageCalls(
  folder: string,
  nodectl: (args: readonly string[]) => Ran,
): Readonly<Record<string, PackageCall>> {
  const [data, hello, echo, receipt] = ['node', 'hello.ts', 'echo.hbc', 'receipt.json'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string]
  mkdirSync(folder, { recursive: true })
  writeFileSync(hello, 'export function greet(name: string): string { return "Hello, " + name }\n')
  writeFileSync(echo, echoArtifact().bytes)
  writeFileSync(receipt, nodectl(['run', echo, 'echo', '--input', '{}']).stdout)
  const nobody = ['--data-dir', data, '--hub-url', 'http://127.0.0.1:9', '--json']
  return {
    keygen: [['--data-dir', data], 0, 'node_id'],
    id: [['--data-dir', data], 0, 'public_key'],
    compile: [[hello], 0, 'manifest_address'],
    dev: [[hello, '--once'], 0, 'greet("") = "Hello, "'],
    run: [[echo, 'echo', '--input', '{}'], 0, 'receipt_hash'],
    verify: [[receipt, echo, '--input', '{}'], 0, '"holds": true'],
    inspect: [[echo], 0, 'abi_valid'],
    serve: [['--bind', '0.0.0.0:0', '--data-dir', data, '--json'], 1, 'NODE_API_TOKEN is not set'],
    bind: [[...nobody, '--owner', `0x${'11'.repeat(20)}`], 1, 'no hub answers on http://127.0.0.1:9'],
    unbind: [nobody, 1, 'no hub answers'],
    register: [nobody, 1, 'no hub answers'],
    status: [['--url', 'http://127.0.0.1:9', '--json'], 1, 'no node answers on http://127.0.0.1:9'],
    why: [nobody, 1, 'no hub answers'],
    earnings: [nobody, 1, 'no hub answers'],
    claim: [nobody, 1, 'no hub answers'],
    doctor: [['--data-dir', data, '--bind', '127.0.0.1:0'], 0, 'native and pulley: the known receipt'],
    service: [['print', 'systemd'], 0, 'bin/nodectl serve'],
    conform: [['hub', '--hub-url', 'http://127.0.0.1:9', '--json'], 1, 'no hub answers'],
    help: [['serve'], 0, '--hub-url <URL>'],
    completion: [['bash'], 0, 'complete -o filenames -F _nodectl nodectl'],
  }
}
