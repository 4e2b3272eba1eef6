import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { NetworkResult } from './run.ts'

/** The scenarios of one network: those of so many seeds, from the first on. */
export interface NetworkTask {
  first: number
  length: number
  atOnce: number
  scenariosPerKill: number
}

/** What a network says: how it comes on, what it has come to after a turn or in the end, or what does not agree. */
export type NetworkMessage = { text: string } | { result: NetworkResult } | { difference: string }

/** Runs a network in a process of its own, since a network kills every workerd of its process. */
export async function runInProcess(
  task: NetworkTask,
  onMessage: (message: NetworkMessage) => void,
): Promise<void> {
  const child = fork(fileURLToPath(new URL('network-process.ts', import.meta.url)), [JSON.stringify(task)], {
    serialization: 'advanced',
  })
  child.on('message', (message) => onMessage(message as NetworkMessage))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`the network of seed ${task.first} ended with ${code}`)
}
