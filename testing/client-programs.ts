import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, test } from 'vitest'
import { privateKeys } from '../localnet/private-keys.ts'
import { resolveProfile } from '../protocol/identity/index.ts'
import { openBrowser, testBrowserPath } from '../scripts/browser.ts'
import { readNetwork } from '../scripts/hub/network.ts'
import { signIn } from '../scripts/hub/wallet.ts'
import { convertV4MiniflareOptions, Miniflare } from '../scripts/miniflare.ts'
import { ownEnvironment, readmeProgram } from './client-package.ts'
import { filledAscHome } from './node/folders.ts'
import { pageBlocks, pageProgram, referenceSamples, saidOutput } from './page-samples.ts'
import { otherGivens, rewardGivens } from './reference/index.ts'

const run = promisify(execFile)
const name = `@${resolveProfile().prefix}/client`
const [input, output] = [{ hello: 'world' }, '{"hello":"world"}']

/** The webhook that a reader's server passes to the last part of the README. */
const webhook = `
const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': process.env.WEBHOOK_TIME, 'webhook-signature': process.env.WEBHOOK_SIGNATURE }
await receive(new Request('http://me.test', { method: 'POST', headers, body: '{"type":"round.finalized"}' }))
console.log(JSON.stringify(task))
`

/** Reads what a page or a Worker reads first, and checks a receipt there. */
const smallProgram = `
import { createHub } from '${name}'

globalThis.checkReceipt = async (url, receipt_hash) => {
  const hub = createHub({ url })
  const { time } = await hub.call('GET /v1/status')
  const receipt = await hub.call('GET /v1/explorer/receipts/{receipt_hash}', { path: { receipt_hash } })
  return { isTime: time > 0, ...(await hub.verifyReceipt(receipt, { receipt_hash })) }
}
`

/**
 * Runs programs of strangers against a local network with its sample project and nodes.
 *
 * @param hub its origin.
 * @param clientProject the folder of a project that has installed the client.
 */
