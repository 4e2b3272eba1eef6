import { listIsolates, openInspector } from '../../testing/inspector.ts'

/** Between two looks at what runs, in microseconds: rare enough that they cost next to nothing. */
const lookedAtEach = 5_000
/** Looks that a share needs, so that it is right within some hundredths. */
const looksMin = 400

interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[]
  readonly samples: readonly number[]
}

/**
 * The share of the hub in the time that isolates of workerd run while something is done. The others are Miniflare's
 * simulations of the database, the bucket and the queues, of which Cloudflare bills no CPU.
 *
 * V8 looks at each isolate in the same pauses, and sees it only while the thread is in it.
 */
export async function hubShare(inspector: URL, work: () => Promise<unknown>): Promise<number> {
  const isolates = await Promise.all(
    (await listIsolates(inspector)).map(async (name) => ({
      name,
      ...(await openInspector(inspector, name)),
    })),
  )
  const ask = (method: string, params = {}) =>
    Promise.all(isolates.map(async ({ name, call }) => ({ name, result: await call(method, params) })))
  await ask('Profiler.enable')
  await ask('Profiler.setSamplingInterval', { interval: lookedAtEach })
  await ask('Profiler.start')
  await work()
  const profiles = await ask('Profiler.stop')
  for (const { close } of isolates) close()
  const looks = profiles.map(({ name, result }) => {
    const { nodes, samples } = (result as { profile: Profile }).profile
    const idle = new Set(
      nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
    )
    return { isHub: name === 'core:user:hub', seen: samples.filter((id) => !idle.has(id)).length }
  })
  const sum = (some: typeof looks) => some.reduce((all, { seen }) => all + seen, 0)
  const all = sum(looks)
  if (all < looksMin) throw new Error(`isolates were seen ${all} times; measure more tasks`)
  return sum(looks.filter(({ isHub }) => isHub)) / all
}
