import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { echoArtifact } from '../protocol/hbc/testing/artifacts.ts'
import { temporaryFolder } from '../testing/node/folders.ts'
import { failedWith, nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { withDataDir } from './src/data-dir/lock.ts'

const freshDir = () => path.join(temporaryFolder(), 'node')
/** A directory that is there, with files in it. */
const dirWith = (files: Readonly<Record<string, string>> = {}): string => {
  const dir = freshDir()
  mkdirSync(dir)
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(dir, name), text, { mode: 0o600 })
  return dir
}
const keygen = (dir: string) => nodectlHere(['keygen', '--data-dir', dir])
/** The same in a process of its own. */
const keygenAlone = (dir: string) => nodectl(['keygen', '--data-dir', dir])
/** Uses every file of a data directory. */
const run = async (dir: string) => {
  const file = path.join(temporaryFolder(), 'echo.hbc')
  writeFileSync(file, echoArtifact().bytes)
  return nodectlHere(['run', file, 'echo', '--input', '{}', '--data-dir', dir])
}
const id = (dir: string) => nodectlHere(['id', '--data-dir', dir])

describe('keygen and id', () => {
  test('make a key that only its owner can read, and always show the same identity', async () => {
    const dir = freshDir()
    const made = await keygenAlone(dir)
    expect([made.code, made.stderr]).toEqual([0, ''])
    const file = path.join(dir, 'node.key')
    expect(JSON.parse(made.stdout)).toEqual({
      key_file: file,
      node_id: expect.stringMatching(/^node-[0-9a-f]{16}$/),
      public_key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual(['node.key', 'nodectl.lock'])
    expect(await nodectl(['id', '--data-dir', dir])).toEqual(made)
    expect(await keygenAlone(dir)).toEqual(made)
  })

  test('--profile names another network: the directory remembers it, and receipts are for it alone', async () => {
    const dir = freshDir()
    const profile = path.join(temporaryFolder(), 'hub.json')
    writeFileSync(
      profile,
      JSON.stringify({ network: 'acme', profile: { prefix: 'acme', node_id_prefix: 'worker-' } }),
    )
    const made = await nodectlHere(['keygen', '--data-dir', dir, '--profile', profile])
    expect(JSON.parse(made.stdout).node_id).toMatch(/^worker-[0-9a-f]{16}$/)
    expect(await id(dir)).toEqual(made)
    const [receipt, module] = [path.join(dir, 'receipt.json'), path.join(dir, 'echo.hbc')]
    writeFileSync(module, echoArtifact().bytes)
    const ran = await nodectlHere(['run', module, 'echo', '--input', '1', '--data-dir', dir])
    writeFileSync(receipt, ran.stdout)
    const verify = (env: NodeJS.ProcessEnv) =>
      nodectlHere(['verify', receipt, module, '--input', '1'], { env })
    expect(JSON.parse((await verify({ NODE_PROFILE: profile })).stdout)).toMatchObject({ holds: true })
    expect(JSON.parse((await verify({})).stdout).problems).toEqual(['the signature does not verify'])
  })

  test('an invalid profile is refused, and the error names its member', async () => {
    const dir = dirWith({ 'hub.json': '{"prefix":"A"}' })
    const profile = path.join(dir, 'hub.json')
    expect(await nodectlHere(['keygen', '--data-dir', dir, '--profile', profile])).toEqual(
      failedWith(
        expect.stringMatching(/^Error: the profile .*hub\.json is wrong: prefix must be 1 to 32 of a-z/),
      ),
    )
    expect(readdirSync(dir)).toEqual(['hub.json'])
  })

  test('a known seed has its known identity', async () => {
    const dir = dirWith({ 'node.key': `${'11'.repeat(32)}\n` })
    expect(JSON.parse((await id(dir)).stdout)).toMatchObject({
      public_key: '0xd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
    })
  })

  test('concurrent calls never replace the key of another call', async () => {
    const dir = freshDir()
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => keygenAlone(dir)))
    const done = outcomes.filter(({ code }) => code === 0)
    expect(done.length).toBeGreaterThanOrEqual(1)
    expect(new Set(done.map(({ stdout }) => stdout))).toEqual(new Set([(await id(dir)).stdout]))
    for (const { code, stderr } of outcomes)
      if (code !== 0)
        expect([code, stderr]).toEqual([1, expect.stringMatching(/is in use by (another )?process/)])
    expect(readdirSync(dir)).toEqual(['node.key', 'nodectl.lock'])
  })

  test('a data directory in use is refused, naming the process', async () => {
    const dir = freshDir()
    const refused = await withDataDir(dir, () => keygenAlone(dir))
    expect(refused).toEqual(
      failedWith(`Error: the data directory ${dir} is in use by process ${process.pid}\n`),
    )
    expect((await keygen(dir)).code).toBe(0)
  })

  test.each(['', '999999999', String(process.pid), '1'])(
    'files left by a crash do not block the next call: a lock, and a pid file of %j',
    async (pid) => {
      const dir = dirWith({ 'nodectl.lock': '', 'nodectl.pid': pid })
      const { code, stderr } = await keygen(dir)
      expect([code, stderr]).toEqual([0, ''])
      expect(readdirSync(dir)).toEqual(['node.key', 'nodectl.lock'])
    },
  )

  describe('leave other files unchanged', () => {
    const precious = 'precious\n'

    test('even files that other programs name lock and pid', async () => {
      const dir = dirWith({ lock: precious, pid: precious })
      expect((await keygen(dir)).code).toBe(0)
      for (const name of ['lock', 'pid']) expect(readFileSync(path.join(dir, name), 'utf8')).toBe(precious)
    })

    test.each([
      ['nodectl.lock', 'is not the lock of a data directory: such a file is empty'],
      ['nodectl.pid', 'holds something else than the id of a process'],
    ])('%s with other content', async (name, problem) => {
      const dir = dirWith({ [name]: precious })
      const file = path.join(dir, name)
      expect(await keygen(dir)).toEqual(
        failedWith(
          `Error: the data directory ${dir} cannot be used: ${file} ${problem}\nMove that file away, or name another directory.\n`,
        ),
      )
      expect(readFileSync(file, 'utf8')).toBe(precious)
      expect(existsSync(path.join(dir, 'node.key'))).toBe(false)
    })

    describe
      .skipIf(process.platform === 'win32')
      .each(['nodectl.lock', 'nodectl.pid', 'node.key', 'node.sqlite'])('%s', (name) => {
      test('behind a symbolic link', async () => {
        const dir = dirWith()
        const [link, target, missing] = [name, 'target', 'missing'].map((one) => path.join(dir, one)) as [
          string,
          string,
          string,
        ]
        for (const content of ['', '1', `${'11'.repeat(32)}\n`]) {
          writeFileSync(target, content, { mode: 0o600 })
          for (const to of [target, missing]) {
            symlinkSync(to, link)
            expect(await run(dir)).toEqual(failedWith(expect.stringContaining(`${link} is a symbolic link`)))
            expect([readFileSync(target, 'utf8'), existsSync(missing)]).toEqual([content, false])
            rmSync(link)
          }
        }
      })

      test('that is a pipe, without waiting for a writer', async () => {
        const pipe = path.join(dirWith(), name)
        spawnSync('mkfifo', ['-m', '600', pipe])
        expect(await run(path.dirname(pipe))).toEqual(
          failedWith(expect.stringContaining(`${pipe} is not a regular file`)),
        )
        expect(statSync(pipe).isFIFO()).toBe(true)
      })
    })
  })

  test('id without a key says how to make one', async () => {
    const dir = freshDir()
    expect(await id(dir)).toEqual(
      failedWith(`Error: no node key in ${dir}; create one with: nodectl keygen --data-dir ${dir}\n`),
    )
    expect(existsSync(dir)).toBe(false)
  })

  test('a key that others can read is refused with what mends it', async () => {
    const dir = freshDir()
    await keygen(dir)
    const file = path.join(dir, 'node.key')
    chmodSync(file, 0o644)
    for (const outcome of [await id(dir), await keygen(dir)])
      expect(outcome).toEqual(
        failedWith(`Error: others can read the node key ${file}; mend it with: chmod 600 ${file}\n`),
      )
  })

  test('the commands that mend something can be copied, also if a path has a space', async () => {
    const dir = path.join(freshDir(), 'Application Support')
    expect((await id(dir)).stderr).toContain(`create one with: nodectl keygen --data-dir '${dir}'\n`)
    await keygen(dir)
    chmodSync(path.join(dir, 'node.key'), 0o644)
    expect((await id(dir)).stderr).toContain(`mend it with: chmod 600 '${path.join(dir, 'node.key')}'\n`)
  })

  test('a file that is not a key is never overwritten', async () => {
    const dir = dirWith({ 'node.key': 'precious' })
    expect((await keygen(dir)).code).toBe(1)
    expect(readFileSync(path.join(dir, 'node.key'), 'utf8')).toBe('precious')
  })

  test.skipIf(!existsSync('/proc/self'))(
    'a directory where the system allows none is refused at once',
    async () => {
      for (const dir of ['/proc/node', '/proc/a/node'])
        expect(await keygen(dir)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`Error: the data directory ${dir} cannot be used: ENOENT`),
        })
    },
  )

  test('a directory that cannot be created is an error, not a bug', async () => {
    const file = path.join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    const dir = path.join(file, 'node')
    expect(await keygen(dir)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Error: the data directory ${dir} cannot be used`),
    })
  })
})
