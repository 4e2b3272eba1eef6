import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../testing/node/folders.ts'
import { lockFolder } from './folder-lock.ts'

const root = temporaryFolder()

/** A process that takes a folder when it is told to, says what it got, and keeps it. */
function taker(folder: string): ChildProcess {
  const script = `
    const { lockFolder } = await import(${JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href)})
    const kept = []
    process.on('message', () => {
      kept.push(lockFolder(${JSON.stringify(folder)}, 'nodectl'))
      process.send(kept.at(-1))
    })
    process.send('ready')`
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

const answer = async (child: ChildProcess) => (await once(child, 'message'))[0]
const ask = (child: ChildProcess) => {
  child.send('take')
  return answer(child)
}

describe('lockFolder', () => {
  test('exactly one of many processes gets the lock; when it is killed, the next one gets it', async () => {
    const folder = path.join(root, 'raced')
    const takers = Array.from({ length: 6 }, () => taker(folder))
    try {
      await Promise.all(takers.map(answer))
      const outcomes = await Promise.all(takers.map(ask))
      expect(outcomes.map(({ status }) => status).sort()).toEqual([...Array(5).fill('busy'), 'taken'])
      const [holder] = takers.splice(
        outcomes.findIndex(({ status }) => status === 'taken'),
        1,
      )
      expect(await ask(takers[0]!)).toEqual({ status: 'busy', pid: holder!.pid })
      const gone = once(holder!, 'exit')
      holder!.kill('SIGKILL')
      await gone
      expect((await ask(takers[0]!)).status).toBe('taken')
    } finally {
      for (const one of takers) one.kill('SIGKILL')
    }
  })

  test('does not name its own pid', () => {
    const folder = path.join(root, 'twice')
    const first = lockFolder(folder, 'nodectl')
    expect(lockFolder(folder, 'nodectl')).toEqual({ status: 'busy', pid: null })
    if (first.status === 'taken') first.release()
    expect(existsSync(path.join(folder, 'nodectl.pid'))).toBe(false)
    expect(lockFolder(folder, 'nodectl').status).toBe('taken')
  })
})
