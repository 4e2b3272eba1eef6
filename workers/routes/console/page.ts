import * as z from 'zod'
import type { HubContext } from '../../context.ts'
import { ApiError, unavailable } from '../../errors.ts'
import type { Answer } from '../../http/answer.ts'
import { pageHeaders } from '../../http/page-headers.ts'
import { defineRoute, type Route } from '../../route.ts'
import { getDescriptor } from '../network/descriptor.ts'
import { isOther, readPath, withAnswers } from './given.ts'
import { aheadReads } from './reads.ts'

const fileTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  json: 'application/json',
}

/** The page of a screen. It was drawn without the records that its path names, which the browser begins to read at once. */
export const pageOf = (screen: string): Route =>
  defineRoute(
    {
      method: 'get',
      path: '/',
      operationId: 'getConsolePage',
      tag: 'Console',
      summary: 'Open the console',
      description: 'A page for each address of the console. Programs get the JSON of `GET /` at the first.',
      // The page reads its own query.
      query: z.looseObject({}),
      cache: { maxAgeSeconds: 0, varyByAccept: true },
      errors: ['not_found'],
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
    },
    async (c) => {
      const asset = c.var.settings.CONSOLE ? await readAsset(c, fileOf(screen)) : null
      if (asset !== null) {
        const given = await withAnswers(c, screen, asset.body)
        // Its answers are what the page is named by, not the file.
        if (given !== null) return { status: 200, headers: pageHeaders, body: given }
        const preloads = preloadsOf(c, screen)
        const headers = { ...pageHeaders, ...asset.headers, ...(preloads !== '' && { Link: preloads }) }
        return { status: 200, headers, body: asset.body }
      }
      // Without a console, its first page is what programs get there.
      if (screen === '/') return getDescriptor.handle(c, {} as never)
      throw new ApiError('not_found', `${c.req.path} is a page of the console, which this hub does not have.`)
    },
  )

const fileOf = (screen: string): string =>
  `/console${screen === '/' ? '/home' : screen.replaceAll(/\{\w+\}/g, '_')}`

/** A `Link` header of the first reads of a page's script: the browser starts them while it loads the script. */
function preloadsOf(c: HubContext, screen: string): string {
  if (isOther(c)) return ''
  return (aheadReads[screen] ?? [])
    .map((path) => `<${readPath(path, c.req.param())}>; rel=preload; as=fetch; crossorigin`)
    .join(', ')
}

export const getConsoleFile = defineRoute(
  {
    method: 'get',
    path: '/_app/immutable/{folder}/{file}',
    operationId: 'getConsoleFile',
    tag: 'Console',
    summary: 'Read a file of a page',
    description:
      'Scripts, styles and pictures of the console and of the documentation. A name changes with what its file has.',
    params: z.object({
      folder: z.enum(['assets', 'chunks', 'docs', 'entry', 'nodes']).meta({ example: 'entry' }),
      file: z
        .string()
        .regex(/^[\w.-]{1,100}\.(js|css|svg|png|json)$/)
        .meta({ example: 'start.js' }),
    }),
    cache: { maxAgeSeconds: 31_536_000, immutable: true },
    errors: ['not_found'],
    responses: { 200: { description: 'The file.', contentType: 'text/javascript' } },
  },
  async (c, { params: { folder, file } }) => {
    const asset = await readAsset(c, `/_app/immutable/${folder}/${file}`)
    if (asset === null) throw new ApiError('not_found', `${c.req.path} is not in this version of the hub.`)
    const type = fileTypes[file.slice(file.lastIndexOf('.') + 1)] as string
    return { status: 200, headers: { 'Content-Type': type, ...asset.headers }, body: asset.body }
  },
)

export const getConsoleVersion = defineRoute(
  {
    method: 'get',
    path: '/_app/version.json',
    operationId: 'getConsoleVersion',
    tag: 'Console',
    summary: 'Read the version of the console',
    description: 'A page whose files a deployment has replaced tells by it that it has to load itself again.',
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: { 200: { description: 'The version.', contentType: 'application/json' } },
  },
  async (c) => {
    const asset = await readAsset(c, c.req.path)
    if (asset === null) throw new ApiError('not_found', 'This hub has no console.')
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json', ...asset.headers },
      body: asset.body,
    }
  },
)

/** Folders of calls and of the documentation: what does not exist there is said in JSON, also to a browser. */
const ofPrograms = /^\/(v1|admin|docs|_app)(\/|$)/

/** The page for a browser at an address that does not exist; null if the answer is the JSON that programs get. */
export async function pageOfNothing(c: HubContext): Promise<Answer | null> {
  const { method, path } = c.req
  if (method !== 'GET' || ofPrograms.test(path) || !c.var.settings.CONSOLE) return null
  const page = await readAsset(c, '/console/_')
  return page && { status: 404, headers: { ...pageHeaders, Vary: 'Accept' }, body: page.body }
}

/** Null if the deployment left the file out. */
async function readAsset(
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
