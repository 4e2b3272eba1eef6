import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import packageJson from './package.json' with { type: 'json' }

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const needed = { [packageJson.name]: `^${packageJson.version}` }

/** Runs the command in a folder with these files of JSON. */
function hubIn(name: string, given: Readonly<Record<string, object>>, ...args: string[]) {
  const cwd = path.join(folder, name)
  mkdirSync(cwd)
  for (const [file, value] of Object.entries(given))
    writeFileSync(path.join(cwd, file), JSON.stringify(value))
  return new Promise<{ code: unknown; stderr: string; files: string[] }>((resolve) =>
    execFile(process.execPath, [path.resolve('create/hub.ts'), ...args], { cwd }, (error, _, stderr) =>
      resolve({ code: error?.code ?? 0, stderr, files: readdirSync(cwd) }),
    ),
  )
}

test.each(['dependencies', 'devDependencies'])(
  'in a project that has the package in its %s, an unknown command is refused and makes no folder',
  async (member) => {
    const project = { 'manifest.json': {}, 'package.json': { [member]: needed } }
    const { code, stderr, files } = await hubIn(`project-${member}`, project, 'bogus')
    expect(stderr).toBe(
      'Error: Unknown command "bogus". The commands in the folder of a project are dev, test, publish, task, faucet, operator.\n',
    )
    expect([code, files.sort()]).toEqual([2, ['manifest.json', 'package.json']])
  },
)

test.each([
  ['without package.json', {}],
  ['of another package', { 'manifest.json': {}, 'package.json': { dependencies: { other: '1.0.0' } } }],
  ['where the package is only installed', { 'package.json': { dependencies: needed } }],
])('in a folder %s, a name that is no command is the folder of a new project', async (name, given) => {
  // The name of no project, so that the answer does not depend on the files of the package, which only its build has.
  const { code, stderr } = await hubIn(name, given, 'My Project')
  expect(stderr).toContain('"My Project" cannot be the name of a project')
  expect(code).toBe(2)
})

test.each(['ab', 'my-project-', 'a'.repeat(49)])(
  'the rules for names are said of the name %s',
  async (name) => {
    const { code, stderr } = await hubIn(`named-${name}`, {}, name)
    expect(stderr).toBe(
      `Error: "${name}" cannot be the name of a project: use 3 to 48 of a-z, 0-9 and hyphens, with no hyphen at either end, such as my-project.\n`,
    )
    expect(code).toBe(2)
  },
)

test('a folder that cannot be made is named, without a stack', async () => {
  symlinkSync('nowhere/at-all', path.join(folder, 'my-project'))
  const { code, stderr } = await hubIn('refused', {}, '../my-project')
  expect(stderr).toMatch(/^Error: The project cannot be written: ENOENT: .*my-project'\.\n$/)
  expect(code).toBe(1)
})
