/**
 * `npm start`: the whole local network, until Ctrl-C.
 *
 * The network runs in a process group of its own, and this process only looks after it. Each of the two ends the other's
 * part when it goes, however it goes: the network stops when the pipe to it closes, as it does even upon SIGKILL here; and
 * what the network leaves behind, when it is killed itself, is still in its group and ended from here. Should both be
 * killed at once, the next start ends it.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { asksForHelp, readOptions, usage } from './options.ts'
import { signalGroup } from './process-group.ts'
import { StartError } from './state.ts'

/** Longer than the hub needs to close its databases and the chain to write itself down. */
const stopMs = 15_000
/** How long what is left may take to end by itself. */
const leaveMs = 3_000
const parentMs = 500

const args = process.argv.slice(2)
// What is said to nobody is no reason to leave the network alone.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
try {
  if (asksForHelp(args)) console.log(usage)
  else {
    readOptions(args)
    lookAfter(startNetwork())
  }
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(`Error: ${error.message}`)
  process.exitCode = error.exitCode
}

function startNetwork() {
  return spawn(process.execPath, [path.join(import.meta.dirname, 'network.ts'), ...args], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  })
}

function lookAfter(network: ReturnType<typeof startNetwork>): void {
  // Ctrl-C reaches every process of the terminal and is passed on besides, so being told twice is expected.
  const stop = () => {
    network.stdin.end()
    setTimeout(() => endGroup(network.pid!), stopMs).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // Whoever started this may be killed without passing anything on.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), parentMs).unref()

  // A network that has ended cannot be told to.
  network.stdin.on('error', () => {})
  network.on('error', (error) => {
    console.error(`Error: the local network cannot be started: ${error.message}`)
    process.exit(1)
  })
  network.on('exit', async (code, signal) => {
    if (signal !== null) console.error(`Error: the local network was ended by ${signal}.`)
    await endGroup(network.pid!)
    process.exit(code ?? 1)
  })
}

/** Ends whatever is still in the network's group: first so that it can write down what it knows. */
async function endGroup(group: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return
  for (const limit = Date.now() + leaveMs; Date.now() < limit; ) {
    if (!signalGroup(group, 0)) return
    await wait(20)
  }
  signalGroup(group, 'SIGKILL')
}
