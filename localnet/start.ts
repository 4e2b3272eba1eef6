/** `npm start`: the whole local network, until Ctrl-C. */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { bundleHub } from './bundle.ts'
import { type Hub, startHub } from './hub.ts'
import { probePort } from './port.ts'
import { clearState, lockState, readHubSecret, StartError, stateFolder } from './state.ts'

const usage = `Usage: npm start -- [--port N] [--fresh]

Starts the local network and stops it on Ctrl-C. Its data lies in ${stateFolder}/ and survives.

  --port N   port of the hub (default 8787)
  --fresh    begin with empty data
  --help     show this

Examples:
  npm start
  npm start -- --port 9000 --fresh`

/** The local network multiplies every rate limit, so that nobody developing against it is stopped. */
const rateLimitMultiplier = '10'
/** How often crons run; nothing else runs them here. */
const cronMs = 5 * 60_000

async function main(): Promise<void> {
  try {
    const options = readOptions()
    if (options === 'help') return console.log(usage)
    await start(options)
  } catch (error) {
    const expected = error instanceof StartError
    console.error(expected ? `Error: ${error.message}` : error)
    process.exitCode = expected ? 1 : 70
  }
}

interface Options {
  port: number
  fresh: boolean
}

function readOptions(): Options | 'help' {
  let values: { port?: string; fresh?: boolean; help?: boolean }
  try {
    values = parseArgs({
      options: {
        port: { type: 'string' },
        fresh: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n\n${usage}`)
  }
  if (values.help) return 'help'
  const port = Number(values.port ?? 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartError(`--port must be a number from 1 to 65535, not ${values.port}`)
  return { port, fresh: values.fresh ?? false }
}

async function start({ port, fresh }: Options): Promise<void> {
  const startedMs = performance.now()
  const release = lockState()
  process.on('exit', release)
  await requireFreePort(port)
  if (fresh) clearState()

  progress('Bundling the hub')
  await import('../scripts/copy-assets.ts')
  const script = await bundleHub()
  progress('Starting workerd and migrating the database')
  const baseUrl = `http://localhost:${port}`
  const hub = await startHub({
    script,
    port,
    statePath: path.join(stateFolder, 'storage'),
    vars: {
      BASE_URL: baseUrl,
      RATE_LIMIT_MULTIPLIER: rateLimitMultiplier,
      AUTO_APPROVE_DEVELOPERS: 'true',
      AUTO_APPROVE_NODES: 'true',
      HUB_SECRET: readHubSecret(),
    },
  })

  const crons = setInterval(() => runCrons(hub), cronMs)
  stopOnSignal(async () => {
    clearInterval(crons)
    await hub.stop()
  })
  printReady(baseUrl, (performance.now() - startedMs) / 1000)
}

const progress = (step: string): void => console.error(`… ${step}`)

async function runCrons({ miniflare }: Hub): Promise<void> {
  try {
    const worker = await miniflare.getWorker('hub')
    await worker.scheduled({ cron: '*/5 * * * *' })
  } catch (error) {
    console.error('The scheduled clean-up failed:', error)
  }
}

/** Ctrl-C reaches every process of the terminal and is passed on besides, so a second signal is expected and ignored. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Miniflare's own handlers end the process at once, before its databases are closed.
    process.removeAllListeners(signal)
    process.on(signal, async () => {
      if (stopping) return
      stopping = true
      console.error('… Stopping')
      await stop()
      process.exit(0)
    })
  }
}

async function requireFreePort(port: number): Promise<void> {
  try {
    await probePort(port)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new StartError(
      code === 'EADDRINUSE'
        ? `Port ${port} is in use by another program. Choose another one: npm start -- --port ${port === 65_535 ? 8788 : port + 1}`
        : `Port ${port} cannot be opened: ${message}`,
    )
  }
}

function printReady(baseUrl: string, seconds: number): void {
  console.log(`
The local network is ready (${seconds.toFixed(1)} s). Ctrl-C stops it.

  Hub API     ${baseUrl}/v1
  Descriptor  ${baseUrl}/
  Reference   ${baseUrl}/docs
  OpenAPI     ${baseUrl}/v1/openapi.json
  Health      ${baseUrl}/v1/status
  Data        ${stateFolder}/  (npm start -- --fresh begins anew)
`)
}

await main()
