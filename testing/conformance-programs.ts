import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { newFolder } from './node/folders.ts'
import { nodectl } from './node/nodectl.ts'

const project = 'sample-echo'

/**
 * Has programs of others take the place of a device of a local network, whose own process stays away from then on.
 * @param hub - Its origin.
 * @param deviceFolder - The data directory of the device.
 */
export function testConformance(hub: () => string, deviceFolder: () => string): void {
  describe('conformance', () => {
    let python: ChildProcess | null = null
    const stopPython = async (): Promise<void> => {
      if (python === null || python.exitCode !== null || python.signalCode !== null) return
      const ended = once(python, 'close')
      python.kill('SIGKILL')
      await ended
    }
    afterAll(stopPython)
    const folderWithKey = (): string => {
      const folder = newFolder()
      mkdirSync(folder, { mode: 0o700 })
      copyFileSync(path.join(deviceFolder(), 'node.key'), path.join(folder, 'node.key'))
      return folder
    }

    test('the node in Python accepts a task, and its vote is counted', async () => {
      const file = path.resolve(import.meta.dirname, '../examples/python-node/node.py')
      const env = {
        ...process.env,
        NODE_HUB_URL: hub(),
        NODE_DATA_DIR: folderWithKey(),
        PYTHONDONTWRITEBYTECODE: '1',
      }
      python = spawn('python3', [file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      let said = ''
      python.stderr!.on('data', (text) => {
        said += text
      })
      await expect.poll(() => said).toContain('"connected"')
      const body = JSON.stringify({ function: 'echo', input: { of: 'python' } })
      const headers = { 'Content-Type': 'application/json' }
      const tasks = `${hub()}/v1/projects/${project}/tasks?wait=60`
      const task = (await (await fetch(tasks, { method: 'POST', headers, body })).json()) as {
        round_id: string
      }
      expect(task, said).toMatchObject({ status: 'finalized', success: true, output: '{"of":"python"}' })
      const { public_key } = JSON.parse(said.split('\n').find((line) => line.includes('"connected"'))!)
      const round = `${hub()}/v1/explorer/rounds/${encodeURIComponent(task.round_id)}`
      await expect
        .poll(async () => (await fetch(round)).json())
        .toMatchObject({
          finality: { voters: expect.arrayContaining([expect.objectContaining({ public_key })]) },
        })
      await stopPython()
    })

    test('the hub keeps every clause', async () => {
      const args = ['--hub-url', hub(), '--data-dir', folderWithKey(), '--project', project, '--json']
      const { code, stdout, stderr } = await nodectl(['conform', 'hub', ...args])
      const { clauses } = JSON.parse(stdout)
      expect(clauses.filter(({ state }: { state: string }) => state !== 'kept')).toEqual([])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    })
  })
}
