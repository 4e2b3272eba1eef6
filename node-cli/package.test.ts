import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { filledAscHome, temporaryFolder } from '../testing/node/folders.ts'
import { dist } from '../testing/node/nodectl.ts'
import {
  npmMajor,
  type PackageCall,
  packageCalls,
  runProgram,
  strangersEnvironment,
} from '../testing/node/package-calls.ts'
import { packPackage } from '../testing/packages.ts'
import packageJson from './package.json' with { type: 'json' }
import { commandHelp } from './src/cli/help.ts'
import { commands } from './src/commands/index.ts'

/** Far from the repository, with a home and an npm cache of its own. */
const away = temporaryFolder()
const prefix = path.join(away, 'prefix')
const run = (file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
  runProgram(file, args, cwd, { ...strangersEnvironment(away), ...env })

let tarball: string
beforeAll(async () => {
  tarball = await packPackage('node-cli', away)
})
beforeAll(() => {
  const installed = run('npm', ['install', '-g', '--prefix', prefix, '--offline', tarball], away)
  if (installed.status !== 0) throw new Error(installed.stderr)
})

const nodectl = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  run(path.join(prefix, 'bin/nodectl'), args, away, env)

describe('the package', () => {
  test('is small, and installs nothing but itself', () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(readdirSync(path.join(prefix, 'lib/node_modules'))).toEqual(['@hub'])
    expect(readdirSync(path.join(prefix, 'lib/node_modules', packageJson.name)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ])
    expect(packageJson).not.toHaveProperty('dependencies')
    expect(Object.keys(packageJson.scripts).filter((name) => /install/.test(name))).toEqual([])
  })

  test('has the metadata and the README that a new user looks for', () => {
    expect(packageJson).toMatchObject({
      license: 'MIT',
      engines: { node: '>=22.13' },
      repository: { type: 'git', directory: 'node-cli' },
      homepage: expect.stringMatching(/^https:/),
    })
    expect(packageJson.keywords.length).toBeGreaterThan(5)
  })

  test('includes a manual page for each command, which man finds if npm is older than 12', () => {
    const pages = ['nodectl.1', ...Object.keys(commands).map((name) => `nodectl-${name}.1`)].sort()
    expect(packageJson.man.map((file) => path.basename(file)).sort()).toEqual(pages)
    const content = path.join(prefix, 'lib/node_modules', packageJson.name)
    for (const file of packageJson.man)
      expect(readFileSync(path.join(content, file), 'utf8')).toMatch(/^\.TH /m)
    if (npmMajor() < 12) expect(readdirSync(path.join(prefix, 'share/man/man1')).sort()).toEqual(pages)
  })
})

describe('installed for all users, without a network', () => {
  let calls: Readonly<Record<string, PackageCall>>
  beforeAll(() => {
    calls = packageCalls(path.join(away, 'work'), nodectl)
  })

  test('these tests call every command', () => {
    expect(Object.keys(calls).sort()).toEqual(Object.keys(commands).sort())
  })

  test.each(Object.keys(commands))('%s', (name) => {
    const [args, status, word] = calls[name]!
    const ran = nodectl([name, ...args], { NODE_ASC_HOME: filledAscHome() })
    expect([ran.status, ran.stdout], ran.stderr).toEqual([status, expect.stringContaining(word)])
  })

  test.each(['-v', '--version'])('%s prints the version', (flag) => {
    expect(nodectl([flag])).toEqual({ status: 0, stdout: '1.0.0\n', stderr: '' })
  })
})

describe('the manual pages', () => {
  const pages = packageJson.man.map((file) => path.basename(file))
  const page = (file: string) => readFileSync(path.join(dist, 'man', file), 'utf8')

  test.each(Object.keys(commands))(
    'the page of %s has every option and example of its help',
    async (name) => {
      const shown = page(`nodectl-${name}.1`).replaceAll('\\-', '-')
      const { default: command } = await commands[name]!.load()
      const help = commandHelp(name, commands[name]!.description, command)
      const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option!)
      expect(options.length).toBeGreaterThan(1)
      for (const option of options) expect(shown).toContain(option)
      for (const [line] of command.examples)
        expect(shown).toContain(`nodectl ${line.split(' ', 2).join(' ')}`)
    },
  )

  test.skipIf(spawnSync('groff', ['--version']).error !== undefined).each(pages)(
    '%s is clean roff',
    (file) => {
      const { status, stderr } = run(
        'groff',
        ['-man', '-ww', '-Tutf8', '-z', path.join(dist, 'man', file)],
        away,
      )
      expect([status, stderr]).toEqual([0, ''])
    },
  )
})