export function testClientPrograms(hub: () => string, clientProject: () => string): void {
  describe('third-party programs', () => {
    let project: string
    let receiptHash: string
    let roundId: string
    beforeAll(() => {
      project = clientProject()
    })

    const bundle = async (format: 'esm' | 'iife', tail = '') => {
      const stdin = { contents: smallProgram + tail, resolveDir: project }
      const { outputFiles } = await build({ stdin, bundle: true, format, platform: 'browser', write: false })
      return outputFiles[0]!.text
    }
    const verified = () => ({
      isTime: true,
      holds: true,
      problems: [],
      checked: ['receipt_hash', 'signatures'],
      signers: [expect.objectContaining({ isExpected: false })],
      receipt_hash: receiptHash,
    })

    test('all programs of the README print what it says, on the Node.js of this machine', async () => {
      const readme = readmeProgram('js')
      const said = saidOutput(readme)
      const now = new Date()
      const WEBHOOK_SECRET = `whsec_${btoa('a secret of the endpoint')}`
      const env = ownEnvironment({
        HUB_URL: hub(),
        WEBHOOK_SECRET,
        WEBHOOK_TIME: String(Math.floor(now.getTime() / 1_000)),
        WEBHOOK_SIGNATURE: new Webhook(WEBHOOK_SECRET).sign('msg_1', now, '{"type":"round.finalized"}'),
      })
      writeFileSync(path.join(project, 'program.js'), readme + webhook)
      const { stdout } = await run('node', ['program.js'], { cwd: project, env })
      const lines = stdout.trim().split('\n')
      const task = JSON.parse(lines.pop() ?? '')
      // The function that takes webhooks is in the page before it is called.
      expect([...lines].sort()).toEqual([...said].sort())
      expect(task).toMatchObject({ status: 'finalized', success: true, output })
      receiptHash = task.receipt_hash
      roundId = task.round_id
    })

    test('the same modules verify the receipt in a Worker', async () => {
      const script = await bundle(
        'esm',
        'export default { fetch: async (request, env) => Response.json(await checkReceipt(env.HUB, env.RECEIPT)) }',
      )
      const worker = new Miniflare(
        convertV4MiniflareOptions({
          name: 'client',
          cf: false,
          compatibilityDate: '2026-01-01',
          modules: [{ type: 'ESModule', path: 'client.mjs', contents: script }],
          bindings: { HUB: hub(), RECEIPT: receiptHash },
        }),
      )
      try {
        expect(await (await worker.dispatchFetch('http://worker.test/')).json()).toEqual(verified())
      } finally {
        await worker.dispose()
      }
    })

    test.skipIf(testBrowserPath() === undefined)(
      'the same modules verify the receipt in a browser',
      async () => {
        // A page that is served from this machine may call a hub on it.
        const site = createServer((_, response) =>
          response.setHeader('Content-Type', 'text/html').end(),
        ).listen(0)
        const browser = await openBrowser(testBrowserPath()!)
        try {
          const page = await browser.newPage()
          await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
          await page.addScriptTag({ content: await bundle('iife') })
          const checked = page.evaluate(
            `checkReceipt(${JSON.stringify(hub())}, ${JSON.stringify(receiptHash)})`,
          )
          expect(await checked).toEqual(verified())
        } finally {
          await browser.close()
          site.close()
        }
      },
    )

    describe('in Python', () => {
      const python = (script: string, args: readonly string[], body = '') => {
        const file = path.resolve(import.meta.dirname, '../examples/python', script)
        const env = { ...process.env, HUB_URL: hub(), PYTHONDONTWRITEBYTECODE: '1' }
        const running = run('python3', [file, ...args], { env })
        running.child.stdin?.end(body)
        return running.then(
          ({ stdout }) => ({ code: 0, stdout }),
          ({ code, stdout, stderr }) => ({ code, stdout: String(stdout), stderr: String(stderr) }),
        )
      }

      test('a task is run, an event of it followed, and its receipt verified', async () => {
        const ran = await python('run_task.py', ['sample-echo', 'echo', JSON.stringify(input)])
        expect(ran).toMatchObject({ code: 0 })
        const task = JSON.parse(ran.stdout)
        expect(task.output).toBe(output)

        const followed = await python('follow_events.py', ['round.finalized', '1'])
        expect(JSON.parse(followed.stdout)).toMatchObject({
          type: 'round.finalized',
          round_id: expect.any(String),
        })

        const verify = (text: string) =>
          python('verify_receipt.py', [task.receipt_hash, JSON.stringify(input), text])
        expect(JSON.parse((await verify(output)).stdout)).toEqual({ holds: true, problems: [] })
        const other = await verify('another output')
        expect([other.code, JSON.parse(other.stdout).problems]).toEqual([1, ['the output is another one']])
      })

      test('a list is read over its pages', async () => {
        let listed = ''
        const list = async () => {
          listed = (await python('list_rounds.py', ['2', '1'])).stdout
          return listed.trim().split('\n')
        }
        // Lists have a round a moment after its end.
        await expect.poll(list).toHaveLength(2)
        expect(listed).toContain(`${roundId} finalized`)
      })

      test('a webhook is verified', async () => {
        const secret = `whsec_${btoa('a secret of the endpoint')}`
        const body = JSON.stringify({ type: 'round.finalized', note: 'grüße' })
        const now = new Date()
        const timestamp = String(Math.floor(now.getTime() / 1_000))
        const signature = `v1,AAAA ${new Webhook(secret).sign('msg_1', now, body)}`
        const verify = (text: string) =>
          python('verify_webhook.py', [secret, 'msg_1', timestamp, signature], text)
        expect(JSON.parse((await verify(body)).stdout)).toEqual(JSON.parse(body))
        expect(await verify(`${body} `)).toMatchObject({ code: 1 })
      })
    })

    describe('of the documentation', () => {
      const developerToken = async () => (await signIn(await readNetwork(hub()), privateKeys.developer)).token
      const pages = [
        'docs/quickstart.md',
        'docs/submit-a-task.md',
        'docs/build-on-it.md',
        'docs/sign-in.md',
        'docs/verify-a-result.md',
        'docs/node-signatures.md',
      ]
      /** The output of the program of each page: they run one after the other in one process. */
      let printed: string[]
      beforeAll(async () => {
        for (const [index, page] of pages.entries())
          writeFileSync(path.join(project, `page-${index}.js`), pageProgram(page, 'js', hub()))
        const mark = `end of ${randomUUID()}`
        const importing = pages.map(
          (_, index) =>
            `await import('./page-${index}.js').catch((error) => console.log(error))\nconsole.log('${mark}')`,
        )
        writeFileSync(path.join(project, 'pages.js'), importing.join('\n'))
        const { stdout } = await run('node', ['pages.js'], { cwd: project, env: ownEnvironment({}) })
        printed = stdout.split(mark)
      })

      test.each(pages)('the program of %s prints what it says', (page) => {
        const lines = printed[pages.indexOf(page)]!.trim().split('\n')
        expect(lines).toEqual(saidOutput(pageProgram(page, 'js', hub())))
      })

      test('a webhook is verified as docs/events.md shows it', async () => {
        const [shown] = pageBlocks('docs/events.md', 'js', hub())
        const [secret, body, now] = [`whsec_${btoa('a secret')}`, '{"type":"round.finalized"}', new Date()]
        const headers = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
          'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
        }
        const given = `const { secret, body, headers } = ${JSON.stringify({ secret, body, headers })}`
        // Beside the packages of this repository, which has that library.
        const file = path.resolve(import.meta.dirname, `../node_modules/.cache/webhook-${randomUUID()}.mjs`)
        writeFileSync(file, `${given}\n${shown}\nconsole.log(event.type)\n`)
        const { stdout } = await run('node', [file]).finally(() => rmSync(file))
        expect(stdout).toBe('round.finalized\n')
      })

      const newestCursor = `curl -sf "$HUB_URL/v1/events?type=round.finalized" | grep -o '"next_cursor":"[^"]*' | cut -d'"' -f4`
      const anotherTask = `curl -sfo /dev/null "$HUB_URL/v1/projects/sample-echo/tasks?wait=60" -H 'Content-Type: application/json' -d '{"function":"echo","input":"1"}'`
      /** Commands after those about events: they delete the webhook, which other tests do not expect. */
      const after = `authorization="Authorization: Bearer $TOKEN"
         curl -sf $HUB_URL/v1/me/webhooks -H "$authorization" | grep -o '"webhook_id":"[^"]*' | cut -d'"' -f4 |
           xargs -I{} curl -sf -X DELETE $HUB_URL/v1/me/webhooks/{} -H "$authorization"`
      /** The values that a reader puts into the commands, as the text of the page says. */
      const filled: Readonly<Record<string, readonly (readonly [string | RegExp, () => string])[]>> = {
        'docs/submit-a-task.md': [['task%3A0x…', () => encodeURIComponent(roundId)]],
        'docs/events.md': [
          ['CURSOR', () => `$(${newestCursor}; ${anotherTask})`],
          // A stream goes on until its reader ends.
          [
            '"$HUB_URL/v1/events"',
            () =>
              '"$HUB_URL/v1/events" > "$STREAM" & until grep -qs . "$STREAM"; do sleep 0.1; done; kill $!',
          ],
          ['"0x…"', () => `"0x${'5a'.repeat(32)}"`],
        ],
        // Nothing is earned yet.
        'docs/settlement.md': [[/.*-X POST.*claims.*/, () => '']],
      }

      // Readers at the same time: none of these pages says something about the tasks of others.
      test.concurrent.each([
        ['README.md', '"finalized"'],
        ['docs/quickstart.md', '"output": "{\\"hello\\":\\"world\\"}"'],
        ['docs/submit-a-task.md', '"output": "Hello, Ada!"'],
        ['docs/events.md', '"secret"'],
        ['docs/sign-in.md', '"secret"'],
        ['docs/verify-a-result.md', '"holds": true'],
        ['docs/settlement.md', '"items"'],
        ['examples/python/README.md', '"receipt_hash"'],
      ])('the commands of %s work', async (page, last) => {
        const blocks = pageBlocks(page, 'sh', hub()).filter((block) => !block.startsWith('npm ci'))
        const script = (filled[page] ?? []).reduce(
          (text, [from, to]) => text.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to),
          blocks.join('\n').replaceAll('curl -s', 'curl -sf'),
        )
        const STREAM = path.join(project, 'stream.txt')
        const isAboutEvents = page === 'docs/events.md'
        const env = {
          ...{ ...process.env, HUB_URL: hub(), NODE_ASC_HOME: filledAscHome(), STREAM },
          ...(isAboutEvents && { TOKEN: await developerToken() }),
        }
        const commands = isAboutEvents ? `${script}\n${after}` : script
        const running = run('bash', ['-euo', 'pipefail', '-c', commands], { env })
        const ran = await running.finally(() => {
          for (const [, name] of commands.matchAll(/(?:--out|-o) (\w+\.hbc)/g)) rmSync(name!, { force: true })
        })
        expect(ran.stdout.replaceAll('":"', '": "')).toContain(last)
      })

      test('samples of the reference that need only the sample project work as they are, in both languages', async () => {
        const samples = referenceSamples(hub()).filter(
          ({ call: { operationId } }) => !(operationId in otherGivens || operationId in rewardGivens),
        )
        expect(samples.length).toBeGreaterThan(50)
        const env = { TOKEN: await developerToken() }
        const faults: string[] = []
        const programs = samples.map(({ call, samples: { typescript = '' } }, index) => {
          writeFileSync(path.join(project, `sample-${index}.js`), typescript)
          return `await import('./sample-${index}.js').catch((error) => console.log('${call.operationId}: ' + error.message))`
        })
        writeFileSync(path.join(project, 'samples.js'), programs.join('\n'))
        const { stdout } = await run('node', ['samples.js'], { cwd: project, env: ownEnvironment(env) })
        faults.push(...stdout.trim().split('\n').filter(Boolean))
        // In one shell: this process is large, and takes longer to start a program than the program runs.
        const commands = samples.map(
          ({ call, samples: { curl } }) =>
            `(\n${curl.replace('curl -s', 'curl -sfo /dev/null')}\n) || echo "${call.operationId}: curl $?"`,
        )
        const ran = await run('bash', ['-c', commands.join('\n')], { env: { ...process.env, ...env } })
        faults.push(...ran.stdout.trim().split('\n').filter(Boolean))
        expect(faults).toEqual([])
      })
    })
  })
}
