import type { HubContext } from '../context.ts'
import { unavailable } from '../errors.ts'
import type { Answer } from './answer.ts'
import { pageHeaders } from './page-headers.ts'
import { wantsPage } from './wants-page.ts'

/** A file of the console. Null where the deployment left it out. */
export async function readAsset(
  c: HubContext,
  path: string,
): Promise<{ headers: Record<string, string>; body: Answer['body'] } | null> {
  const asset = await c.env.ASSETS.fetch(new URL(path, c.req.url)).catch((error) => {
    throw unavailable('The console', error)
  })
  if (asset.status !== 200) return null
  const etag = asset.headers.get('ETag')
  return { headers: etag === null ? {} : { ETag: etag }, body: asset.body }
}

/** Folders of calls and of the documentation: what does not exist there is said in JSON, also to a browser. */
const ofPrograms = /^\/(v1|admin|docs|_app)(\/|$)/

/** What a browser is shown at an address that does not exist; null for a program. */
export async function pageOfNothing(c: HubContext): Promise<Answer | null> {
  const { method, path } = c.req
  if (method !== 'GET' || ofPrograms.test(path) || !c.var.settings.CONSOLE || !wantsPage(c)) return null
  const page = await readAsset(c, '/console/_')
  return page && { status: 404, headers: { ...pageHeaders, Vary: 'Accept' }, body: page.body }
}
