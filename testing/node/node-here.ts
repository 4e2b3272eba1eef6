import { readConfig, serve } from './built-node.ts'
import { type Announcement, callNode, type ServingNode, type StartOptions, token } from './node-process.ts'
import { withTakenStreams } from './taken-streams.ts'

/** How a node is started in this process. Its environment is only what is given. */
export type OptionsHere = Omit<StartOptions, 'nodeFlags'>

const signals = ['SIGINT', 'SIGTERM'] as const
const ofTests = process.listeners('uncaughtException')

/** A node that serves in this process. */
export interface NodeHere extends ServingNode {
  /** Settles when it has ended, whether it was told to or not. */
  readonly ended: Promise<void>
}

/**
 * Starts a node in this process: the code that has run once is fast, which it is not yet in a new process. For all that is
 * not about the process.
 */
export async function serveHere(
  dataDir: string,
  { bind = '127.0.0.1:0', flags = [], env = {} }: OptionsHere = {},
): Promise<NodeHere> {
  const given = ['--bind', bind, '--data-dir', dataDir, ...flags]
  const settings = given.flatMap((flag, i) => (i % 2 === 0 ? [[flag.slice(2), given[i + 1]]] : []))
  const config = readConfig(Object.fromEntries(settings), { NODE_API_TOKEN: token, ...env })
  const announced = Promise.withResolvers<Announcement>()
  let errors = ''
  const takes = {
    stdout: (line: string) => announced.resolve(JSON.parse(line)),
    stderr: (text: string) => {
      errors += text
    },
  }
  const before = signals.map((signal) => process.rawListeners(signal))
  const ended = withTakenStreams(takes, () => serve(config))
  const tellToStop = takeListeners(before)
  ended.then(
    () => announced.reject(new Error(`the node did not start: ${errors}`)),
    (error) => announced.reject(error),
  )
  const announcement = await announced.promise
  // It would end the process after a bug; in this one, the bug fails the test.
  for (const listener of process.listeners('uncaughtException'))
    if (!ofTests.includes(listener)) process.off('uncaughtException', listener)
  return {
    ...announcement,
    ended,
    log: () => errors.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])),
    call: (target, call) => callNode(announcement.url, target, call),
    stop: () => {
      tellToStop()
      return inThisProcess(ended)
    },
  }
}

const { execve } = process
let stopping = 0

/** A node whose guest runs on when it has to stop puts another program into the place of its process; this one stays. */
async function inThisProcess(ended: Promise<void>): Promise<void> {
  stopping += 1
  Object.assign(process, { execve: undefined })
  try {
    await ended
  } finally {
    stopping -= 1
    if (stopping === 0) Object.assign(process, { execve })
  }
}

/** Takes the listeners that the node has added: signals are for the process, and its test tells the node to stop. */
function takeListeners(before: readonly (readonly unknown[])[]): () => void {
  const taken = signals.flatMap((signal, i) =>
    process
      .rawListeners(signal)
      .filter((listener) => !before[i]!.includes(listener))
      .map((listener) => {
        process.off(signal, listener as NodeJS.SignalsListener)
        return () => (listener as (signal: NodeJS.Signals) => void)(signal)
      }),
  )
  return () => {
    for (const tell of taken) tell()
  }
}
