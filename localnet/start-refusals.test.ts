import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { npmMajor } from '../testing/node/package-calls.ts'
import { freePorts, NpmStart } from '../testing/npm-start.ts'

const npmStart = new NpmStart()
afterAll(() => npmStart.clear())

describe('npm start refuses', () => {
  test.each([
    [
      'a port in use',
      async () => ['--port', String(await occupied())],
      /is in use by another program\. Choose another one: LOCALNET_DIR=\S+ npm start -- --port \d+/,
    ],
    [
      'a port of the chain in use',
      async () => ['--chain-port', String(await occupied()), '--port', '0', '--no-sample'],
      /is in use by another program\. Choose another one: .*npm start -- --port 0 --no-sample --chain-port \d+/,
    ],
    [
      'a chain that does not answer',
      async () => ['--port', '0', '--rpc', `http://127.0.0.1:${(await freePorts()).chain}`],
      /No chain answers at http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    ],
  ])('%s, with exit code 1', async (_, args, message) => {
    expect(await npmStart.run(await args()).exit).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message),
    })
  })

  test('an unknown flag, with exit code 2', async () => {
    const ended = await npmStart.run(['--prot', '1'], { through: 'start.ts' }).exit
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/--prot.*[\s\S]*Usage: npm start/) })
  })

  test('an option that npm took, and npm 12 refuses it itself', async () => {
    const ended = await npmStart.run(['--fresh'], { through: 'npm, without --' }).exit
    const [code, message] =
      npmMajor() < 12 ? [2, /as in: npm start -- --fresh/] : [1, /Unknown cli flag:\n.* --fresh/]
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(message) })
  })

  test('a port at which another program answers at the IPv6 address of localhost', async () => {
    const port = await occupied('::1')
    if (port === null) return
    expect(await npmStart.run(['--port', String(port)]).exit).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Port ${port} is in use by another program.`),
    })
  })

  test('a port in use before --fresh deletes anything', async () => {
    const kept = path.join(npmStart.folder, 'kept')
    mkdirSync(kept, { recursive: true })
    writeFileSync(path.join(kept, 'chain.json'), '{}')
    const args = ['--fresh', '--port', String(await occupied())]
    expect(await npmStart.run(args, { env: { LOCALNET_DIR: kept } }).exit).toMatchObject({ code: 1 })
    expect(existsSync(path.join(kept, 'chain.json'))).toBe(true)
  })

  test('a path that is not a folder, with the error of the system', async () => {
    const plain = path.join(npmStart.folder, 'file')
    mkdirSync(npmStart.folder, { recursive: true })
    writeFileSync(plain, '')
    for (const [folder, message] of [
      ['', 'LOCALNET_DIR is empty. Name a folder in it, or unset it.'],
      [plain, `The folder ${plain}/ cannot be used: EEXIST`],
      [path.join(plain, 'below'), 'cannot be used: ENOTDIR'],
    ] as const) {
      const ended = await npmStart.run([], { env: { LOCALNET_DIR: folder } }).exit
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
    }
  })

  test('nothing when it is asked for help', async () => {
    const { code, stdout } = await npmStart.run(['--help']).exit
    expect([code, stdout]).toEqual([0, expect.stringContaining('npm start -- --port 9000 --fresh')])
  })
})

/** Null on a machine that lacks the address. */
async function occupied(host = '127.0.0.1'): Promise<number | null> {
  const server = createServer()
  const port = await new Promise<number | null>((resolve) => {
    server.once('error', () => resolve(null))
    server.listen(0, host, () => resolve((server.address() as { port: number }).port))
  })
  server.unref()
  return port
}
