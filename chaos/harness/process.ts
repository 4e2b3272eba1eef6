import { fork } from 'node:child_process'
import type { NetworkMessage, NetworkTask } from './scenarios.ts'

/**
 * Runs a network in a process of its own: a network kills every workerd of its process.
 *
 * @param program - The file that runs the scenarios of a {@link NetworkTask}, its only argument.
 */
export async function runInProcess(
  program: string,
  task: NetworkTask,
  onMessage: (message: NetworkMessage) => void,
): Promise<void> {
  const child = fork(program, [JSON.stringify(task)], { serialization: 'advanced' })
  child.on('message', (message) => onMessage(message as NetworkMessage))
  // The last messages may come after the exit, and before the end of their channel.
  const ended = new Promise<void>((resolve) => child.once('disconnect', resolve))
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  await ended
  if (code !== 0) throw new Error(`the network of seed ${task.first} ended with ${code}`)
}
