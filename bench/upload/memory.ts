/**
 * Measures the memory workerd needs at its peak to take an artifact of 16 MiB, as bytes and as base64, once and eight
 * times at once, and to give it back; and what connections take that only announce one: `npm run bench:upload`. Linux
 * only, it reads /proc.
 */
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { startHub } from '../../localnet/hub.ts'
import { parseArtifact } from '../../protocol/hbc/artifact.ts'
import { artifactOfSize, echoArtifact } from '../../protocol/hbc/testing/artifacts.ts'
import { readNetwork } from '../../sdk/network.ts'
import { signIn } from '../../sdk/sign-in.ts'
import { startTestHub } from '../../testing/hub.ts'
import { ownWorkerds } from '../../testing/workerd.ts'
import { memory, peak } from '../process-memory.ts'

const size = 16 * 1024 * 1024
const key = `0x${'42'.repeat(32)}`
/** One wallet uploads more here than it may in an hour. */
const manyUploads = { RATE_LIMIT_MULTIPLIER: '100' }

interface Artifact {
  address: string
  bytes: Uint8Array
}

type Upload = (origin: string, token: string, artifact: Artifact) => Promise<Response>

const asBytes: Upload = (origin, token, { address, bytes }) =>
  fetch(`${origin}/v1/modules/${address}/hbc`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
    body: bytes as Uint8Array<ArrayBuffer>,
  })

const asBase64: Upload = (origin, token, { bytes }) =>
  fetch(`${origin}/v1/modules`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ hbc_b64: Buffer.from(bytes).toString('base64') }),
  })

async function measure(form: string, upload: Upload): Promise<void> {
  const hub = await startTestHub(manyUploads)
  const { origin } = hub
  try {
    const [pid] = ownWorkerds()
    if (pid === undefined) throw new Error('workerd was not found')
    const { token } = await signIn(await readNetwork(origin), key)
    // A small one first: what is compiled once is no part of the peak.
    await expectStatus(201, await upload(origin, token, small))
    const idle = memory(pid, 'VmRSS')
    const uploading = await peak(pid, async () => expectStatus(201, await upload(origin, token, large)))
    let equal = false
    const downloading = await peak(pid, async () => {
      const answer = await fetch(`${origin}/v1/modules/${large.address}/hbc`)
      equal = Buffer.compare(new Uint8Array(await answer.arrayBuffer()), large.bytes) === 0
    })
    await expectStatus(413, await upload(origin, token, { ...large, bytes: new Uint8Array(size + 1) }))
    const eight = await peak(pid, async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => upload(origin, token, large)))
      for (const answer of answers) await expectStatus(409, answer)
    })
    console.log(
      `${form}: idle ${idle.toFixed(0)} MiB, upload ${uploading}, eight at once that are refused in the end ${eight}, download ${downloading}, bytes ${equal ? 'equal' : 'DIFFERENT'}, one byte more 413`,
    )
  } finally {
    await hub.stop()
  }
}

/** Connections that announce an artifact and send its first bytes. */
async function measureIdle(count: number): Promise<void> {
  const hub = await startTestHub(manyUploads)
  const { origin } = hub
  try {
    const [pid] = ownWorkerds()
    if (pid === undefined) throw new Error('workerd was not found')
    const { token } = await signIn(await readNetwork(origin), key)
    await expectStatus(201, await asBytes(origin, token, small))
    const { hostname, port, host } = new URL(origin)
    const request = [
      `PUT /v1/modules/${large.address}/hbc HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/octet-stream',
      `Content-Length: ${size}`,
      '',
      'PK',
    ].join('\r\n')
    const sockets = Array.from({ length: count }, () => connect(Number(port), hostname))
    const open = await peak(pid, async () => {
      for (const socket of sockets) socket.on('error', () => {}).write(request)
      // Nothing tells when the hub has begun to read all of them.
      await setTimeout(5_000)
    })
    for (const socket of sockets) socket.destroy()
    console.log(`${count} idle connections: ${open}`)
  } finally {
    await hub.stop()
  }
}

/** What the local R2, which lives in the same process, takes by itself for an object of the same size. */
async function measureStorage(): Promise<void> {
  const script = `export default { async fetch(request, env) {
    const size = Number(new URL(request.url).searchParams.get('size'))
    const { readable, writable } = new FixedLengthStream(size)
    const writer = writable.getWriter()
    const chunk = new Uint8Array(65536)
    const write = async () => {
      for (let at = 0; at < size; at += chunk.length) await writer.write(chunk.subarray(0, size - at))
      await writer.close()
    }
    await Promise.all([env.MODULES.put('x', readable), write()])
    return new Response(null, { status: 201 })
  } }
  export class RateLimiter {}`
  const modules = [{ type: 'ESModule' as const, path: 'index.js', contents: script }]
  const hub = await startHub({ script: modules, port: 0, vars: {} })
  try {
    const [pid] = ownWorkerds()
    if (pid === undefined) throw new Error('workerd was not found')
    const put = async (bytes: number) =>
      expectStatus(201, await fetch(new URL(`?size=${bytes}`, hub.urls[0])))
    await put(1000)
    console.log(`R2 alone: ${await peak(pid, () => put(size))}`)
  } finally {
    await hub.stop()
  }
}

async function expectStatus(expected: number, response: Response): Promise<void> {
  const text = await response.text()
  if (response.status !== expected) throw new Error(`${response.status} instead of ${expected}: ${text}`)
}

const artifactOf = (bytes: Uint8Array): Artifact => ({ address: parseArtifact(bytes).manifestAddress, bytes })
const small = artifactOf(echoArtifact().bytes)
const large = artifactOf(artifactOfSize(size))
await measure('bytes ', asBytes)
await measure('base64', asBase64)
await measureIdle(200)
await measureStorage()
