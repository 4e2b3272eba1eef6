/** `npm run demo`: a developer's first hour with the hub, shown step by step. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { evmAddress, signPersonalMessage } from '../protocol/crypto.ts'
import { bytesToHex } from '../protocol/hex.ts'
import { resolveProfile } from '../protocol/profile.ts'
import { isSafeToSign } from '../protocol/siwe.ts'
import { bundleHub } from './bundle.ts'
import { startHub } from './hub.ts'
import { probePort } from './port.ts'

const usage = `Usage: npm run demo [-- --hub URL]

Makes a wallet, signs in, compiles the modules of examples/, uploads, lists and downloads them, and logs out.
Uses the hub at URL, else one running on http://localhost:8787, else starts one for itself.`

interface Compiled {
  out: string
  manifest_address: string
  functions: string[]
  wasm_bytes: number
  hbc_bytes: number
}

const width = 76
let steps = 0
const step = (title: string): void => {
  steps += 1
  console.log(`\n${steps}. ${title}`)
}
const show = (mark: string, text: string): void => {
  for (const line of text.split('\n')) console.log(`   ${mark} ${line}`)
}
const shorten = (text: string): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`)

/** One request, printed with what it answered. */
async function call(
  hub: string,
  method: string,
  target: string,
  init: { token?: string; json?: unknown; bytes?: Uint8Array } = {},
) {
  const { token, json, bytes } = init
  const size = bytes
    ? `  (${bytes.length} bytes)`
    : json === undefined
      ? ''
      : `  ${shorten(JSON.stringify(json))}`
  show('→', `${method} ${target}${size}`)
  const response = await fetch(hub + target, {
    method,
    headers: {
      // Compiling takes long enough for an idle connection to be closed under us.
      Connection: 'close',
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(bytes && { 'Content-Type': 'application/octet-stream' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(bytes && { body: bytes as Uint8Array<ArrayBuffer> }),
  })
  const body = new Uint8Array(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const text = isJson ? new TextDecoder().decode(body) : body.length > 0 ? `${body.length} bytes` : ''
  show('←', `${response.status}  ${shorten(text)}`)
  if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}: ${text}`)
  return { response, body, json: isJson ? JSON.parse(text) : undefined }
}

function nodectl(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('node', ['node-cli/dist/nodectl.mjs', ...args], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`nodectl ${args.join(' ')} failed:\n${stderr}`)
  return stdout
}

async function demo(hub: string): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'hub-demo-'))
  try {
    console.log(`A developer meets the hub at ${hub}`)

    step('Read what this network is')
    const { json: descriptor } = await call(hub, 'GET', '/')
    const profile = resolveProfile({ chain_id: descriptor.chain.id })

    step('Make a wallet')
    const key = bytesToHex(randomBytes(32))
    const address = evmAddress(key)
    show('·', `address ${address}`)

    step('Sign in with it (EIP-4361)')
    const domain = new URL(hub).host
    const { json: nonce } = await call(hub, 'POST', '/v1/auth/nonce', { json: { address, domain } })
    show('│', nonce.message)
    const expected = { host: domain, address, nonce: nonce.nonce, now: Math.floor(Date.now() / 1000) }
    if (!isSafeToSign(profile, nonce.message, expected))
      throw new Error('the wallet refuses to sign this text')
    const signature = signPersonalMessage(key, nonce.message)
    const { json: session } = await call(hub, 'POST', '/v1/auth/siwe', {
      json: { message: nonce.message, signature },
    })
    const token: string = session.token
    await call(hub, 'GET', '/v1/auth/session', { token })

    step('Compile the example modules with nodectl')
    const sources = readdirSync('examples').filter((name) => name.endsWith('.ts'))
    const modules = sources.map((name) => {
      const out = path.join(scratch, name.replace(/\.ts$/, '.hbc'))
      const compiled = JSON.parse(nodectl('compile', path.join('examples', name), '--out', out)) as Compiled
      show('·', `${name.padEnd(12)} ${compiled.hbc_bytes} bytes  ${compiled.functions.join(', ')}`)
      show(' ', compiled.manifest_address)
      return { ...compiled, bytes: new Uint8Array(readFileSync(out)) }
    })

    step('Upload them: the first as base64, the others as bytes')
    for (const [index, { manifest_address, bytes }] of modules.entries()) {
      const known = await fetch(`${hub}/v1/modules/${manifest_address}`)
      if (known.ok) show('·', `${manifest_address} was uploaded before`)
      else if (index === 0)
        await call(hub, 'POST', '/v1/modules', {
          token,
          json: { hbc_b64: Buffer.from(bytes).toString('base64') },
        })
      else await call(hub, 'PUT', `/v1/modules/${manifest_address}/hbc`, { token, bytes })
    }

    step('List them')
    await call(hub, 'GET', '/v1/modules?limit=3')

    step('Download each, and compare bytes and address')
    for (const { manifest_address, bytes, out } of modules) {
      const { response, body } = await call(hub, 'GET', `/v1/modules/${manifest_address}/hbc`)
      const again = path.join(scratch, `again-${path.basename(out)}`)
      writeFileSync(again, body)
      const inspected = JSON.parse(nodectl('inspect', again)) as { manifest_address: string }
      const addresses = new Set([
        manifest_address,
        inspected.manifest_address,
        response.headers.get('x-manifest-address'),
      ])
      if (Buffer.compare(body, bytes) !== 0 || addresses.size !== 1) throw new Error('the download differs')
      show('=', 'same bytes; the same address from the compiler, the hub and nodectl inspect')
    }

    step('Log out')
    await call(hub, 'POST', '/v1/auth/logout', { token })
    const after = await fetch(`${hub}/v1/auth/session`, { headers: { Authorization: `Bearer ${token}` } })
    show('·', `the token is dead: ${after.status}`)
    if (after.status !== 401) throw new Error('the token still works')
    console.log('\nDone. Everything above was a real request to a real hub.')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const answers = (hub: string): Promise<boolean> =>
  fetch(`${hub}/v1/status`).then(
    ({ ok }) => ok,
    () => false,
  )

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { hub: { type: 'string' }, help: { type: 'boolean' } } })
  if (values.help) return console.log(usage)
  await import('../node-cli/build.ts')
  const given = values.hub?.replace(/\/$/, '')
  if (given !== undefined) return demo(given)
  if (await answers('http://localhost:8787')) return demo('http://localhost:8787')

  console.log('No hub is running on http://localhost:8787; starting one for this demo.')
  await import('../scripts/copy-assets.ts')
  const port = await probePort(0)
  const baseUrl = `http://localhost:${port}`
  const vars = { BASE_URL: baseUrl, HUB_SECRET: bytesToHex(randomBytes(32)) }
  const hub = await startHub({ script: await bundleHub(), port, vars })
  try {
    await demo(baseUrl)
  } finally {
    await hub.stop()
  }
}

try {
  await main()
} catch (error) {
  console.error(`\nError: ${(error as Error).message}`)
  process.exitCode = 1
}
